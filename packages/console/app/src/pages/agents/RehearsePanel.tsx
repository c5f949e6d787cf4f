/** Rehearses the agent against simulated contacts, and shows the report. */
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { Button as AriaButton, Disclosure, DisclosurePanel, Heading } from "react-aria-components"
import { accountPath, useAccountId, useAccountQuery } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import type { Persona, RehearsalReport } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { useServerText } from "../../texts/ServerText.ts"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Checkbox, Form, TextField } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { Badge, StatusBadge } from "../../ui/StatusBadge.tsx"
import { chosenAgent, type TalkPanelProps } from "./TalkPanel.tsx"
import { valuesOf, VariableFields } from "./VariableFields.tsx"

export const RehearsePanel = (props: TalkPanelProps) => {
  const query = useAccountQuery<{ readonly data: ReadonlyArray<Persona> }>("agents", "personas", {
    staleTime: Infinity
  })
  return <Loaded query={query}>{({ data }) => <Rehearsal {...props} personas={data} />}</Loaded>
}

/** The primary subtag; English when the agent names none. */
const languageOf = (language: string | undefined): string => (language ?? "en").split("-")[0]?.toLowerCase() ?? "en"

const Rehearsal = (
  { agent, definition, personas }: TalkPanelProps & { readonly personas: ReadonlyArray<Persona> }
) => {
  const account = useAccountId()
  const { agents: texts } = useTexts()
  const offered = personas.filter(({ language }) => language === languageOf(agent.language))
  const listed = offered.length === 0 ? personas : offered
  const [chosen, setChosen] = useState<ReadonlyArray<string>>(() => listed.map(({ name }) => name))
  const [runs, setRuns] = useState("")
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const rehearse = useMutation({
    mutationFn: () =>
      request<RehearsalReport>(accountPath(account, "rehearsals"), {
        method: "POST",
        body: {
          ...chosenAgent({ agent, definition }),
          personas: chosen,
          variables: valuesOf(values),
          ...(runs.trim() !== "" && { runs: Number.isNaN(Number(runs)) ? runs : Number(runs) })
        }
      })
  })
  return (
    <div className="stack">
      <Card title={texts.rehearse.title}>
        <p className="muted">{definition === undefined ? texts.rehearse.intro : texts.rehearse.introUnsaved}</p>
        <Form
          onSubmit={() => rehearse.mutate()}
          error={rehearse.error}
          fields={["runs", ...agent.variables.map(({ key }) => `variables.${key}`)]}
          actions={
            <Button type="submit" tone="primary" isPending={rehearse.isPending} isDisabled={chosen.length === 0}>
              {texts.rehearse.start}
            </Button>
          }
        >
          <div className="field" role="group" aria-label={texts.rehearse.personas}>
            <span className="field-label">{texts.rehearse.personas}</span>
            <div className="persona-list">
              {listed.map(({ description, name }) => (
                <Checkbox
                  key={name}
                  isSelected={chosen.includes(name)}
                  onChange={(isChosen) =>
                    setChosen(isChosen ? [...chosen, name] : chosen.filter((other) => other !== name))}
                >
                  <Foreign text={name} />
                  {description !== null && (
                    <span className="persona-text small muted">
                      <Foreign text={description} />
                    </span>
                  )}
                </Checkbox>
              ))}
            </div>
          </div>
          <div className="two-columns">
            <VariableFields agent={agent} values={values} onChange={setValues} />
            <TextField
              name="runs"
              label={texts.rehearse.runs}
              description={texts.rehearse.runsHelp}
              inputMode="numeric"
              value={runs}
              onChange={setRuns}
            />
          </div>
        </Form>
        {rehearse.isPending && <Notice>{texts.rehearse.running}</Notice>}
      </Card>
      {rehearse.data !== undefined && !rehearse.isPending && <Report report={rehearse.data} />}
    </div>
  )
}

const Report = ({ report }: { readonly report: RehearsalReport }) => {
  const { agents: texts } = useTexts()
  const format = useFormat()
  const seconds = (milliseconds: number) => `${format.number(Math.round(milliseconds / 100) / 10)} s`
  return (
    <Card title={texts.rehearse.report}>
      <Notice tone={report.passed ? "good" : "bad"}>
        {report.passed ? texts.rehearse.passed : texts.rehearse.notPassed}
      </Notice>
      <Facts
        facts={[
          ...report.musts.map(({ kept, must, of }) =>
            [texts.rehearse.musts[must], texts.rehearse.of(kept, of)] as const
          ),
          [texts.rehearse.expected, texts.rehearse.of(report.expected.met, report.expected.of)],
          ...report.answers.map(({ count, verdict }) =>
            [texts.rehearse.answers(texts.rehearse.verdicts[verdict]), format.number(count)] as const
          ),
          [
            texts.rehearse.turns,
            `${format.number(report.turns.median)} / ${format.number(report.turns.most)}`
          ],
          [
            texts.rehearse.duration,
            `${seconds(report.duration_ms.median)} / ${seconds(report.duration_ms.longest)}`
          ],
          [
            texts.rehearse.latency,
            report.latency_ms !== undefined && `${seconds(report.latency_ms.p50)} / ${seconds(report.latency_ms.p95)}`
          ],
          [texts.rehearse.seed, report.seed]
        ]}
      />
      <div className="stack tight">
        {report.runs.map((run) => <RunOf key={run.number} run={run} />)}
      </div>
    </Card>
  )
}

type Run = RehearsalReport["runs"][number]

const RunOf = ({ run }: { readonly run: Run }) => {
  const { agents: texts } = useTexts()
  const translated = useServerText()
  return (
    <Disclosure className="run">
      <Heading level={3}>
        <AriaButton slot="trigger" className="run-trigger">
          <Icon name="down" size={14} />
          <span className="numeric">{run.number}</span>
          <Foreign isLine text={run.persona} />
          <StatusBadge status={run.status} />
          {run.disposition !== null && <Foreign isLine text={run.disposition} />}
          {run.failures.length > 0 && (
            <Badge tone="bad" icon="cross">{texts.rehearse.failures(run.failures.length)}</Badge>
          )}
        </AriaButton>
      </Heading>
      <DisclosurePanel>
        {run.failures.map(({ message }, index) => (
          <Notice key={index} tone="bad">
            <Foreign text={translated(message)} />
          </Notice>
        ))}
        {run.answers.length > 0 && (
          <PlainTable
            label={texts.rehearse.answersOf(run.number)}
            rows={run.answers}
            keyOf={({ question }) => question}
            columns={[
              {
                id: "question",
                title: texts.rehearse.question,
                isRowHeader: true,
                cell: ({ question }) => <Foreign text={question} />
              },
              { id: "said", title: texts.rehearse.said, cell: ({ said }) => <Foreign text={said ?? "–"} /> },
              {
                id: "recorded",
                title: texts.rehearse.recorded,
                cell: ({ recorded }) => <Foreign text={recorded ?? "–"} />
              },
              {
                id: "verdict",
                title: texts.rehearse.verdict,
                isBeside: true,
                isNarrow: true,
                cell: ({ verdict }) => texts.rehearse.verdicts[verdict]
              }
            ]}
          />
        )}
        <ol className="talk">
          {run.transcript.map(({ speaker, text }, index) => (
            <li key={index} className={speaker}>
              <span className="small muted">{texts.rehearse.speakers[speaker]}</span>
              <Foreign text={text} />
            </li>
          ))}
        </ol>
      </DisclosurePanel>
    </Disclosure>
  )
}
