import { assert, describe, it } from "@effect/vitest"
import { Engine, Masking } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as MaskedResponses from "../../src/access/MaskedResponses.ts"
import { layer, login, outcome, send } from "../Fixture.ts"

const number = "+14155550137"

const mask = (response: HttpServerResponse.HttpServerResponse) =>
  Effect.map(MaskedResponses.mask(response), HttpServerResponse.toWeb)

const textOf = (response: Response) => Effect.promise(() => response.text())

describe("Viewers of the console", () => {
  it.effect("see calls with masked numbers, wherever they are, and no scripts", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const { drain } = yield* Engine.Engine
      const [admin, viewer] = [yield* login(), yield* login({ role: "viewer" })]
      const v1 = `accounts/${accountId}/v1`
      const contact = { name: `Ada ${number}`, external_id: "14155550137" }
      const call = { agent_id: agentId, phone_number: number, contact, variables: { topic: "call (415) 555-0137" } }
      const { body } = yield* send(`${v1}/calls`, { cookie: admin, body: call })
      yield* drain
      const paths = [`calls`, `calls/${body.id}`, `calls/${body.id}/explanation`, `calls/${body.id}/transcript`]
      for (const path of paths) {
        const [whole, masked] = [
          yield* send(`${v1}/${path}`, { cookie: admin }),
          yield* send(`${v1}/${path}`, { cookie: viewer })
        ]
        assert.deepStrictEqual([whole.status, masked.status], [200, 200], path)
        for (const hidden of ["4155550137", "555-0137"]) assert.notInclude(masked.text, hidden, path)
      }
      const { body: seen } = yield* send(`${v1}/calls/${body.id}`, { cookie: viewer })
      assert.deepStrictEqual([seen.id, seen.phone_number, seen.agent_id], [body.id, Masking.masked(number), agentId])
      assert.include((yield* send(`${v1}/calls/${body.id}`, { cookie: admin })).text, number)
      assert.notProperty((yield* send(`${v1}/agents/${agentId}`, { cookie: viewer })).body, "script")
      for (const path of ["webhook", "events", "do_not_call"]) {
        assert.strictEqual(outcome(yield* send(`${v1}/${path}`, { cookie: viewer })), "403 insufficient_scope", path)
      }
      for (const path of ["calls", `calls/${body.id}/cancel`]) {
        assert.strictEqual(
          outcome(yield* send(`${v1}/${path}`, { cookie: viewer, body: {} })),
          "403 insufficient_scope"
        )
      }
    }).pipe(Effect.provide(layer())))

  it.effect("get ids, instants and links to recordings whole", () =>
    Effect.gen(function*() {
      const kept = {
        id: "call_01234567890123456789012345",
        agent_id: "12345678-1234-4123-8123-123456789012",
        at: "2026-03-02T10:00:00.000Z",
        recording_url:
          "https://x.test/v1/calls/call_012345678901/recording?account=acct_1&expires=1772532107&signature=a-_b"
      }
      const response = yield* mask(HttpServerResponse.jsonUnsafe({ ...kept, text: number, [number]: 14155550137 }))
      const hidden = Masking.masked(number)
      assert.deepStrictEqual(JSON.parse(yield* textOf(response)), { ...kept, text: hidden, [hidden]: "141…37" })
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      const link = `https://evil.test/v1/calls/call_0/recording?${number}`
      assert.notInclude(yield* textOf(yield* mask(HttpServerResponse.jsonUnsafe({ link }))), "4155550137")
    }))

  it.effect("get streams of events masked, however they are cut into chunks", () =>
    Effect.gen(function*() {
      const events = [
        ":\n\n",
        `event: turn\nid: 12\ndata: {"text":"Call ${number}, or 415-555-0137","call_id":"call_01234567890123456789"}\n\n`,
        "event: sealed\ndata: {\"call_id\":\"call_1\"}\n\n"
      ].join("")
      const bytes = new TextEncoder().encode(events)
      for (const size of [1, 7, bytes.length]) {
        const chunks = Array.from(
          { length: Math.ceil(bytes.length / size) },
          (_, index) => bytes.slice(index * size, (index + 1) * size)
        )
        const response = yield* mask(
          HttpServerResponse.stream(Stream.fromIterable(chunks), { contentType: "text/event-stream" })
        )
        const text = yield* textOf(response)
        const shown = `Call ${Masking.masked(number)}, or ${Masking.masked("415-555-0137")}`
        assert.strictEqual(text, events.replace(`Call ${number}, or 415-555-0137`, shown), `chunks of ${size}`)
      }
    }))

  it.effect("get sound as it is", () =>
    Effect.gen(function*() {
      const bytes = new TextEncoder().encode(number)
      const response = yield* mask(HttpServerResponse.uint8Array(bytes, { contentType: "audio/wav" }))
      assert.strictEqual(yield* textOf(response), number)
    }))
})
