/** Carriers that answer with a page, with an error inside a success, with nothing, or with the call of another: none of it proves anything. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import * as TelnyxApi from "../../src/telnyx/TelnyxApi.ts"
import * as TwilioApi from "../../src/twilio/TwilioApi.ts"

type Answer = readonly [status: number, body: string, type?: string]

/** A carrier that answers every request with this, and how often it was asked. */
const answering = ([status, body, type = "application/json"]: Answer) => {
  let requests = 0
  const client = HttpClient.make((request) =>
    Effect.sync(() => {
      requests += 1
      return HttpClientResponse.fromWeb(request, new Response(body, { status, headers: { "content-type": type } }))
    })
  )
  return { requests: () => requests, provided: Effect.provideService(HttpClient.HttpClient, client) }
}

const page = "<html><body>Sign in to the network</body></html>"

const answers = {
  "a page with status 200": [200, page, "text/html"],
  "a page with status 502": [502, page, "text/html"],
  "nothing with status 200": [200, ""],
  "an empty object": [200, "{}"],
  "a list": [200, "[]"],
  "half of an object": [200, "{\"sid\":\"CA"],
  "nothing with status 408": [408, ""],
  "nothing with status 500": [500, ""],
  "nothing with status 503": [503, ""]
} as const satisfies Readonly<Record<string, Answer>>

/** Those of each carrier: its own error inside a success, and calls that are not ours. */
const twilioAnswers = {
  ...answers,
  "an error inside a success": [
    200,
    JSON.stringify({ code: 21211, message: "No", more_info: "https://www.twilio.com/docs/errors/21211", status: 400 })
  ],
  "the call of another account": [
    200,
    JSON.stringify({
      sid: `CA${"a".repeat(32)}`,
      account_sid: `AC${"2".repeat(32)}`,
      status: "completed",
      date_created: null
    })
  ]
} as const

const telnyxAnswers = {
  ...answers,
  "an error inside a success": [200, JSON.stringify({ errors: [{ code: "10002", title: "Invalid phone number" }] })],
  "a call without an id": [200, JSON.stringify({ data: { call_control_id: "", call_leg_id: "1" } })]
} as const

const sid = `CA${"a".repeat(32)}`

describe("Twilio", () => {
  for (const [name, answer] of Object.entries(twilioAnswers)) {
    it.effect(`that answers with ${name} has said nothing, and is asked once for a call`, () => {
      const { provided, requests } = answering(answer)
      return Effect.gen(function*() {
        const api = yield* TwilioApi.make({
          accountSid: `AC${"1".repeat(32)}`,
          user: "user",
          password: Redacted.make("password"),
          apiUrl: "https://carrier.example"
        })
        assert.strictEqual((yield* Effect.flip(api.create([["To", "+14155550101"]]))).reason, "unknown")
        assert.strictEqual(requests(), 1)
        const asked = [
          api.get(sid),
          api.list({ to: "+14155550101" }),
          api.end(sid),
          api.recording(`RE${"a".repeat(32)}`),
          api.removeRecording(`RE${"a".repeat(32)}`)
        ]
        for (const one of asked) {
          assert.strictEqual(
            (yield* Effect.flip<unknown, { readonly _tag: string }, never>(one))._tag,
            "TwilioUnreachable"
          )
        }
      }).pipe(provided)
    })
  }
})

describe("Telnyx", () => {
  for (const [name, answer] of Object.entries(telnyxAnswers)) {
    it.effect(`that answers with ${name} has said nothing, and is asked once for a call`, () => {
      const { provided, requests } = answering(answer)
      return Effect.gen(function*() {
        const api = yield* TelnyxApi.make({
          apiKey: Redacted.make("key"),
          connectionId: "1",
          apiUrl: "https://carrier.example"
        })
        assert.strictEqual((yield* Effect.flip(api.dial({ to: "+14155550101" }))).reason, "unknown")
        assert.strictEqual(requests(), 1)
        const asked = [
          api.get("v3:1"),
          api.active,
          api.past({ legId: "1" }),
          api.recording("https://carrier.example/1.wav"),
          api.removeRecordings("1"),
          ...name === "a call without an id" ? [] : [api.hangUp("v3:1"), api.startRelay("v3:1", {})]
        ]
        for (const one of asked) {
          assert.strictEqual(
            (yield* Effect.flip<unknown, { readonly _tag: string }, never>(one))._tag,
            "TelnyxUnreachable"
          )
        }
      }).pipe(provided)
    })
  }
})
