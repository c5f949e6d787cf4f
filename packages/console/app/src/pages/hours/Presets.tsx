/** The rules of countries and states, to compare with and to start from. What taking one would change is shown before. */
import { useAccountQuery } from "../../data/Account.ts"
import type { Policy, Preset, Presets as PresetList } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { useServerText } from "../../texts/ServerText.ts"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { Select } from "../../ui/Select.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { agentsWithRules, type Document, presetFields, replacedBy } from "./PolicyDraft.ts"
import { EffectFacts, usePreview } from "./PolicyEffect.tsx"
import { useRuleText } from "./RuleText.ts"

export interface PresetsProps {
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
  readonly document: Document
  readonly defaults: Policy
  /** The document with the rules of both; absent until the server has said it. */
  readonly narrowed: Document | undefined
  /** Absent for roles that may not change the rules. */
  readonly onApply: ((document: Document) => void) | undefined
}

export const Presets = (props: PresetsProps) => {
  const { hours: texts } = useTexts()
  const translated = useServerText()
  const query = useAccountQuery<PresetList>("policy", "policy/presets", { staleTime: Infinity })
  return (
    <Card title={texts.preset.title}>
      <Loaded query={query}>
        {({ data, disclaimer }) => {
          const preset = data.find(({ id }) => id === props.chosen)
          return (
            <>
              <p className="small muted">{translated(disclaimer)}</p>
              <Select
                label={texts.preset.choose}
                placeholder={texts.preset.placeholder}
                options={data.map(({ id, title }) => ({ id, label: translated(title) }))}
                value={props.chosen ?? null}
                onChange={props.onChoose}
              />
              {preset !== undefined && (
                <>
                  <Comparison preset={preset} {...props} />
                  <About preset={preset} />
                </>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

/** The rules that a preset is about: as they are, those of the preset, and both together. */
const Comparison = (
  { defaults, document, narrowed, onApply, preset: { policy } }: PresetsProps & { readonly preset: Preset }
) => {
  const { hours: texts } = useTexts()
  const textOf = useRuleText()
  const { data } = usePreview(narrowed)
  const now = { ...defaults, ...document }
  const agents = agentsWithRules(document).length
  const apply = (document: Document) => {
    onApply?.(document)
    toast(texts.preset.applied)
  }
  return (
    <>
      <PlainTable
        label={texts.preset.title}
        rows={presetFields}
        keyOf={(field) => field}
        columns={[
          { id: "rule", title: texts.preset.rule, isRowHeader: true, cell: (field) => texts.preset.fields[field] },
          { id: "now", title: texts.preset.yours, cell: (field) => lines(textOf(field, now[field])) },
          { id: "preset", title: texts.preset.its, cell: (field) => lines(textOf(field, policy[field])) },
          {
            id: "both",
            title: texts.preset.both,
            cell: (field) => narrowed === undefined ? "…" : lines(textOf(field, { ...defaults, ...narrowed }[field]))
          }
        ]}
      />
      {data?.effect !== undefined && data.effect !== null && (
        <div className="stack tight">
          <h3>{texts.preset.effect}</h3>
          <EffectFacts effect={data.effect} />
        </div>
      )}
      {onApply !== undefined && (
        <>
          <p className="small muted">{texts.preset.what}</p>
          {agents > 0 && <p className="small muted">{texts.preset.agents(agents)}</p>}
          <div className="row">
            <Button isDisabled={narrowed === undefined} onPress={() => narrowed !== undefined && apply(narrowed)}>
              {texts.preset.narrow}
            </Button>
            <Button tone="quiet" onPress={() => apply(replacedBy(document, policy))}>{texts.preset.replace}</Button>
          </div>
        </>
      )}
    </>
  )
}

const lines = (text: string) => <div className="lines">{text}</div>

const About = ({ preset: { as_of, confidence, holidays, notes, sources } }: { readonly preset: Preset }) => {
  const { hours: texts } = useTexts()
  const translated = useServerText()
  return (
    <Facts
      facts={[
        [texts.preset.confidence, texts.preset.confidences[confidence]],
        [texts.preset.holidays, holidays !== undefined && translated(holidays)],
        [texts.preset.notes, notes.length > 0 && <Lines key="notes" lines={notes.map(translated)} />],
        [texts.preset.sources(as_of), <Lines key="sources" lines={sources.map(translated)} />]
      ]}
    />
  )
}

const Lines = ({ lines }: { readonly lines: ReadonlyArray<string> }) => (
  <ul className="warnings small">
    {lines.map((line) => (
      <li key={line}>
        <Foreign text={line} />
      </li>
    ))}
  </ul>
)
