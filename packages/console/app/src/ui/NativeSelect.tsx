/**
 * A choice of one option with the browser's own widget, for the frame of the page: React Aria's `Select` would be a quarter of what is loaded first.
 * In forms and filters use `Select`. The label is heard, not shown.
 */

export interface NativeSelectProps<Value extends string> {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly id: Value; readonly label: string }>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

export const NativeSelect = <Value extends string>({ label, onChange, options, value }: NativeSelectProps<Value>) => (
  <select
    className="native-select"
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value as Value)} // one of `options`
  >
    {options.map((option) => <option key={option.id} value={option.id}>{option.label}</option>)}
  </select>
)
