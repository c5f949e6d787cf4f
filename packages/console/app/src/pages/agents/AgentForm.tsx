/** The form of an agent. It is checked on the server while the viewer types; problems appear at their fields. */
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useMemo } from "react"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import { ApiError } from "../../data/ApiError.ts"
import { useSettled } from "../../data/Settled.ts"
import type { AgentCheck } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Checkbox, Form, TextField } from "../../ui/Form.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Select } from "../../ui/Select.tsx"
import {
  type AgentDraft,
  definitionOf,
  fieldOf,
  type TransferNumber,
  variablesOf,
  type VoicemailChoice
} from "./AgentDraft.ts"
import { ListField } from "./ListField.tsx"

export interface AgentFormProps {
  readonly draft: AgentDraft
  readonly onChange: (draft: AgentDraft) => void
  readonly onSave: () => void
  /** The last attempt to save. */
  readonly failure: { readonly error: unknown; readonly sent: AgentDraft } | undefined
  readonly actions: ReactNode
}

const checkDelay = 400

/** What the server says of the draft while it is written, and of which draft. Not asked for an untouched new agent. */
const useCheck = (draft: AgentDraft, isEnabled: boolean) => {
  const account = useAccountId()
  const settled = useSettled(draft, checkDelay)
  const { data } = useQuery({
    queryKey: [account, "agents", "check", settled],
    queryFn: async ({ signal }) => ({
      check: await request<AgentCheck>(accountPath(account, "agents/check"), {
        method: "POST",
        body: { definition: definitionOf(settled) },
        signal
      }),
      checked: settled
    }),
    enabled: isEnabled,
    gcTime: 10_000,
    staleTime: Infinity,
    // The answer of the last draft stays until the next one comes.
    placeholderData: (last) => last
  })
  return data
}

/** Problems of a check or of an attempt to save, at the fields of the form. */
const problemsAt = (
  problems: ReadonlyArray<{ readonly path: string; readonly message: string }>,
  draft: AgentDraft
): ApiError | undefined =>
  problems.length === 0 ? undefined : new ApiError(400, {
    code: "invalid_request",
    message: problems.map(({ message, path }) => `${path.slice(1)}: ${message}`).join("\n"),
    errors: problems.map(({ message, path }) => ({ param: `/${fieldOf(path, draft).replaceAll(".", "/")}`, message }))
  })

export const AgentForm = ({ actions, draft, failure, onChange, onSave }: AgentFormProps) => {
  const { agents: texts } = useTexts()
  const answer = useCheck(draft, draft.name !== "" && draft.script !== "")
  const problems = useMemo(
    () => answer === undefined ? undefined : problemsAt(answer.check.problems, answer.checked),
    [answer]
  )
  const saveError = useMemo(() => {
    if (!(failure?.error instanceof ApiError) || failure.error.problems.length === 0) return failure?.error
    return problemsAt(failure.error.problems.map(({ message, param }) => ({ path: param, message })), failure.sent)
  }, [failure])
  const set = <Key extends keyof AgentDraft>(key: Key) => (value: AgentDraft[Key]) =>
    onChange({ ...draft, [key]: value })
  const text = (key: TextKey, rows?: number) => (
    <TextField
      name={key}
      label={texts.fields[key]}
      description={texts.help[key]}
      value={draft[key]}
      onChange={set(key)}
      {...(rows !== undefined && { rows })}
    />
  )
  const list = (key: "questions" | "dispositions" | "end_phrases" | "tools") => (
    <ListField
      name={key}
      label={texts.fields[key]}
      description={texts.help[key]}
      addLabel={texts.add[key]}
      entryLabel={texts.entries[key]}
      items={draft[key]}
      onChange={set(key)}
    />
  )
  return (
    <Form isLong onSubmit={onSave} error={saveError ?? problems} fields={fieldNames(draft)} actions={actions}>
      <Card title={texts.parts.conversation}>
        <div className="two-columns">
          {text("name")}
          {text("language")}
        </div>
        {text("first_message", 2)}
        {text("script", 14)}
        <Variables draft={draft} onChange={set("defaults")} />
        {text("disclosure", 2)}
      </Card>
      <Card title={texts.parts.result}>
        <div className="two-columns">
          {list("questions")}
          {list("dispositions")}
        </div>
      </Card>
      <Card title={texts.parts.voicemail}>
        <Select<VoicemailChoice>
          name="voicemail"
          label={texts.fields.voicemail}
          options={(["default", "leave_message", "hang_up"] as const).map((id) => ({ id, label: texts.voicemail[id] }))}
          value={draft.voicemail}
          onChange={set("voicemail")}
        />
        {text("voicemail_message", 3)}
      </Card>
      <Card title={texts.parts.behaviour}>
        <div className="two-columns">
          {text("max_duration_seconds")}
          {text("silence_seconds")}
        </div>
        <Checkbox isSelected={draft.interruptible} onChange={set("interruptible")}>
          {texts.fields.interruptible}
        </Checkbox>
        {list("end_phrases")}
      </Card>
      <Card title={texts.parts.technical}>
        <div className="two-columns">
          {text("caller_id")}
          {text("model")}
          {text("voice")}
        </div>
        {list("tools")}
        <Transfers numbers={draft.transfer_numbers} onChange={set("transfer_numbers")} />
      </Card>
    </Form>
  )
}

type TextKey =
  | "name"
  | "language"
  | "first_message"
  | "script"
  | "disclosure"
  | "voicemail_message"
  | "max_duration_seconds"
  | "silence_seconds"
  | "caller_id"
  | "model"
  | "voice"

/** All fields that can show a problem. */
const fieldNames = (draft: AgentDraft): ReadonlyArray<string> => [
  "name",
  "language",
  "first_message",
  "script",
  "disclosure",
  "voicemail",
  "voicemail_message",
  "max_duration_seconds",
  "silence_seconds",
  "caller_id",
  "model",
  "voice",
  ...(["questions", "dispositions", "end_phrases", "tools"] as const).flatMap((key) =>
    draft[key].map((_, index) => `${key}.${index}`)
  ),
  ...draft.transfer_numbers.flatMap((
    _,
    index
  ) => [`transfer_numbers.${index}.name`, `transfer_numbers.${index}.number`]),
  ...Object.keys(draft.defaults).map((key) => `defaults.${key}`)
]

/** The placeholders of the texts: a call must give a value, or there is a default. */
const Variables = (
  { draft, onChange }: { readonly draft: AgentDraft; readonly onChange: (defaults: AgentDraft["defaults"]) => void }
) => {
  const { agents: texts } = useTexts()
  const keys = variablesOf(draft)
  if (keys.length === 0) return null
  return (
    <div className="field" role="group" aria-label={texts.variables.title}>
      <span className="field-label">{texts.variables.title}</span>
      <span className="description">{texts.variables.help}</span>
      {keys.map((key) => {
        const value = draft.defaults[key]
        return (
          <div key={key} className="variable-entry">
            <code className="foreign">{`{{${key}}}`}</code>
            <Checkbox
              isSelected={value !== undefined}
              onChange={(isOptional) =>
                onChange(isOptional ? { ...draft.defaults, [key]: "" } : without(draft.defaults, key))}
            >
              {texts.variables.optional}
              <span className="hidden-visually">{key}</span>
            </Checkbox>
            {value !== undefined && (
              <TextField
                name={`defaults.${key}`}
                label={texts.variables.default(key)}
                value={value}
                onChange={(text) => onChange({ ...draft.defaults, [key]: text })}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}

const without = (record: Readonly<Record<string, string>>, key: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).filter(([other]) => other !== key))

const Transfers = (
  { numbers, onChange }: {
    readonly numbers: ReadonlyArray<TransferNumber>
    readonly onChange: (numbers: ReadonlyArray<TransferNumber>) => void
  }
) => {
  const { agents: texts } = useTexts()
  const set = (index: number, change: Partial<TransferNumber>) =>
    onChange(numbers.map((other, place) => place === index ? { ...other, ...change } : other))
  return (
    <div className="field" role="group" aria-label={texts.transfers.title}>
      <span className="field-label">{texts.transfers.title}</span>
      <span className="description">{texts.transfers.help}</span>
      {numbers.map(({ name, number }, index) => (
        <div key={index} className="entry-pair">
          <TextField
            name={`transfer_numbers.${index}.name`}
            label={texts.transfers.name(index + 1)}
            value={name}
            onChange={(name) => set(index, { name })}
          />
          <TextField
            name={`transfer_numbers.${index}.number`}
            label={texts.transfers.number(index + 1)}
            value={number}
            onChange={(number) => set(index, { number })}
          />
          <Button
            tone="quiet"
            aria-label={texts.remove(texts.transfers.name(index + 1))}
            onPress={() => onChange(numbers.filter((_, place) => place !== index))}
          >
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
      <div>
        <Button isCompact onPress={() => onChange([...numbers, { name: "", number: "" }])}>
          {texts.add.transfers}
        </Button>
      </div>
    </div>
  )
}
