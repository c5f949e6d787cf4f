/** Two versions of an agent side by side, line by line. */
import { useState } from "react"
import { useAccountQuery } from "../../data/Account.ts"
import type { AgentContent, AgentVersion, ListedVersion } from "../../data/Wire.ts"
import { type Format, useFormat } from "../../texts/Format.ts"
import { type Texts, useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Select } from "../../ui/Select.tsx"
import { draftOf, type FullAgent } from "./AgentDraft.ts"
import { diffLines, type DiffRow } from "./LineDiff.ts"

export interface VersionsPanelProps {
  readonly agent: FullAgent
  /** Continues with the content of an earlier version. */
  readonly onEdit: (content: AgentContent) => void
}

interface Versions {
  readonly data: ReadonlyArray<ListedVersion>
}

export const VersionsPanel = ({ agent, onEdit }: VersionsPanelProps) => {
  const query = useAccountQuery<Versions>("agents", `agents/${encodeURIComponent(agent.id)}/versions`)
  return <Loaded query={query}>{({ data }) => <Comparison agent={agent} versions={data} onEdit={onEdit} />}</Loaded>
}

const Comparison = (
  { agent, onEdit, versions }: VersionsPanelProps & { readonly versions: ReadonlyArray<ListedVersion> }
) => {
  const { agents: texts } = useTexts()
  const format = useFormat()
  const [latest, previous] = versions
  const [chosenLeft, setLeft] = useState<string>()
  const [chosenRight, setRight] = useState<string>()
  if (latest === undefined || previous === undefined) return <Notice>{texts.versions.onlyOne}</Notice>
  const left = chosenLeft ?? String(previous.version)
  const right = chosenRight ?? String(latest.version)
  const options = versions.map((version) => ({
    id: String(version.version),
    label: versionLabel(version, texts, format)
  }))
  return (
    <Card title={texts.versions.title}>
      <div className="two-columns">
        <Select label={texts.versions.left} options={options} value={left} onChange={setLeft} />
        <Select label={texts.versions.right} options={options} value={right} onChange={setRight} />
      </div>
      <Difference key={`${left} ${right}`} agent={agent} left={left} right={right} onEdit={onEdit} />
    </Card>
  )
}

type AgentTexts = Texts["agents"]

const versionLabel = ({ created_at, version }: ListedVersion, texts: AgentTexts, format: Format): string =>
  `${texts.versions.number(version)} · ${format.dateTime(new Date(created_at))}`

const Difference = (
  { agent, left, onEdit, right }: VersionsPanelProps & { readonly left: string; readonly right: string }
) => {
  const { agents: texts } = useTexts()
  const path = `agents/${encodeURIComponent(agent.id)}/versions`
  const one = useAccountQuery<AgentVersion>("agents", `${path}/${left}`, { staleTime: Infinity })
  const other = useAccountQuery<AgentVersion>("agents", `${path}/${right}`, { staleTime: Infinity })
  return (
    <Loaded query={one}>
      {({ content: before }) => (
        <Loaded query={other}>
          {({ content: after }) => (
            <>
              <div className="row">
                {[[left, before], [right, after]].map(([version, content], side) => (
                  <Button
                    key={side}
                    isCompact
                    onPress={() => onEdit(content as AgentContent)} /* the second of each pair */
                  >
                    {texts.versions.edit(Number(version))}
                  </Button>
                ))}
              </div>
              <DiffTable
                rows={diffLines(linesOf(before, texts), linesOf(after, texts))}
                left={texts.versions.number(Number(left))}
                right={texts.versions.number(Number(right))}
              />
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  )
}

/** The content as lines: the name of each field, then what it has. */
const linesOf = (content: AgentContent, texts: AgentTexts): ReadonlyArray<string> => {
  const draft = draftOf(content)
  const transfers = draft.transfer_numbers.map(({ name, number }) => `${name}: ${number}`)
  const defaults = Object.entries(draft.defaults).map(([key, value]) => `{{${key}}}: ${value}`)
  const parts: ReadonlyArray<readonly [string, string | ReadonlyArray<string>]> = [
    [texts.fields.name, draft.name],
    [texts.fields.language, draft.language],
    [texts.fields.first_message, draft.first_message],
    [texts.fields.script, draft.script],
    [texts.variables.title, defaults],
    [texts.fields.disclosure, draft.disclosure],
    [texts.fields.questions, draft.questions],
    [texts.fields.dispositions, draft.dispositions],
    [texts.fields.voicemail, texts.voicemail[draft.voicemail]],
    [texts.fields.voicemail_message, draft.voicemail_message],
    [texts.fields.max_duration_seconds, draft.max_duration_seconds],
    [texts.fields.silence_seconds, draft.silence_seconds],
    [texts.fields.interruptible, draft.interruptible ? texts.yes : texts.no],
    [texts.fields.end_phrases, draft.end_phrases],
    [texts.fields.caller_id, draft.caller_id],
    [texts.fields.model, draft.model],
    [texts.fields.voice, draft.voice],
    [texts.fields.tools, draft.tools],
    [texts.transfers.title, transfers]
  ]
  return parts.flatMap(([name, value]) => {
    const lines = typeof value === "string" ? value === "" ? [] : value.split("\n") : value
    return lines.length === 0 ? [] : [`${name}:`, ...lines.map((line) => `  ${line}`)]
  })
}

/** How many unchanged lines stand around a change. */
const context = 3

const DiffTable = (
  { left, right, rows }: { readonly rows: ReadonlyArray<DiffRow>; readonly left: string; readonly right: string }
) => {
  const { agents: texts } = useTexts()
  const isChanged = (row: DiffRow | undefined) => row !== undefined && row.left !== row.right
  const shown = rows.map((_, index) => rows.slice(Math.max(0, index - context), index + context + 1).some(isChanged))
  if (!rows.some(isChanged)) return <Notice>{texts.versions.same}</Notice>
  return (
    <div className="table-scroll">
      <table className="diff-table">
        <thead>
          <tr>
            <th scope="col">{left}</th>
            <th scope="col">{right}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => {
            if (!shown[index]) {
              return shown[index - 1] === true || index === 0
                ? (
                  <tr key={index} className="gap">
                    <td colSpan={2}>{texts.versions.unchanged}</td>
                  </tr>
                )
                : null
            }
            const changed = isChanged(row)
            return (
              <tr key={index}>
                <Line text={row.left} kind={changed ? "removed" : "same"} />
                <Line text={row.right} kind={changed ? "added" : "same"} />
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const Line = ({ kind, text }: { readonly text: string | undefined; readonly kind: "same" | "removed" | "added" }) => {
  const { agents: texts } = useTexts()
  if (text === undefined) return <td className="missing" />
  if (kind === "same") {
    return (
      <td>
        <Foreign text={text} />
      </td>
    )
  }
  const Marked = kind === "removed" ? "del" : "ins"
  return (
    <td className={kind}>
      <span aria-hidden="true">{kind === "removed" ? "− " : "+ "}</span>
      <span className="hidden-visually">{kind === "removed" ? texts.versions.removed : texts.versions.added}</span>
      <Marked>
        <Foreign text={text} />
      </Marked>
    </td>
  )
}
