/**
 * Forms. A field has a label, a description and its error; an error of the server appears at the field that it names: the field `contact.name` gets
 * the problem with `param` `/contact/name`. What names no field is shown above the buttons. After a submission the first wrong field is focused.
 */
import { createContext, type FormEvent, type ReactNode, use, useEffect, useMemo, useRef, useState } from "react"
import {
  Checkbox as AriaCheckbox,
  FieldError,
  Form as AriaForm,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps
} from "react-aria-components"
import { ApiError } from "../data/ApiError.ts"
import { useTexts } from "../texts/Language.tsx"
import { useServerText } from "../texts/ServerText.ts"
import { ErrorNotice, errorText } from "./ErrorNotice.tsx"
import { Foreign } from "./Foreign.tsx"
import { Icon } from "./Icon.tsx"

/** The problems of an error by the names of fields. */
export const problemsByField = (
  error: unknown,
  translated: (message: string) => string
): Readonly<Record<string, string>> =>
  error instanceof ApiError
    ? Object.fromEntries(error.problems.map(({ message, param }) => [fieldName(param), translated(message)]))
    : {}

/** `/contact/name` → `contact.name` */
const fieldName = (pointer: string): string =>
  pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~")).join(".")

export interface FormProps {
  readonly onSubmit: () => void
  /** The error of the last submission. */
  readonly error?: unknown
  /** The names of the fields in the form: their problems are not repeated at its end. */
  readonly fields?: ReadonlyArray<string>
  readonly children: ReactNode
  /** Whether it is longer than a window: its faults are told beside its buttons, which stay in view. */
  readonly isLong?: boolean
  /** Buttons. */
  readonly actions: ReactNode
}

export const Form = ({ actions, children, error, fields = [], isLong = false, onSubmit }: FormProps) => {
  const translated = useServerText()
  const problems = useMemo(() => problemsByField(error, translated), [error, translated])
  const isShownAtFields = Object.keys(problems).length > 0 &&
    Object.keys(problems).every((name) => fields.includes(name))
  const form = useRef<HTMLFormElement>(null)
  // Problems that are found while the viewer types must not move the focus.
  const isSubmitted = useRef(false)
  // What has been changed since: its problem goes while the viewer types. If it went when they leave the field, the button that they are about to
  // press would move away from the pointer.
  const [edited, setEdited] = useState({ problems, names: [] as ReadonlyArray<string> })
  const [submissions, setSubmissions] = useState(0)
  const names = edited.problems === problems ? edited.names : []
  const shown = useMemo(() => {
    const names = edited.problems === problems ? edited.names : []
    // A field forgets its problem when it is left; another object after a submission shows it again.
    return Object.fromEntries(Object.entries(problems).filter(([name]) => !names.includes(name)))
  }, [problems, edited, submissions])
  const faults = Object.keys(shown).length
  const hasError = error !== undefined && error !== null
  const edit = (name: string) => {
    isSubmitted.current = false
    if (Object.hasOwn(problems, name) && !names.includes(name)) setEdited({ problems, names: [...names, name] })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    isSubmitted.current = true
    setSubmissions(submissions + 1)
    if (faults > 0) showFault(form.current, Object.keys(shown))
    onSubmit()
  }
  useEffect(() => {
    if (!isSubmitted.current || Object.keys(problems).length === 0) return
    isSubmitted.current = false
    // The fields are marked in the next frame.
    const request = requestAnimationFrame(() => showFault(form.current, Object.keys(problems)))
    return () => cancelAnimationFrame(request)
  }, [problems])
  return (
    <EditedContext value={edit}>
      <AriaForm ref={form} className="form" validationErrors={shown} onSubmit={submit}>
        {children}
        {hasError && !isShownAtFields && (!isLong || faults > 0) && <ErrorNotice error={error} />}
        <div className="dialog-actions">
          {isLong && hasError && (faults > 0 || Object.keys(problems).length === 0) && (
            <Fault error={error} faults={faults} />
          )}
          {actions}
        </div>
      </AriaForm>
    </EditedContext>
  )
}

/** Moves to the first wrong field, or to what is wrong without a field. */
const showFault = (form: HTMLFormElement | null, names: ReadonlyArray<string>) => {
  const fields = [...form?.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea") ?? []]
  const field = form?.querySelector<HTMLElement>("[aria-invalid=true]") ??
    fields.find(({ name }) => names.includes(name))
  if (field) field.focus()
  else form?.querySelector(".notice.bad")?.scrollIntoView({ block: "center" })
}

/** What is wrong, in one line. */
const Fault = ({ error, faults }: { readonly error: unknown; readonly faults: number }) => {
  const texts = useTexts()
  const requestId = error instanceof ApiError ? error.requestId : undefined
  const text = faults > 0 ? texts.errors.faults(faults) : errorText(error, texts)
  return (
    <span className="form-fault" role="status">
      <Foreign text={text} />
      {faults === 0 && requestId !== undefined && (
        <span className="small muted">{texts.errors.requestId} {requestId}</span>
      )}
    </span>
  )
}

/** Called with the name of a field when it is changed. */
const EditedContext = createContext<(name: string) => void>(() => undefined)

export interface TextFieldProps extends Omit<AriaTextFieldProps, "className" | "style" | "children"> {
  readonly label: string
  readonly description?: ReactNode
  readonly placeholder?: string
  /** Several lines. */
  readonly rows?: number
}

export const TextField = ({ description, label, placeholder, rows, ...props }: TextFieldProps) => {
  const edit = use(EditedContext)
  const change = (text: string) => {
    if (props.name !== undefined) edit(props.name)
    props.onChange?.(text)
  }
  return (
    <AriaTextField {...props} onChange={change} className="field">
      <Label>{label}</Label>
      {rows === undefined
        ? <Input className="input" dir="auto" {...(placeholder !== undefined && { placeholder })} />
        : <TextArea className="input" dir="auto" rows={rows} {...(placeholder !== undefined && { placeholder })} />}
      {description !== undefined && <Text slot="description" className="description">{description}</Text>}
      <FieldError className="field-error" />
    </AriaTextField>
  )
}

export interface CheckboxProps {
  readonly children: ReactNode
  readonly isSelected: boolean
  readonly onChange: (isSelected: boolean) => void
  readonly isDisabled?: boolean
  readonly name?: string
}

export const Checkbox = ({ children, ...props }: CheckboxProps) => (
  <AriaCheckbox {...props} className="check">
    <span className="box" aria-hidden="true">
      <Icon name="check" size={14} />
    </span>
    <span>{children}</span>
  </AriaCheckbox>
)
