/**
 * The OpenAPI document for readers: endpoints by group, fields as rows. The docs page and the Markdown are generated from it.
 */
import type { Document, Operation, Response } from "./OpenApiDocument.ts"
import type { Json } from "./OpenApiSchemas.ts"

/** A field or a parameter, as text. */
export interface Row {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly example: unknown
}

export interface Answer {
  readonly status: string
  readonly description: string
  /** The named type of its body. */
  readonly form: string | undefined
  readonly example: unknown
  /** The codes of an error response. */
  readonly codes: ReadonlyArray<string>
}

export interface Endpoint {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly needsKey: boolean
  readonly parameters: ReadonlyArray<Row & { readonly in: string }>
  readonly request: { readonly form: string; readonly required: boolean; readonly example: unknown } | undefined
  readonly answers: ReadonlyArray<Answer>
}

export interface Group {
  readonly name: string
  readonly description: string
  readonly endpoints: ReadonlyArray<Endpoint>
}

export interface Form {
  readonly name: string
  readonly rows: ReadonlyArray<Row>
}

/** The document's groups, in its order. */
export const groups = (document: Document): ReadonlyArray<Group> =>
  document.tags.map(({ description, name }) => ({
    name,
    description,
    endpoints: Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).filter(([, operation]) => operation.tags.includes(name))
        .map(([method, operation]) => toEndpoint(document, { method, path, operation }))
    )
  }))

/** The named types of bodies, by name, without the list envelopes. */
export const forms = (document: Document): ReadonlyArray<Form> =>
  Object.keys(document.components["schemas"] ?? {}).filter((name) => !name.endsWith("List"))
    .map((name) => ({ name, rows: rowsOfForm(document, name) }))

/** The fields of a type; fields of nested objects have a dot in their names. */
export const rowsOfForm = ({ components }: Document, name: string): ReadonlyArray<Row> =>
  rowsOf(components["schemas"]?.[name] ?? {}, "")

const toEndpoint = (
  document: Document,
  { method, operation, path }: { readonly method: string; readonly path: string; readonly operation: Operation }
): Endpoint => {
  const content = operation.requestBody?.content["application/json"]
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    needsKey: operation.security.length > 0,
    parameters: operation.parameters.map((parameter) => ({ ...parameter, type: typeOf(parameter.schema) })),
    request: content === undefined
      ? undefined
      : {
        form: typeOf(content.schema),
        required: operation.requestBody?.required === true,
        example: content.example
      },
    answers: Object.entries(operation.responses).map(([status, response]) =>
      toAnswer(status, "$ref" in response ? resolve(document, response.$ref) : response)
    )
  }
}

const resolve = ({ components }: Document, ref: string): Response =>
  // All references of the document resolve.
  (components["responses"]?.[ref.replace(/^.*\//, "")] ?? { description: "" }) as unknown as Response

const toAnswer = (status: string, { content = {}, description }: Response): Answer => {
  const body = content["application/json"]
  const codes = Object.keys(body?.examples ?? {})
  return {
    status,
    description,
    form: body === undefined || codes.length > 0 ? undefined : typeOf(body.schema),
    example: body?.example,
    codes
  }
}

const rowsOf = (schema: Json, prefix: string): ReadonlyArray<Row> => {
  const required = asList(schema["required"])
  return Object.entries(asRecord(schema["properties"])).flatMap(([name, value]) => {
    const field = asRecord(value)
    const row = {
      name: prefix + name,
      type: typeOf(field),
      required: required.includes(name),
      description: typeof field["description"] === "string" ? field["description"] : "",
      example: asList(field["examples"])[0]
    }
    return [row, ...innerOf(field).flatMap(([mark, inner]) => rowsOf(inner, `${prefix}${name}${mark}.`))]
  })
}

/** Unnamed objects inside a field. */
const innerOf = (field: Json): ReadonlyArray<readonly [string, Json]> => [
  ...(field["properties"] === undefined ? [] : [["", field] as const]),
  ...asList(field["anyOf"]).map(asRecord).filter((branch) => branch["properties"] !== undefined)
    .map((branch) => ["", branch] as const),
  ...(asRecord(field["items"])["properties"] === undefined ? [] : [["[]", asRecord(field["items"])] as const])
]

/** The schema's type in a few words. */
export const typeOf = (schema: Json): string => {
  const ref = schema["$ref"]
  if (typeof ref === "string") return ref.replace(/^.*\//, "")
  const branches = asList(schema["anyOf"]).map(asRecord)
  if (branches.length > 0) return [...new Set(branches.map(typeOf))].join(" or ")
  const values = asList(schema["enum"])
  if (values.length > 0) return values.map((value) => JSON.stringify(value)).join(" or ")
  if (schema["type"] === "array") return `array of ${typeOf(asRecord(schema["items"]))}`
  if (schema["format"] === "date-time") return "timestamp"
  if (schema["format"] === "uuid") return "UUID"
  return typeof schema["type"] === "string" ? schema["type"] : "any"
}

const asRecord = (value: unknown): Json =>
  // A shallow check suffices here.
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json : {}
const asList = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []
