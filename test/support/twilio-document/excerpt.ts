/** Writes the part of Twilio's OpenAPI document that the tests need; its argument is the whole document. */
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"

const account = "/2010-04-01/Accounts/{AccountSid}"

/** Those that `TwilioApi` uses. */
const operations: ReadonlyArray<readonly [path: string, ...methods: ReadonlyArray<string>]> = [
  ["/2010-04-01/Accounts/{Sid}.json", "get"],
  [`${account}/Calls.json`, "post", "get"],
  [`${account}/Calls/{Sid}.json`, "get", "post"],
  [`${account}/Calls/{CallSid}/Recordings/{Sid}.json`, "post"],
  [`${account}/Recordings/{Sid}.json`, "delete"],
  [`${account}/IncomingPhoneNumbers.json`, "get"],
  [`${account}/OutgoingCallerIds.json`, "get"]
]

type Json = Record<string, unknown>

interface Document {
  readonly openapi: string
  readonly info: unknown
  readonly servers: unknown
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const leftOut = new Set(["examples", "headers", "security", "summary", "tags"])

const reduced = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reduced)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      leftOut.has(key) || key.startsWith("x-") || (key === "description" && typeof item === "string")
        ? []
        : [[key, reduced(item)]]
    )
  )
}

const [, , source = ""] = process.argv
const { components, info, openapi, paths, servers }: Document = JSON.parse(readFileSync(source, "utf8"))

const kept = Object.fromEntries(
  operations.map(([path, ...methods]) => [
    path,
    Object.fromEntries(methods.map((method) => [method, reduced(paths[path]?.[method])]))
  ])
)

const schemas: Json = {}
const keepReferred = (value: unknown): void => {
  for (const [, name = ""] of JSON.stringify(value).matchAll(/#\/components\/schemas\/([^"]+)"/g)) {
    if (name in schemas) continue
    schemas[name] = reduced(components.schemas[name])
    keepReferred(schemas[name])
  }
}
keepReferred(kept)

writeFileSync(
  resolve(import.meta.dirname, "twilio_api_v2010.json"),
  `${JSON.stringify({ openapi, info, servers, paths: kept, components: { schemas } }, null, 2)}\n`
)
