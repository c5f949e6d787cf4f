/**
 * The JSON schemas of the OpenAPI document: what the contract's schemas generate, with one schema for all errors. Requests take
 * the fields that they name and no others; an answer may get more.
 */
import type { OpenApi } from "effect/http-api"

export type Json = { readonly [key: string]: unknown }
export type Components = { readonly [name: string]: Json }

const prefix = "#/components/schemas/"

/** The named schemas of the contract, and that of errors. */
export const components = (spec: OpenApi.OpenAPISpec): Components => {
  const requests = requestForms(spec)
  const named = Object.entries(spec.components.schemas).map(([name, schema]): [string, Json] => {
    const cleaned = clean(schema)
    return [name, requests.has(name) ? closed(name === "StartBatch" ? withRows(cleaned) : cleaned) : cleaned]
  })
  return Object.fromEntries([...named, ["Error", errorSchema(spec)] as const].sort(([a], [b]) => a < b ? -1 : 1))
}

/** The names of the forms that requests have. */
const requestForms = (spec: OpenApi.OpenAPISpec): ReadonlySet<string> => {
  const operations = Object.values(spec.paths).flatMap((item) => Object.values(item).filter(isOperation))
  const names = operations.map(({ requestBody: body }) =>
    nameOf(requestBody(body?.content["application/json"]?.schema ?? {}).schema)
  )
  // Rows are not referred to by the contract, which reads them one by one.
  return new Set([...names, "BatchRow"])
}

const isOperation = (value: object): value is OpenApi.OpenAPISpecOperation => "operationId" in value

/** The schema with every object of fixed fields closed: a request with another field is refused. */
const closed = (schema: Json): Json => ({
  ...Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closedBelow(key, value)])),
  ...(isRecord(schema["properties"]) && { additionalProperties: false })
})

const closedBelow = (key: string, value: unknown): unknown => {
  if (key === "examples") return value
  if (key === "properties") {
    return Object.fromEntries(Object.entries(record(value)).map(([name, field]) => [name, closed(record(field))]))
  }
  if (Array.isArray(value)) return value.map((item) => isRecord(item) ? closed(item) : item)
  return isRecord(value) ? closed(value) : value
}

/** The schema of a request's body, which may be absent altogether. */
export const requestBody = (schema: Json): { readonly schema: Json; readonly optional: boolean } => {
  const present = list(schema["anyOf"]).find((branch) => branch["$ref"] !== undefined)
  return { schema: clean(present ?? schema), optional: present !== undefined }
}

/** Every JSON body that the contract answers. */
export const bodies = (spec: OpenApi.OpenAPISpec): ReadonlyArray<{ readonly status: number; readonly schema: Json }> =>
  Object.values(spec.paths).flatMap((item) =>
    // A path of ours holds methods and nothing else.
    (Object.values(item) as ReadonlyArray<OpenApi.OpenAPISpecOperation>).flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, response]) => {
        const schema = response.content?.["application/json"]?.schema
        return schema === undefined ? [] : [{ status: Number(status), schema }]
      })
    )
  )

/** The codes that an error's schema allows. */
export const codesIn = (schema: Json): ReadonlyArray<string> => {
  const branches = list(schema["anyOf"])
  const found = branches.length > 0 ? branches.flatMap((branch) => codesIn(branch)) : codesOf(schema)
  return [...new Set(found)]
}

const codesOf = (schema: Json): ReadonlyArray<string> => {
  const code = record(record(record(record(schema["properties"])["error"])["properties"])["code"])
  return [code, ...list(code["anyOf"])].flatMap((part) => values(part["enum"]).map(String))
}

/** All errors have one shape, whatever their code. */
const errorSchema = (spec: OpenApi.OpenAPISpec): Json => {
  const anyError = bodies(spec).find(({ status }) => status >= 400)?.schema ?? {}
  const first = clean(list(anyError["anyOf"])[0] ?? anyError)
  const error = record(record(first["properties"])["error"])
  const inner = record(error["properties"])
  // Each answer names its codes; the shape is for all of them.
  const { enum: _, anyOf: __, ...code } = record(inner["code"])
  return { ...first, properties: { error: { ...error, properties: { ...inner, code: { type: "string", ...code } } } } }
}

/** Rows are decoded one by one, so the contract's schema of the list says nothing about them. */
const withRows = (startBatch: Json): Json => {
  const properties = record(startBatch["properties"])
  const calls = { ...record(properties["calls"]), items: { $ref: `${prefix}BatchRow` }, minItems: 1, maxItems: 1000 }
  return { ...startBatch, properties: { ...properties, calls } }
}

/** The schema without what is only the generator's, each field beside its description. */
export const clean = (schema: object): Json => {
  const out: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === "additionalProperties" && value === false) continue
    // The bounds of a double, not of ours.
    if ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue
    if (key === "properties") out[key] = fieldsOf(record(value))
    else if (key === "examples") out[key] = value
    else if (Array.isArray(value)) out[key] = value.map((item) => isRecord(item) ? clean(item) : item)
    else out[key] = isRecord(value) ? clean(value) : value
  }
  // A choice of one is none.
  for (const key of ["anyOf", "allOf"]) {
    const [only, ...others] = list(out[key])
    const { [key]: _, ...rest } = out
    if (only !== undefined && others.length === 0) return { ...only, ...rest }
  }
  return out
}

const fieldsOf = (properties: Json): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const { annotations: { apart: _, ...shown }, schema } = fieldOf(record(field))
      return [name, { ...(isInstant(name) ? withFormat(schema) : schema), ...shown }]
    })
  )

/** The schema of a field or a parameter, and what stands on it. */
export const fieldOf = (field: object): { readonly schema: Json; readonly annotations: Json } => {
  const { allOf, ...rest } = record(field)
  const isAnnotation = (branch: Json) => branch["description"] !== undefined
  const others = list(allOf).filter((branch) => !isAnnotation(branch))
  return {
    schema: clean({ ...rest, ...(others.length > 0 && { allOf: others }) }),
    annotations: Object.assign({}, ...list(allOf).filter(isAnnotation))
  }
}

const isInstant = (name: string) => /_at$|^scheduled_for$|^timestamp$|^not_before$/.test(name)

const withFormat = (schema: Json): Json => {
  if (schema["type"] === "string") return { ...schema, format: "date-time" }
  const branches = list(schema["anyOf"])
  return branches.length === 0 ? schema : { ...schema, anyOf: branches.map(withFormat) }
}

/** An example of the whole, put together from those of its fields. */
export const exampleOf = (schema: Json, spec: OpenApi.OpenAPISpec): Json => {
  const properties = record(spec.components.schemas[nameOf(schema)]?.["properties"])
  const item = record(record(properties["data"])["items"])
  const example = Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) => {
      const { annotations } = fieldOf(record(property))
      return annotations["apart"] === true ? [] : [[name, values(annotations["examples"])[0]]]
    })
  )
  // A list shows its item; the feed does not.
  return nameOf(schema).endsWith("List") ? { ...example, data: [exampleOf(item, spec)] } : example
}

const nameOf = (schema: Json): string => String(schema["$ref"]).slice(prefix.length)

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const record = (value: unknown): Json => isRecord(value) ? value : {}
const list = (value: unknown): ReadonlyArray<Json> => Array.isArray(value) ? value.filter(isRecord) : []
const values = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []
