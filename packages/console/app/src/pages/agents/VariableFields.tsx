/** Values for the agent's placeholders. Those with a default may stay empty. */
import { TextField } from "../../ui/Form.tsx"
import type { FullAgent } from "./AgentDraft.ts"

export interface VariableFieldsProps {
  readonly agent: FullAgent
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Readonly<Record<string, string>>) => void
}

/** Without the empty ones, so that defaults apply. */
export const valuesOf = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""))

export const VariableFields = ({ agent, onChange, values }: VariableFieldsProps) => (
  <>
    {agent.variables.filter(({ key }) => !key.startsWith("contact.")).map(({ default: value, key, required }) => (
      <TextField
        key={key}
        name={`variables.${key}`}
        label={key}
        isRequired={required}
        {...(value !== undefined && { placeholder: value })}
        value={values[key] ?? ""}
        onChange={(text) => onChange({ ...values, [key]: text })}
      />
    ))}
  </>
)
