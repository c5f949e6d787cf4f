/**
 * The JSON schemas of the OpenAPI document: readable names, descriptions and examples on every field, one schema for all
 * errors. Requests take the fields that they name and no others; an answer may get more.
 */
import type { OpenApi } from "effect/http-api"
import type { Field } from "./OpenApiExamples.ts"
import { fields } from "./OpenApiFields.ts"

export type Json = { readonly [key: string]: unknown }
export type Components = { readonly [name: string]: Json }

const prefix = "#/components/schemas/"

/** The named schemas of the contract, described, and those that are made here. */
export const components = (spec: OpenApi.OpenAPISpec): Components => {
  const found: { [name: string]: Json } = {}
  const requests = requestForms(spec)
  for (const [encodedName, schema] of Object.entries(spec.components.schemas)) {
    // The name alone stands for its JSON form.
    if (schema["$ref"] === `${prefix}${encodedName}Encoded`) continue
    const name = readable(encodedName)
    found[name] = requests.has(name) ? closed(clean(schema, name)) : clean(schema, name)
  }
  for (const { schema } of bodies(spec)) {
    const name = nameOf(schema)
    if (name !== undefined && found[name] === undefined) {
      found[name] = clean(schema, name.endsWith("List") ? "List" : name)
    }
  }
  const startBatch = found["StartBatch"]
  if (startBatch !== undefined) found["StartBatch"] = withRows(startBatch)
  found["Error"] = errorSchema(spec)
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => a < b ? -1 : 1))
}

/** The names of the forms that requests have. */
const requestForms = (spec: OpenApi.OpenAPISpec): ReadonlySet<string> => {
  const operations = Object.values(spec.paths).flatMap((item) => Object.values(item).filter(isOperation))
  const refs = operations.map(({ requestBody: body }) =>
    String(requestBody(body?.content["application/json"]?.schema ?? {}).schema["$ref"]).slice(prefix.length)
  )
  // Rows are not referred to by the contract, which reads them one by one.
  return new Set([...refs, "BatchRow"])
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

/** The schema of an answer's body. */
export const answerBody = (schema: Json): Json => {
  const name = nameOf(schema)
  return name === undefined ? clean(schema, "") : { $ref: `${prefix}${name}` }
}

/** The schema of a request's body, which may be absent altogether. */
export const requestBody = (schema: Json): { readonly schema: Json; readonly optional: boolean } => {
  const branches = list(schema["anyOf"])
  const present = branches.find((branch) => branch["$ref"] !== undefined)
  return present === undefined || branches.length === 0
    ? { schema: clean(schema, ""), optional: false }
    : { schema: clean(present, ""), optional: true }
}

/** Bodies without a name of their own in the contract. */
const nameOf = (schema: Json): string | undefined => {
  const properties = record(schema["properties"])
  const [object] = values(record(properties["object"])["enum"])
  if (object === "list") {
    const item = record(record(properties["data"])["items"])["$ref"]
    return typeof item === "string" ? `${readable(item.slice(prefix.length))}List` : undefined
  }
  if (properties["deleted"] !== undefined) return "DeletedWebhook"
  const [status] = values(record(properties["status"])["enum"])
  if (status === "ok") return "Health"
  return status === "ready" ? "Readiness" : undefined
}

const readable = (name: string): string => name.replace(/Encoded$/, "")

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
  const first = clean(list(anyError["anyOf"])[0] ?? anyError, "Error")
  const error = record(record(first["properties"])["error"])
  const inner = record(error["properties"])
  // Each answer names its codes; the shape is for all of them.
  const { enum: _, anyOf: __, ...code } = record(inner["code"])
  return { ...first, properties: { error: { ...error, properties: { ...inner, code: { type: "string", ...code } } } } }
}

/** Rows are decoded one by one, so the contract's schema of the list says nothing about them. */
const withRows = (startBatch: Json): Json => {
  const properties = record(startBatch["properties"])
  return {
    ...startBatch,
    properties: {
      ...properties,
      calls: { ...record(properties["calls"]), items: { $ref: `${prefix}BatchRow` }, minItems: 1, maxItems: 1000 }
    }
  }
}

/** The schema without what is only the generator's, its fields described; `path` is the name of its form. */
export const clean = (schema: object, path: string): Json => {
  const out: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === "additionalProperties" && value === false) continue
    // The bounds of a double, not of ours.
    if ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) continue
    if (key === "properties") out[key] = describe(record(value), path)
    else if (key === "$ref") out[key] = readable(String(value))
    else if (Array.isArray(value)) out[key] = value.map((item) => isRecord(item) ? clean(item, path) : item)
    else out[key] = isRecord(value) ? clean(value, path) : value
  }
  const [only, ...others] = list(out["anyOf"])
  // A choice of one is none.
  if (only !== undefined && others.length === 0) {
    const { anyOf: _, ...rest } = out
    return { ...only, ...rest }
  }
  return out
}

const describe = (properties: Json, path: string): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const known = fields[path]?.[name]
      const inner = clean(record(schema), path === "" ? name : `${path}.${name}`)
      return [name, known === undefined ? inner : described(inner, name, known)]
    })
  )

const described = (schema: Json, name: string, { description, example }: Field): Json => ({
  ...(isInstant(name) ? withFormat(schema) : schema),
  description,
  examples: [example]
})

const isInstant = (name: string) => /_at$|^scheduled_for$|^timestamp$|^not_before$/.test(name)

const withFormat = (schema: Json): Json => {
  if (schema["type"] === "string") return { ...schema, format: "date-time" }
  const branches = list(schema["anyOf"])
  return branches.length === 0 ? schema : { ...schema, anyOf: branches.map(withFormat) }
}

/** An example of the whole, put together from those of its fields. */
export const exampleOf = (schema: Json, components: Components): Json => {
  const target = schema["$ref"]
  if (typeof target !== "string") return {}
  const name = target.slice(prefix.length)
  const item = name.replace(/List$/, "")
  if (item !== name) {
    return {
      object: "list",
      data: [exampleOf({ $ref: prefix + item }, components)],
      has_more: false,
      next_cursor: null
    }
  }
  return Object.fromEntries(
    Object.keys(record(components[name]?.["properties"])).flatMap((property) => {
      const known = fields[name]?.[property]
      return known === undefined || known.apart === true ? [] : [[property, known.example]]
    })
  )
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const record = (value: unknown): Json => isRecord(value) ? value : {}
const list = (value: unknown): ReadonlyArray<Json> => Array.isArray(value) ? value.filter(isRecord) : []
const values = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []
