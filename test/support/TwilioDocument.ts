/**
 * Checks requests to Twilio, and the answers to them, against Twilio's own OpenAPI document. A request that the document does not know is a
 * problem, and so is a parameter or a field of an answer that it does not know.
 */
import type { FakeTwilio } from "@outdial/testkit/fake-twilio"
import * as JsonSchema from "./JsonSchema.ts"
import document from "./twilio-document/twilio_api_v2010.json" with { type: "json" }

type Schema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** The audio of a recording has an address beside its resource, which only Twilio's documentation describes. */
const undocumented = /^\/2010-04-01\/Accounts\/AC[0-9a-f]{32}\/Recordings\/RE[0-9a-f]{32}\.wav$/

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A schema of OpenAPI 3.0 in the words that `JsonSchema` knows; objects have no other fields than those that it names. */
const translated = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(translated)
  if (!isObject(schema)) return schema
  const { $ref, nullable, ...rest } = schema
  const fields = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, translated(value)]))
  // What stands beside a reference does not count.
  const plain = $ref !== undefined
    ? { $ref }
    : isObject(rest["properties"])
    ? { ...fields, additionalProperties: false }
    : fields
  return nullable === true ? { anyOf: [plain, { type: "null" }] } : plain
}

const root = {
  components: {
    schemas: Object.fromEntries(
      Object.entries(document.components.schemas).map(([name, schema]) => [name, translated(schema)])
    )
  }
}

const operations = Object.entries(document.paths).flatMap(([template, methods]) => {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
  const path = new RegExp(`^${template.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "([^/]+)")}$`)
  return Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    names,
    operation: operation as unknown as Operation
  }))
})

/** The ids of all operations that we use. */
export const operationIds: ReadonlyArray<string> = operations.map(({ operation }) => operation.operationId)

const found = ({ method, path }: Pick<FakeTwilio.Exchange["request"], "method" | "path">) => {
  for (const one of operations) {
    const [, ...values] = one.path.exec(path) ?? []
    if (one.method === method && values.length > 0) {
      return { ...one, inPath: new Map(one.names.map((name, index) => [name, values[index] ?? ""])) }
    }
  }
  return undefined
}

/** The id of the operation that the request asks for. */
export const operationOf = (request: Pick<FakeTwilio.Exchange["request"], "method" | "path">): string | undefined =>
  found(request)?.operation.operationId

/** A parameter or field of a form has text only. The value that its schema means, or the text itself. */
const valueOf = (schema: Schema, texts: ReadonlyArray<string>): unknown => {
  const [text = ""] = texts
  switch (schema["type"]) {
    case "array":
      return texts.map((one) => valueOf(isObject(schema["items"]) ? schema["items"] : {}, [one]))
    case "integer":
    case "number":
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text
    default:
      return text
  }
}

interface Named {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

const given = (kind: string, known: ReadonlyArray<Named>, values: URLSearchParams): ReadonlyArray<string> => [
  ...[...new Set(values.keys())].flatMap((name) =>
    known.some((one) => one.name === name) ? [] : [`${kind} ${name}: not known`]
  ),
  ...known.flatMap(({ isRequired, name, schema }) => {
    const texts = values.getAll(name)
    if (texts.length === 0) return isRequired ? [`${kind} ${name}: absent`] : []
    if (texts.length > 1 && schema["type"] !== "array") return [`${kind} ${name}: repeated`]
    return JsonSchema.problems(root, translated(schema) as Schema, valueOf(schema, texts), `${kind} ${name}`)
  })
]

const bodyProblems = (content: Content | undefined, { body, headers }: FakeTwilio.Exchange["request"]) => {
  if (content === undefined) return body === "" ? [] : ["body: none is known"]
  const [type = ""] = (headers["content-type"] ?? "").split(";")
  const schema = content[type]?.schema
  if (schema === undefined) return [`content type ${type}: not known`]
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>
    readonly required?: ReadonlyArray<string>
  }
  const known = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name)
  }))
  return given("field", known, new URLSearchParams(body))
}

const requestProblems = (request: FakeTwilio.Exchange["request"]): ReadonlyArray<string> => {
  const operation = found(request)
  if (operation === undefined) return ["no operation"]
  const { inPath, operation: { parameters = [], requestBody } } = operation
  const known = (place: string) =>
    parameters.filter((one) => one.in === place).map(({ name, required = false, schema }) => ({
      name,
      schema,
      isRequired: required
    }))
  return [
    ...given("path", known("path"), new URLSearchParams([...inPath])),
    ...given("query", known("query"), request.query),
    ...bodyProblems(requestBody?.content, request)
  ]
}

/** Only answers that the document describes: those to successful requests, above all. Errors have a status that it does not have. */
const answerProblems = ({ answer, request }: FakeTwilio.Exchange): ReadonlyArray<string> => {
  const described = answer === undefined ? undefined : found(request)?.operation.responses[String(answer.status)]
  const schema = described?.content?.["application/json"]?.schema
  if (answer === undefined || answer.cutAfter !== undefined || schema === undefined) return []
  return JsonSchema.problems(root, translated(schema) as Schema, answer.body, "answer")
}

/** What of the exchange is not as in the document; empty when all of it is. */
export const problems = (exchange: FakeTwilio.Exchange): ReadonlyArray<string> => {
  const { method, path } = exchange.request
  if (method === "GET" && undocumented.test(path)) return []
  return [...requestProblems(exchange.request), ...answerProblems(exchange)].map((one) => `${method} ${path}: ${one}`)
}
