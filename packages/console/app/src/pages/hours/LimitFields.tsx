/** The other limits of a policy as a form. An empty field has the default, which stands in it in grey. */
import { type HTMLAttributes, useState } from "react"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Checkbox, TextField } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { type Document, type TextField as TextFieldName, type TextForm, textForms } from "./PolicyDraft.ts"

export interface LimitFieldsProps {
  readonly document: Document
  readonly defaults: Document
  readonly isReadOnly: boolean
  /** Undefined leaves the field out. */
  readonly onChange: (field: string, value: unknown) => void
}

const mostLimits = 10

const agentFields = ["recall_gap_seconds", "excluded_dates"] as const

const prefixOf = (agent: string): string => `agents.${agent}.`

/** The fields that show a problem of the server. Those of limits are named by their place. */
export const limitFieldNames = (agent: string | undefined): ReadonlyArray<string> =>
  agent === undefined ? accountFieldNames : agentFields.map((field) => `${prefixOf(agent)}${field}`)

const accountFieldNames: ReadonlyArray<string> = [
  ...Object.keys(textForms),
  ...Array.from(
    { length: mostLimits },
    (_, index) => [`number_limits.${index}.max`, `number_limits.${index}.window_seconds`]
  )
    .flat(),
  "retention.call_days",
  "retention.transcript_days"
]

export const LimitFields = (props: LimitFieldsProps) => {
  const { hours: texts } = useTexts()
  const { defaults, document, isReadOnly, onChange } = props
  const isStrict = document["require_valid_numbers"] ?? defaults["require_valid_numbers"] ?? false
  return (
    <>
      <Card title={texts.limits}>
        <div className="two-columns">
          <Field name="recall_gap_seconds" {...props} />
          <Field name="daily_limit" inputMode="numeric" {...props} />
          <Field name="calls_per_second" inputMode="numeric" {...props} />
          <Field name="time_zone" {...props} />
          <Field name="fallback_time_zone" {...props} />
          <Field name="excluded_dates" rows={4} {...props} />
        </div>
        <NumberLimits {...props} />
      </Card>
      <Card title={texts.require}>
        <div className="two-columns">
          <Field name="default_country" {...props} />
          <Field name="allowed_countries" {...props} />
        </div>
        <Checkbox
          isSelected={isStrict === true}
          isDisabled={isReadOnly}
          onChange={(isStrict) => onChange("require_valid_numbers", isStrict)}
        >
          {texts.fields.require_valid_numbers}
        </Checkbox>
      </Card>
      <Retention {...props} />
    </>
  )
}

/** Limits of one agent, beside its hours. An empty field has what the account has. */
export const AgentLimitFields = ({ agent, ...props }: LimitFieldsProps & { readonly agent: string }) => {
  const { hours: texts } = useTexts()
  return (
    <Card title={texts.limits}>
      <p className="muted">{texts.agent.limits}</p>
      <div className="two-columns">
        {agentFields.map((name) => (
          <Field
            key={name}
            name={name}
            prefix={prefixOf(agent)}
            {...(name === "excluded_dates" && { rows: 4 })}
            {...props}
          />
        ))}
      </div>
    </Card>
  )
}

interface FieldProps extends LimitFieldsProps {
  readonly name: TextFieldName
  /** Of the name in the form. */
  readonly prefix?: string
  readonly rows?: number
  readonly inputMode?: NonNullable<HTMLAttributes<HTMLInputElement>["inputMode"]>
}

const Field = ({ defaults, document, inputMode, isReadOnly, name, onChange, prefix = "", rows }: FieldProps) => {
  const { hours: texts } = useTexts()
  const form: TextForm = textForms[name]
  return (
    <WrittenField
      name={`${prefix}${name}`}
      label={texts.fields[name]}
      description={texts.help[name]}
      placeholder={form.show(defaults[name])}
      value={document[name]}
      isReadOnly={isReadOnly}
      {...form}
      onChange={(value) => onChange(name, value)}
      {...(rows !== undefined && { rows })}
      {...(inputMode !== undefined && { inputMode })}
    />
  )
}

interface WrittenFieldProps extends TextForm {
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly placeholder?: string
  readonly rows?: number
  readonly inputMode?: NonNullable<HTMLAttributes<HTMLInputElement>["inputMode"]>
  /** In the document. */
  readonly value: unknown
  readonly isReadOnly: boolean
  readonly onChange: (value: unknown) => void
}

/** Shows the text as it is typed, such as `240 min`, as long as it means what the document has; else what the document has. */
const WrittenField = ({ onChange, read, show, value, ...props }: WrittenFieldProps) => {
  const [typed, setTyped] = useState<string>()
  const meaning = (text: string) => text.trim() === "" ? undefined : read(text)
  const isCurrent = typed !== undefined && JSON.stringify(meaning(typed) ?? "") === JSON.stringify(value ?? "")
  const change = (text: string) => {
    setTyped(text)
    onChange(meaning(text))
  }
  return <TextField {...props} value={isCurrent ? typed : show(value)} onChange={change} />
}

interface NumberLimit {
  readonly max: unknown
  readonly window_seconds: unknown
}

const NumberLimits = ({ defaults, document, isReadOnly, onChange }: LimitFieldsProps) => {
  const { hours: texts } = useTexts()
  const limits = (document["number_limits"] ?? defaults["number_limits"] ?? []) as ReadonlyArray<NumberLimit> // as the server checks it
  const change = (next: ReadonlyArray<NumberLimit>) => onChange("number_limits", next)
  const set = (index: number, part: Partial<NumberLimit>) =>
    change(limits.map((other, place) => place === index ? { ...other, ...part } : other))
  return (
    <div className="field" role="group" aria-label={texts.limit.title}>
      <span className="field-label">{texts.limit.title}</span>
      <span className="description">{texts.limit.help}</span>
      {limits.map(({ max, window_seconds }, index) => (
        <div key={index} className="entry-pair">
          <WrittenField
            name={`number_limits.${index}.max`}
            label={texts.limit.max(index + 1)}
            inputMode="numeric"
            value={max}
            isReadOnly={isReadOnly}
            {...textForms.daily_limit}
            onChange={(max) => set(index, { max: max ?? "" })}
          />
          <WrittenField
            name={`number_limits.${index}.window_seconds`}
            label={texts.limit.window(index + 1)}
            value={window_seconds}
            isReadOnly={isReadOnly}
            {...textForms.recall_gap_seconds}
            onChange={(window_seconds) => set(index, { window_seconds: window_seconds ?? "" })}
          />
          {!isReadOnly && (
            <Button
              tone="quiet"
              aria-label={texts.limit.remove(index + 1)}
              onPress={() => change(limits.filter((_, place) => place !== index))}
            >
              <Icon name="close" size={14} />
            </Button>
          )}
        </div>
      ))}
      {!isReadOnly && limits.length < mostLimits && (
        <div>
          <Button isCompact onPress={() => change([...limits, { max: 3, window_seconds: 86_400 }])}>{texts.add}</Button>
        </div>
      )}
    </div>
  )
}

const Retention = ({ document, isReadOnly, onChange }: LimitFieldsProps) => {
  const { hours: texts } = useTexts()
  const retention = (document["retention"] ?? {}) as Readonly<Record<string, unknown>> // as the server checks it
  const set = (key: string, value: unknown) => {
    const { [key]: _, ...others } = retention
    const next = value === undefined ? others : { ...others, [key]: value }
    onChange("retention", Object.keys(next).length === 0 ? undefined : next)
  }
  return (
    <Card title={texts.retention.title}>
      <div className="two-columns">
        {(["call_days", "transcript_days"] as const).map((key) => (
          <WrittenField
            key={key}
            name={`retention.${key}`}
            label={texts.retention[key]}
            description={texts.retention.help}
            inputMode="numeric"
            value={retention[key]}
            isReadOnly={isReadOnly}
            {...textForms.daily_limit}
            onChange={(value) => set(key, value)}
          />
        ))}
      </div>
    </Card>
  )
}
