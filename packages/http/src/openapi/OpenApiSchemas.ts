/**
 * The JSON schemas of the OpenAPI document: generated from the contract's schemas, with one schema for all errors. Requests
 * allow no unknown fields; responses do.
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

/** The names of the types of requests. */
const requestForms = (spec: OpenApi.OpenAPISpec): ReadonlySet<string> => {
  const operations = Object.values(spec.paths).flatMap((item) => Object.values(item).filter(isOperation))
  const names = operations.map(({ requestBody: body }) =>
    nameOf(requestBody(body?.content["application/json"]?.schema ?? {}).schema)
  )
  // The contract does not refer to rows, because it reads them one by one.
  return new Set([...names, "BatchRow"])
}

const isOperation = (value: object): value is OpenApi.OpenAPISpecOperation => "operationId" in value

/** The schema with every object of fixed fields closed: a request with an unknown field is rejected. */
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

/** The schema of a request's body, if it has one. */
export const requestBody = (schema: Json): { readonly schema: Json; readonly optional: boolean } => {
  const present = list(schema["anyOf"]).find((branch) => branch["$ref"] !== undefined)
  return { schema: clean(present ?? schema), optional: present !== undefined }
}

/** Every JSON body of a response. */
export const bodies = (spec: OpenApi.OpenAPISpec): ReadonlyArray<{ readonly status: number; readonly schema: Json }> =>
  Object.values(spec.paths).flatMap((item) =>
    // The paths contain only methods.
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

/** The schema of all errors. */
const errorSchema = (spec: OpenApi.OpenAPISpec): Json => {
  const anyError = bodies(spec).find(({ status }) => status >= 400)?.schema ?? {}
  const first = clean(list(anyError["anyOf"])[0] ?? anyError)
  const error = record(record(first["properties"])["error"])
  const inner = record(error["properties"])
  // Each response names its codes; all share the schema.
  const { enum: _, anyOf: __, ...code } = record(inner["code"])
  return { ...first, properties: { error: { ...error, properties: { ...inner, code: { type: "string", ...code } } } } }
}

/** Rows are decoded one by one, so the contract's schema of the list says nothing about them. */
const withRows = (startBatch: Json): Json => {
  const properties = record(startBatch["properties"])
  const calls = { ...record(properties["calls"]), items: { $ref: `${prefix}BatchRow` }, minItems: 1, maxItems: 1000 }
  return { ...startBatch, properties: { ...properties, calls } }
}

/** The schema without the generator's own keywords, with descriptions beside the fields. */
export const clean = (schema: object): Json => {
  const out: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === "additionalProperties" && value === false) continue
    // These are the bounds of a double.
    if ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue
    if (key === "properties") out[key] = fieldsOf(record(value))
    else if (key === "examples") out[key] = value
    else if (Array.isArray(value)) out[key] = value.map((item) => isRecord(item) ? clean(item) : item)
    else out[key] = isRecord(value) ? clean(value) : value
  }
  // A union of one is that one.
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

/** The schema of a field or a parameter, and its annotations. */
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

/** An example of the object, from the examples of its fields. */
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
