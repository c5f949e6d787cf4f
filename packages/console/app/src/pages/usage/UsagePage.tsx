/** Calls, talk time and cost by day, in the account's zone, as charts and as a table. */
import { Suspense } from "react"
import { useSearchParams } from "react-router"
import { useAccountQuery } from "../../data/Account.ts"
import { queryString } from "../../data/Api.ts"
import { toCsv } from "../../data/Csv.ts"
import { downloadCsv } from "../../data/Download.ts"
import { part } from "../../data/Part.ts"
import type { Usage } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { Select } from "../../ui/Select.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import "./usage.css"

const UsageChart = part(async () => (await import("./UsageChart.tsx")).UsageChart)

const ranges = ["7", "30", "90", "365"] as const
type Range = (typeof ranges)[number]

const isRange = (text: string | null): text is Range => ranges.some((range) => range === text)

/** `YYYY-MM-DD`, so many days ago. The server counts in the account's zone: a day more covers zones ahead of UTC. */
const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

export const Component = () => {
  const { shell, usage } = useTexts()
  const [search, setSearch] = useSearchParams()
  const given = search.get("days")
  const days: Range = isRange(given) ? given : "30"
  const query = useAccountQuery<Usage>("usage", `usage${queryString({ from: day(Number(days) - 1), to: day(-1) })}`)
  return (
    <Page
      title={shell.pages.usage}
      actions={
        <Select
          label={usage.range}
          isLabelHidden
          options={ranges.map((id) => ({ id, label: usage.lastDays(Number(id)) }))}
          value={days}
          onChange={(value) => setSearch({ days: value }, { replace: true })}
        />
      }
    >
      <Loaded query={query} lines={6}>{(data) => <Figures shown={data} />}</Loaded>
    </Page>
  )
}

/** Amounts are decimal text; sums are for people and keep six places. */
const costsOf = (days: Usage["data"]): ReadonlyArray<readonly [currency: string, amount: number]> => {
  const sums = new Map<string, number>()
  for (const { amount, currency } of days.flatMap(({ costs }) => costs)) {
    sums.set(currency, (sums.get(currency) ?? 0) + Number(amount))
  }
  return [...sums]
}

type Day = Usage["data"][number]

const Figures = ({ shown: { data: all, time_zone } }: { readonly shown: Usage }) => {
  const { usage } = useTexts()
  const format = useFormat()
  // The last day of the request may not have begun in the account's zone.
  const data = all.at(-1)?.calls_placed === 0 ? all.slice(0, -1) : all
  const calls = data.reduce((sum, { calls_placed }) => sum + calls_placed, 0)
  const seconds = data.reduce((sum, { seconds_talked }) => sum + seconds_talked, 0)
  const costs = costsOf(data)
  const costText = (of: Usage["data"]) =>
    costsOf(of).map(([currency, amount]) => format.money(amount.toFixed(6), currency)).join(", ")
  const download = () =>
    downloadCsv(
      "usage.csv",
      toCsv(
        ["day", "calls_placed", "seconds_talked", "costs"],
        data.map(({ calls_placed, costs, day, seconds_talked }) => [
          day,
          calls_placed,
          seconds_talked,
          costs.map(({ amount, currency }) => `${amount} ${currency}`).join("; ")
        ])
      )
    )
  return (
    <div className="stack">
      <dl className="figures">
        <div className="figure">
          <dt>{usage.calls}</dt>
          <dd>{format.number(calls)}</dd>
        </div>
        <div className="figure">
          <dt>{usage.talked}</dt>
          <dd>{format.duration(seconds)}</dd>
        </div>
        <div className="figure">
          <dt>{usage.cost}</dt>
          {costs.length === 0 ? <dd className="detail">{usage.noCost}</dd> : <dd>{costText(data)}</dd>}
        </div>
      </dl>
      <Card title={usage.callsPerDay}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <UsageChart days={data} />
        </Suspense>
      </Card>
      <Card
        title={usage.perDay}
        actions={<Button isCompact onPress={download}>{usage.download}</Button>}
      >
        <p className="small muted">{usage.zone(time_zone)}</p>
        <PlainTable
          label={usage.days}
          isScrolled
          hasFixedColumns
          rows={data.toReversed()}
          keyOf={(one) => one.day}
          columns={[
            {
              id: "day",
              title: usage.day,
              isRowHeader: true,
              isNarrow: true,
              cell: ({ day }) => <span className="numeric">{day}</span>
            },
            { id: "calls", title: usage.calls, isEnd: true, cell: (one) => format.number(one.calls_placed) },
            { id: "talked", title: usage.talked, isEnd: true, cell: (one) => format.duration(one.seconds_talked) },
            ...costs.length === 0
              ? []
              : [{ id: "cost", title: usage.cost, isEnd: true, cell: (one: Day) => costText([one]) }]
          ]}
        />
      </Card>
    </div>
  )
}
