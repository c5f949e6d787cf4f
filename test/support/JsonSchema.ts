/** Checks values against the JSON schemas of an OpenAPI document. A keyword that it does not know is an error, not a pass. */

type Json = { readonly [key: string]: unknown }

const ignored = new Set(["description", "examples", "example", "default", "title"])
const formats: Readonly<Record<string, RegExp>> = {
  "date-time": /^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  uri: /^https?:\/\/[^\s]+$/,
  // Twilio's own.
  currency: /^[A-Z]{3}$/i,
  "date-time-rfc-2822": /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} ([+-]\d{4}|GMT)$/,
  endpoint: /^(\+[1-9]\d{6,14}|sip:.+|client:.+)$/,
  "http-method": /^(GET|POST)$/,
  "phone-number": /^\+[1-9]\d{6,14}$/,
  twiml: /^(<\?xml [^>]*\?>)?<Response[\s>]/
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null
}

const resolve = (root: Json, ref: string): Json =>
  ref.replace(/^#\//, "").split("/").reduce<Json>((at, part) => {
    const next = at[part]
    if (!isObject(next)) throw new Error(`${ref} is not in the document`)
    return next
  }, root)

/** What is wrong with the value, as `path: reason`; empty when it fits. */
export const problems = (root: Json, schema: Json, value: unknown, path = ""): ReadonlyArray<string> =>
  Object.entries(schema).flatMap(([keyword, rule]) =>
    ignored.has(keyword) ? [] : check(root, { keyword, rule, schema, value, path })
  )

interface Check {
  readonly keyword: string
  readonly rule: unknown
  readonly schema: Json
  readonly value: unknown
  readonly path: string
}

const check = (root: Json, { keyword, path, rule, schema, value }: Check): ReadonlyArray<string> => {
  const list = Array.isArray(rule) ? rule as ReadonlyArray<Json> : []
  const fails = (isWrong: boolean) => isWrong ? [`${path || "/"}: ${keyword} ${JSON.stringify(rule)}`] : []
  switch (keyword) {
    case "$ref":
      return problems(root, resolve(root, String(rule)), value, path)
    case "type":
      return fails(types[String(rule)]?.(value) !== true)
    case "enum":
      return fails(!(rule as ReadonlyArray<unknown>).includes(value))
    case "allOf":
      return list.flatMap((branch) => problems(root, branch, value, path))
    case "anyOf":
      return fails(!list.some((branch) => problems(root, branch, value, path).length === 0))
    case "pattern":
      return fails(typeof value === "string" && !new RegExp(String(rule), "u").test(value))
    case "format":
      return fails(typeof value === "string" && formats[String(rule)]?.test(value) !== true)
    case "minLength":
      return fails(typeof value === "string" && value.length < Number(rule))
    case "maxLength":
      return fails(typeof value === "string" && value.length > Number(rule))
    case "minimum":
      return fails(typeof value === "number" && value < Number(rule))
    case "maximum":
      return fails(typeof value === "number" && value > Number(rule))
    case "minItems":
      return fails(Array.isArray(value) && value.length < Number(rule))
    case "maxItems":
      return fails(Array.isArray(value) && value.length > Number(rule))
    case "uniqueItems":
      return fails(Array.isArray(value) && new Set(value.map((item) => JSON.stringify(item))).size < value.length)
    case "maxProperties":
      return fails(isObject(value) && Object.keys(value).length > Number(rule))
    case "items":
      return Array.isArray(value)
        ? value.flatMap((item, at) => problems(root, rule as Json, item, `${path}/${at}`))
        : []
    case "properties":
      return isObject(value)
        ? Object.entries(rule as Readonly<Record<string, Json>>).flatMap(([name, field]) =>
          Object.hasOwn(value, name) ? problems(root, field, value[name], `${path}/${name}`) : []
        )
        : []
    case "required":
      return isObject(value)
        ? (rule as ReadonlyArray<string>).flatMap((name) =>
          Object.hasOwn(value, name) ? [] : [`${path}/${name}: absent`]
        )
        : []
    case "propertyNames":
      return isObject(value)
        ? Object.keys(value).flatMap((name) => problems(root, rule as Json, name, `${path}/${name}`))
        : []
    case "additionalProperties": {
      const known = isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []
      const others = isObject(value) ? Object.keys(value).filter((name) => !known.includes(name)) : []
      return rule === false
        ? others.map((name) => `${path}/${name}: not allowed`)
        : others.flatMap((name) =>
          problems(root, rule as Json, (value as Readonly<Record<string, unknown>>)[name], `${path}/${name}`)
        )
    }
    default:
      throw new Error(`${path}: the keyword ${keyword} is not known here`)
  }
}
