/**
 * The OpenAPI 3.1 document of the interface, derived from the contract, with a description of every field and an example of
 * every error. Responses allow additional fields. The same document is served, committed and tested.
 */
import { type ApiKey, Example } from "@outdial/core"
import { Context } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api } from "../Api.ts"
import { AllScopes, RequiredScopes } from "../access/Authorization.ts"
import { BatchRowWire } from "../call/StartCallBody.ts"
import * as TranscriptStream from "../call/TranscriptStream.ts"
import { exampleOf, texts } from "./OpenApiErrors.ts"
import * as OpenApiEvent from "./OpenApiEvent.ts"
import * as Schemas from "./OpenApiSchemas.ts"
import type { ErrorCode } from "../edge/ApiErrors.ts"

type Json = Schemas.Json

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: Json
  readonly example: unknown
}

export interface Content {
  readonly [mediaType: string]: {
    readonly schema: Json
    readonly example?: unknown
    readonly examples?: { readonly [code: string]: { readonly summary: string; readonly value: unknown } }
  }
}

/** The responses of an operation; errors are in the components. */
export type ResponseOrRef = Response | { readonly $ref: string }

export interface Response {
  readonly description: string
  readonly headers?: { readonly [name: string]: Json }
  readonly content?: Content
}

export interface Operation {
  readonly tags: ReadonlyArray<string>
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly security: ReadonlyArray<Json>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: { readonly [status: string]: ResponseOrRef }
}

export interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: ReadonlyArray<{ readonly url: string; readonly description: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly webhooks: Json
  readonly components: { readonly [kind: string]: { readonly [name: string]: Json } }
}

/** The document. Creating it takes about 50 ms, so cache it. */
export const make = (): Document => {
  const rows = BatchRowWire.annotate({ identifier: "BatchRow" })
  const spec = OpenApi.fromApi(Api.annotate(HttpApi.AdditionalSchemas, [rows]), {
    includeAnnotationKey: (key) => key === "apart"
  })
  const scopes = scopesByOperation()
  const paths = Object.fromEntries(
    Object.entries(spec.paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          // The paths contain only methods.
          describe(operation as OpenApi.OpenAPISpecOperation, { scopes, spec })
        ])
      )
    ])
  )
  return {
    openapi: spec.openapi,
    // The contract has all three annotations.
    info: { title: spec.info.title, version: spec.info.version, description: spec.info.description ?? "" },
    servers: [{ url: "/", description: "Where this document is served" }],
    tags: spec.tags.map(({ description = "", name }) => ({ name, description })),
    paths,
    webhooks: { event: { post: OpenApiEvent.request(spec) } },
    components: {
      schemas: Schemas.components(spec),
      responses: errorResponses(spec),
      headers,
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key", description: "Begins with `vak_call_`." },
        bearer: { type: "http", scheme: "bearer", description: "The same key as a bearer token." }
      }
    }
  }
}

interface Surroundings {
  readonly scopes: ReadonlyMap<string, string>
  readonly spec: OpenApi.OpenAPISpec
}

const describe = (operation: OpenApi.OpenAPISpecOperation, { scopes, spec }: Surroundings): Operation => {
  const scope = scopes.get(operation.operationId)
  const { requestBody } = operation
  return {
    tags: operation.tags,
    operationId: operation.operationId,
    summary: operation.summary ?? "",
    description: [operation.description, scope].filter((part) => part !== undefined).join("\n\n"),
    security: operation.security,
    parameters: operation.parameters.map(describeParameter),
    ...(requestBody !== undefined && { requestBody: describeRequest(requestBody, spec) }),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        Number(status) < 400
          ? describeAnswer(`${operation.operationId} ${status}`, response, spec)
          : ref("responses", errorCodes(response.content?.["application/json"]?.schema).join("."))
      ])
    )
  }
}

const describeParameter = (parameter: OpenApi.OpenAPISpecParameter): Parameter => {
  const { annotations: { description, examples }, schema } = Schemas.fieldOf(parameter.schema)
  return {
    name: parameter.name,
    in: parameter.in,
    required: parameter.required,
    description: String(description),
    schema: parameterSchemas[parameter.name] ?? schema,
    example: Array.isArray(examples) ? examples[0] : undefined
  }
}

/** Parameters that the contract decodes from text. */
const parameterSchemas: { readonly [name: string]: Json } = {
  limit: { type: "integer", minimum: 1, default: 25 },
  after: { type: "integer", minimum: 0 },
  test: { type: "boolean" },
  created_after: { type: "string", format: "date-time" },
  created_before: { type: "string", format: "date-time" }
}

const describeRequest = ({ content }: OpenApi.OpenAPISpecRequestBody, spec: OpenApi.OpenAPISpec) => {
  const { optional, schema } = Schemas.requestBody(content["application/json"]?.schema ?? {})
  return {
    required: !optional,
    content: { "application/json": { schema, example: Schemas.exampleOf(schema, spec) } }
  }
}

const described: { readonly [status: string]: string } = {
  201: "Created.",
  202: "Accepted. The work continues after the response."
}

const describeAnswer = (
  which: string,
  { content = {}, headers: own = {} }: OpenApi.OpenApiSpecResponse,
  spec: OpenApi.OpenAPISpec
): Response => ({
  description: described[which.slice(-3)] ?? "OK.",
  headers: {
    ...Object.fromEntries(Object.keys(own).map((name) => [named(name), ref("headers", named(name))])),
    ...common
  },
  content: {
    ...Object.fromEntries(
      Object.entries(content).map(([mediaType, { schema }]) => {
        const clean = Schemas.clean(schema)
        return [
          mediaType,
          mediaType === "application/json"
            ? { schema: clean, example: { ...Schemas.exampleOf(clean, spec), ...special[which] } }
            : { schema: clean }
        ]
      })
    ),
    ...streams[which]
  }
})

/** Responses that may also be streams of server-sent events. The handler writes them: the contract has no comments and no negotiation. */
const streams: { readonly [which: string]: Content } = {
  "calls.transcript 200": {
    [TranscriptStream.mediaType]: { schema: { type: "string" }, example: TranscriptStream.example }
  }
}

/** Headers of these responses only. */
const special: { readonly [which: string]: Json } = {
  "calls.start 201": { idempotent_replay: false },
  "calls.start 200": { idempotent_replay: true },
  "batches.start 201": { idempotent_replay: false },
  "batches.start 200": { idempotent_replay: true },
  "webhook.set 201": { secret: Example.secret },
  "webhook.rotateSecret 200": { secret: Example.secret }
}

/** One response for each set of codes. */
const errorResponses = (spec: OpenApi.OpenAPISpec): { readonly [name: string]: Json } => {
  const found = Schemas.bodies(spec).filter(({ status }) => status >= 400)
    .map(({ schema, status }) => ({ codes: errorCodes(schema), status }))
  return Object.fromEntries(
    found.map(({ codes, status }): [string, Json] => [codes.join("."), { ...describeError(status, codes) }])
      .sort(([a], [b]) => a < b ? -1 : 1)
  )
}

const errorCodes = (schema: Json | undefined) =>
  // Errors are declared only by their codes.
  Schemas.codesIn(schema ?? {}).toSorted() as ReadonlyArray<ErrorCode>

const describeError = (status: number, codes: ReadonlyArray<ErrorCode>): Response => ({
  description: codes.map((code) => `\`${code}\`: ${texts[code].when}`).join("\n\n"),
  headers: {
    ...(codes.some((code) => texts[code].example.headers?.["retry-after"] !== undefined) &&
      { "Retry-After": ref("headers", "Retry-After") }),
    ...(status === 401 || status === 403 ? { "WWW-Authenticate": ref("headers", "WWW-Authenticate") } : {}),
    ...common
  },
  content: {
    "application/json": {
      schema: {
        allOf: [
          ref("schemas", "Error"),
          { type: "object", properties: { error: { type: "object", properties: { code: { enum: codes } } } } }
        ]
      },
      examples: Object.fromEntries(codes.map((code) => [code, { summary: texts[code].todo, value: exampleOf(code) }]))
    }
  }
})

const ref = (kind: "headers" | "responses" | "schemas", name: string) => ({ $ref: `#/components/${kind}/${name}` })
const named = (header: string): string => header.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
const common = { "X-Request-Id": ref("headers", "X-Request-Id") }

const header = (description: string, schema: Json, example: unknown): Json => ({ description, schema, example })
const headers = {
  "X-Request-Id": header(
    "On every response; quote it when you report a problem.",
    { type: "string" },
    "req_4k2j9x7m1q8w5e3r6t0y"
  ),
  "Retry-After": header("Seconds until the request may be sent again.", { type: "integer" }, 17),
  "WWW-Authenticate": header("What is missing.", { type: "string" }, "Bearer"),
  "Idempotent-Replayed": header(
    "An earlier request with the same `Idempotency-Key` created this.",
    { type: "string", enum: ["true"] },
    "true"
  )
}

/** The required scopes of an operation, as text. */
const scopesByOperation = (): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
      const one = Context.get(mergedAnnotations, RequiredScopes)
      const all = Context.get(mergedAnnotations, AllScopes)
      const list = (scopes: ReadonlyArray<ApiKey.Scope>, word: string) =>
        scopes.map((scope) => `\`${scope}\``).join(word)
      const words = all.length > 0 ? list(all, " and ") : list(one, " or ")
      if (words !== "") found.set(`${group.identifier}.${endpoint.identifier}`, `Scope: ${words}.`)
    }
  })
  return found
}
