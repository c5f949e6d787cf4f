import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as generate from "../../../../scripts/generate.ts"
import * as JsonSchema from "../../../../test/support/JsonSchema.ts"
import * as OpenApiDocument from "../../src/openapi/OpenApiDocument.ts"
import type { Json } from "../../src/openapi/OpenApiSchemas.ts"
import { statuses } from "../../src/edge/ApiErrors.ts"

const root = resolve(import.meta.dirname, "../../../..")
const document = OpenApiDocument.make()
// The document is JSON.
const asJson = document as unknown as Json

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation }))
)

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Every schema of a field below a value, with the way to it. */
const fieldsBelow = (value: unknown, path: string): ReadonlyArray<readonly [string, Json]> => {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsBelow(item, path))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === "examples" || key === "example") return []
    if (key !== "properties" || !isObject(inner)) return fieldsBelow(inner, path)
    return Object.entries(inner).flatMap(([name, field]) => [
      [`${path}.${name}`, field as Json] as const,
      ...fieldsBelow(field, `${path}.${name}`)
    ])
  })
}

const formFields = Object.entries(document.components["schemas"] ?? {})
  .flatMap(([form, schema]) => fieldsBelow(schema, form.endsWith("List") ? "List" : form))

const bodies = operations.flatMap(({ name, operation }) => [
  ...Object.entries(operation.requestBody?.content ?? {}).map(([type, content]) => ({ name, type, content })),
  ...Object.entries(operation.responses).flatMap(([status, response]) =>
    "$ref" in response
      ? []
      : Object.entries(response.content ?? {}).map(([type, content]) => ({ name: `${name} ${status}`, type, content }))
  )
])

const errorAnswers = Object.entries(document.components["responses"] ?? {})
  .map(([name, response]) => [name, response as unknown as OpenApiDocument.Response] as const)

describe("the OpenAPI document", () => {
  for (const [path, text] of generate.files()) {
    it(`${path} is up to date`, () => {
      const kept = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : ""
      assert.isTrue(kept === text, `The contract has changed. Run \`npm run generate\`, and read the diff of ${path}`)
    })
  }

  it("says of every endpoint what it is for and which scope it needs", () => {
    for (const { name, operation } of operations) {
      assert.isNotEmpty(operation.summary, name)
      assert.isNotEmpty(operation.description, name)
      assert.strictEqual(operation.security.length > 0, operation.description.includes("Scope: "), name)
    }
  })

  it("describes every field and every parameter, with an example that fits", () => {
    for (const [name, schema] of formFields) {
      assert.isString(schema["description"], name)
      const [example] = schema["examples"] as ReadonlyArray<unknown>
      assert.deepStrictEqual(JsonSchema.problems(asJson, schema, example), [], name)
    }
    for (const { name, operation } of operations) {
      for (const parameter of operation.parameters) {
        assert.isNotEmpty(parameter.description, `${name} ${parameter.name}`)
        assert.deepStrictEqual(JsonSchema.problems(asJson, parameter.schema, parameter.example), [], parameter.name)
      }
    }
  })

  it("gives every body an example that fits its schema", () => {
    for (const { content, name, type } of bodies.filter(({ type }) => type === "application/json")) {
      assert.isDefined(content.example, `${name} ${type}`)
      assert.deepStrictEqual(JsonSchema.problems(asJson, content.schema, content.example), [], name)
    }
  })

  it("gives every error an example with its code, under the status of the code", () => {
    for (const [name, response] of errorAnswers) {
      const { examples = {}, schema = {} } = response.content?.["application/json"] ?? {}
      assert.deepStrictEqual(Object.keys(examples), name.split("."))
      for (const [code, { value }] of Object.entries(examples)) {
        assert.deepStrictEqual(JsonSchema.problems(asJson, schema, value), [], code)
        assert.strictEqual((value as { readonly error: { readonly code: string } }).error.code, code)
        assert.strictEqual(new Set(name.split(".").map((one) => statuses[one as keyof typeof statuses])).size, 1)
      }
    }
  })

  it("closes every object of a request, and lets answers get more fields", () => {
    const schemas = document.components["schemas"] ?? {}
    const open = Object.entries(schemas).filter(([, schema]) =>
      !JSON.stringify(schema).includes("\"additionalProperties\":false")
    )
    const requests = [
      "AddDoNotCall",
      "AgentContent",
      "BatchRow",
      "PreviewCall",
      "RecoverEvents",
      "RotateSecret",
      "SetWebhook",
      "StartBatch",
      "StartCall"
    ]
    assert.sameMembers(Object.keys(schemas).filter((name) => open.every(([other]) => other !== name)), requests)
    const call = { agent_id: "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11", phone_number: "+14155550100" }
    const asSent = { ...call, variables: { any: "x" }, metadata: { any: { thing: [1] } }, contact: { name: "Ada" } }
    const startCall = schemas["StartCall"] as Json
    assert.deepStrictEqual(JsonSchema.problems(asJson, startCall, asSent), [])
    assert.isNotEmpty(JsonSchema.problems(asJson, startCall, { ...call, notBefore: "2030-01-01T00:00:00Z" }))
    assert.isNotEmpty(JsonSchema.problems(asJson, startCall, { ...call, contact: { timeZone: "Europe/Paris" } }))
  })

  it("names its forms readably, and refers only to what it has", () => {
    for (const name of Object.keys(document.components["schemas"] ?? {})) assert.match(name, /^[A-Z][A-Za-z]+$/)
    assert.notInclude(JSON.stringify(document), "Encoded")
    for (const [, ref = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = ref.split("/").reduce<unknown>((at, part) => isObject(at) ? at[part] : undefined, asJson)
      assert.isDefined(target, ref)
    }
  })

  it("carries the advice of the spec", () => {
    for (
      const advice of [
        "30 to 60 seconds",
        "One batch instead of many calls",
        "Webhooks instead of polling",
        "belongs on your server"
      ]
    ) {
      assert.include(document.info.description, advice)
    }
  })
})
