/** The rules of countries and states, to compare with and to start from. */
import { useAccountQuery } from "../../data/Account.ts"
import type { Preset, Presets as PresetList } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Select } from "../../ui/Select.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { type Document, withPreset } from "./PolicyDraft.ts"

export interface PresetsProps {
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
  readonly document: Document
  /** Absent for roles that may not change the rules. */
  readonly onApply: ((document: Document) => void) | undefined
}

export const Presets = (props: PresetsProps) => {
  const { hours: texts } = useTexts()
  const query = useAccountQuery<PresetList>("policy", "policy/presets", { staleTime: Infinity })
  return (
    <Card title={texts.preset.title}>
      <Loaded query={query}>
        {({ data, disclaimer }) => (
          <>
            <p className="small muted">{disclaimer}</p>
            <Select
              label={texts.preset.choose}
              placeholder={texts.preset.placeholder}
              options={data.map(({ id, title }) => ({ id, label: title }))}
              value={props.chosen ?? null}
              onChange={props.onChoose}
            />
            <Chosen preset={data.find(({ id }) => id === props.chosen)} {...props} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

const Chosen = ({ document, onApply, preset }: PresetsProps & { readonly preset: Preset | undefined }) => {
  const { hours: texts } = useTexts()
  if (preset === undefined) return null
  const { as_of, confidence, holidays, notes, policy, sources } = preset
  const apply = () => {
    onApply?.(withPreset(document, policy))
    toast(texts.preset.applied)
  }
  return (
    <>
      <Facts
        facts={[
          [texts.preset.confidence, texts.preset.confidences[confidence]],
          [texts.preset.holidays, holidays !== undefined && holidays],
          [
            texts.preset.notes,
            notes.length > 0 && (
              <ul key="notes" className="warnings">
                {notes.map((note) => (
                  <li key={note}>
                    <Foreign text={note} />
                  </li>
                ))}
              </ul>
            )
          ],
          [
            texts.preset.sources(as_of),
            <ul key="sources" className="warnings small">
              {sources.map((source) => (
                <li key={source}>
                  <Foreign text={source} />
                </li>
              ))}
            </ul>
          ]
        ]}
      />
      {onApply !== undefined && (
        <div>
          <Button onPress={apply}>{texts.preset.apply}</Button>
        </div>
      )}
    </>
  )
}
