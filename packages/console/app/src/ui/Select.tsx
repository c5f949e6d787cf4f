/** A choice of one option from a list, with a label. `isLabelHidden` where the place says it already; screen readers hear it all the same. */
import type { ReactNode } from "react"
import {
  Button as AriaButton,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue
} from "react-aria-components"
import { Icon } from "./Icon.tsx"

export interface Option<Value extends string> {
  readonly id: Value
  readonly label: string
  readonly description?: ReactNode
}

export interface SelectProps<Value extends string> {
  readonly label: string
  readonly isLabelHidden?: boolean
  readonly options: ReadonlyArray<Option<Value>>
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  readonly placeholder?: string
  readonly name?: string
  readonly isDisabled?: boolean
  readonly isRequired?: boolean
}

export const Select = <Value extends string>(props: SelectProps<Value>) => {
  const { isLabelHidden = false, label, onChange, options, placeholder, value, ...rest } = props
  return (
    <AriaSelect
      {...rest}
      {...(placeholder !== undefined && { placeholder })}
      className="field"
      value={value}
      onChange={(key) => onChange(key as Value)} // the ids of `options` are the keys
    >
      <Label className={isLabelHidden ? "hidden-visually" : "field-label"}>{label}</Label>
      <AriaButton className="select-button">
        <SelectValue />
        <Icon name="down" size={14} />
      </AriaButton>
      <FieldError className="field-error" />
      <Popover className="popover">
        <ListBox className="list-box" items={options}>
          {(option) => <ListBoxItem id={option.id} textValue={option.label}>{option.label}</ListBoxItem>}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}

export interface MultiSelectProps<Value extends string> extends Omit<SelectProps<Value>, "value" | "onChange"> {
  readonly value: ReadonlyArray<Value>
  readonly onChange: (value: ReadonlyArray<Value>) => void
}

/** A choice of several options. Without any, the placeholder is shown. */
export const MultiSelect = <Value extends string>(props: MultiSelectProps<Value>) => {
  const { isLabelHidden = false, label, onChange, options, placeholder, value, ...rest } = props
  return (
    <AriaSelect
      {...rest}
      {...(placeholder !== undefined && { placeholder })}
      selectionMode="multiple"
      className="field"
      value={value}
      onChange={(keys) => onChange(options.map(({ id }) => id).filter((id) => keys.includes(id)))}
    >
      <Label className={isLabelHidden ? "hidden-visually" : "field-label"}>{label}</Label>
      <AriaButton className="select-button">
        <SelectValue />
        <Icon name="down" size={14} />
      </AriaButton>
      <Popover className="popover">
        <ListBox className="list-box" items={options}>
          {(option) => <ListBoxItem id={option.id} textValue={option.label}>{option.label}</ListBoxItem>}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
