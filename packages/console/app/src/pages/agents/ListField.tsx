/** A list of short texts: a field for each, buttons to remove one and to add one. Problems of the server appear at the entry. */
import { useEffect, useId, useRef } from "react"
import { FieldError, Input, TextField as AriaTextField } from "react-aria-components"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"

export interface ListFieldProps {
  readonly label: string
  readonly addLabel: string
  /** Names an entry: `Question 2`. */
  readonly entryLabel: (place: number) => string
  readonly description?: string
  /** The name of an entry's field is `NAME.0`. */
  readonly name: string
  readonly items: ReadonlyArray<string>
  readonly onChange: (items: ReadonlyArray<string>) => void
}

export const ListField = ({ addLabel, description, entryLabel, items, label, name, onChange }: ListFieldProps) => {
  const { agents: texts } = useTexts()
  const id = useId()
  const group = useRef<HTMLDivElement>(null)
  const added = useRef(false)
  useEffect(() => {
    if (!added.current) return
    added.current = false
    const inputs = group.current?.querySelectorAll<HTMLInputElement>(".list-entry input")
    inputs?.[inputs.length - 1]?.focus()
  }, [items.length])
  const add = () => {
    added.current = true
    onChange([...items, ""])
  }
  return (
    <div className="field" role="group" aria-labelledby={id} ref={group}>
      <span className="field-label" id={id}>{label}</span>
      {description !== undefined && <span className="description">{description}</span>}
      {items.map((item, index) => (
        <div key={index} className="list-entry">
          <AriaTextField
            className="field"
            name={`${name}.${index}`}
            aria-label={entryLabel(index + 1)}
            value={item}
            onChange={(text) => onChange(items.map((other, place) => place === index ? text : other))}
          >
            <Input className="input" dir="auto" />
            <FieldError className="field-error" />
          </AriaTextField>
          <Button
            tone="quiet"
            aria-label={texts.remove(entryLabel(index + 1))}
            onPress={() => {
              onChange(items.filter((_, place) => place !== index))
              group.current?.querySelector<HTMLButtonElement>(".list-add button")?.focus()
            }}
          >
            <Icon name="close" size={14} />
          </Button>
        </div>
      ))}
      <div className="list-add">
        <Button isCompact onPress={add}>{addLabel}</Button>
      </div>
    </div>
  )
}
