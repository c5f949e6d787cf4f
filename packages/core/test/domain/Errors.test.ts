import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Errors from "../../src/domain/Errors.ts"
import { AgentId, BatchId, CallId } from "../../src/domain/Ids.ts"

const callId = CallId.make("call_01KCA6ZJ6QK4D8V1V7N3R2T5WX")
const retryAt = DateTime.makeUnsafe("2026-03-03T10:00:00.000Z")
const inUse = new Errors.IdempotencyKeyInUse({})

/** Each class of error, with data of every kind that changes its message. */
const samples: { readonly [Name in keyof typeof Errors]?: ReadonlyArray<Error> } = {
  InvalidRequest: [new Errors.InvalidRequest({ problems: [{ path: ["phoneNumber"], message: "is required" }] })],
  BatchTooLarge: [new Errors.BatchTooLarge({ maxRows: 1000 })],
  WebhookUrlNotAllowed: [new Errors.WebhookUrlNotAllowed({ why: "must begin with https://" })],
  Unauthenticated: (["missing", "invalid", "conflicting", "host"] as const).map((why) =>
    new Errors.Unauthenticated({ why })
  ),
  NotFound: [new Errors.NotFound({ what: `call ${callId}` })],
  noWebhook: [Errors.noWebhook],
  AgentNotFound: [new Errors.AgentNotFound({ agentId: AgentId.make("7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11") })],
  MissingVariables: [new Errors.MissingVariables({ missing: ["appointment"] })],
  NumberNotAllowed: [new Errors.NumberNotAllowed({ why: "is a premium-rate number, which is never called" })],
  NumberDoNotCall: [new Errors.NumberDoNotCall()],
  NumberLimitReached: [new Errors.NumberLimitReached({ retryAt })],
  CallAlreadyQueued: [new Errors.CallAlreadyQueued({ callId })],
  IdempotencyKeyReused: [
    new Errors.IdempotencyKeyReused({ callId }),
    new Errors.IdempotencyKeyReused({ batchId: BatchId.make("batch_01KCA6ZH0T3M9P5Q8R2S4V6W7Y") }),
    new Errors.IdempotencyKeyReused({})
  ],
  IdempotencyKeyInUse: [inUse],
  CallNotCancelable: [new Errors.CallNotCancelable({ callId, callStatus: "completed" })],
  CallNotLive: [new Errors.CallNotLive({ callId })],
  CalleeBusy: [new Errors.CalleeBusy({ callId })],
  RotationLimitReached: [new Errors.RotationLimitReached({ retryAt })],
  WebhookDisabled: [new Errors.WebhookDisabled()],
  EventExpired: [new Errors.EventExpired({ what: "event evt_01KCA6ZJ6QK4D8V1V7N3R2T5WX" })],
  RateLimited: [new Errors.RateLimited({ limit: 300, retryAfter: 17 })],
  TooManyStreams: [new Errors.TooManyStreams({ limit: 10 })],
  Unavailable: [new Errors.Unavailable({ cause: "down" })],
  CallRefused: [new Errors.CallRefused({ reason: inUse })],
  BatchRefused: [new Errors.BatchRefused({ reason: inUse })]
}

/** A method and a path, a header, or the name of a field on the wire. Ids are no such names. */
const ofHttp = /\b(GET|PUT|POST|DELETE|PATCH)\b|\/v1\b|\bHTTP\b|X-API-Key|Bearer|Idempotency-Key|\b[a-z]+(_[a-z]+)+\b/

const sources = resolve(import.meta.dirname, "../../src")

/** The texts of errors that core's modules provide: what is wrong, what is missing, why. */
const texts = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  .flatMap((file) =>
    Array.from(
      readFileSync(join(sources, file), "utf8").matchAll(
        /\b(?:message|what|why|issue): ?\(?\s*(["`])((?:(?!\1).)*)\1/gs
      ),
      ([, , text = ""]) => ({ file, text })
    )
  )

describe("errors", () => {
  it("say what to do without the words of HTTP, which a host may not have", () => {
    assert.sameMembers(Object.keys(samples), Object.keys(Errors).filter((name) => name !== "Problem"))
    const messages = Object.values(samples).flat().map(({ message }) => message)
    assert.deepStrictEqual(messages.filter((message) => ofHttp.test(message)), [])
  })

  it("are given no such words by the modules that make them", () => {
    assert.isAbove(texts.length, 50)
    const found = texts.filter(({ text }) => ofHttp.test(text.replaceAll("contact.external_id", "")))
    // An example of a row's message as HTTP shows it, and advice on policies, which files and commands have in snake_case.
    assert.deepStrictEqual(found.filter(({ file }) => !/domain.Batch\.ts$|^presets/.test(file)), [])
  })
})
