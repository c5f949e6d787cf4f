/** Calls and minutes by day. The table below the chart has the same figures for those who cannot see it. */
import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts"
import type { Usage } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"

export const UsageChart = ({ days }: { readonly days: Usage["data"] }) => {
  const { usage } = useTexts()
  const data = days.map(({ calls_placed, day, seconds_talked }) => ({
    day: day.slice(5),
    calls: calls_placed,
    minutes: Math.round(seconds_talked / 6) / 10
  }))
  return (
    <div className="chart" aria-hidden="true">
      <ResponsiveContainer width="100%" height={260}>
        <BarChart data={data} margin={{ top: 8, right: 0, bottom: 0, left: -12 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--border)" />
          <XAxis dataKey="day" stroke="var(--text-muted)" tickLine={false} minTickGap={24} />
          <YAxis yAxisId="calls" allowDecimals={false} stroke="var(--text-muted)" tickLine={false} axisLine={false} />
          <YAxis
            yAxisId="minutes"
            orientation="right"
            allowDecimals={false}
            stroke="var(--text-muted)"
            tickLine={false}
            axisLine={false}
            width={44}
          />
          <Tooltip
            cursor={{ fill: "var(--surface-hover)" }}
            contentStyle={{ background: "var(--surface-raised)", borderColor: "var(--border-strong)" }}
          />
          <Legend />
          <Bar yAxisId="calls" dataKey="calls" name={usage.calls} fill="var(--accent)" isAnimationActive={false} />
          <Bar yAxisId="minutes" dataKey="minutes" name={usage.minutes} fill="var(--good)" isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}
