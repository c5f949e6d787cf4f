import { assert, describe, it } from "@effect/vitest"
import { OutcomeSource } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Fixture from "../Fixture.ts"

const number = "+14155550100"

/** A callee who has had enough. */
const outcomes = Layer.succeed(OutcomeSource.OutcomeSource, {
  make: (conversation) => Effect.succeed({ ...OutcomeSource.sample(conversation), doNotCall: true })
})

const add = (body: unknown) => Fixture.send("/v1/do_not_call", { body })

const refusal = (answer: Fixture.Received) => {
  const { code, location, param, status } = Fixture.errorOf(answer)
  return [status, code, location, param]
}

describe("the do-not-call list", () => {
  it.effect.each([
    ["no field", {}],
    ["null", { phone_numbers: null }],
    ["text", { phone_numbers: number }],
    ["an object", { phone_numbers: { length: 1, 0: number } }],
    ["an empty list", { phone_numbers: [] }],
    ["1,001 numbers", { phone_numbers: Array.from({ length: 1001 }, () => number) }]
  ])("refuses %s for numbers", ([, body]) =>
    Effect.gen(function*() {
      assert.deepStrictEqual(refusal(yield* add(body)), [400, "invalid_request", "body", "/phone_numbers"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each([
    "",
    " ",
    "+1415",
    "+0123456789",
    "+14155550100;ext=5",
    "+1\u0000415 555 0100",
    "\ud800",
    "1".repeat(5000),
    "__proto__",
    5,
    1e308,
    true,
    null,
    [],
    [number],
    { toString: number },
    JSON.parse(`{"__proto__": "${number}"}`)
  ])("refuses %j for a number, points at it, and adds nothing", (wrong) =>
    Effect.gen(function*() {
      const answer = yield* add({ phone_numbers: [number, wrong] })
      assert.deepStrictEqual(refusal(answer), [400, "invalid_request", "body", "/phone_numbers/1"])
      assert.isBelow(JSON.stringify(answer.body).length, 1000)
      assert.strictEqual((yield* Fixture.send(`/v1/do_not_call/${number}`)).status, 404)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect.each([
    "nope",
    "%2B1415",
    "%00",
    "%20",
    "+0123456789",
    "__proto__",
    "%2B14155550100%00",
    "%252B14155550100",
    "1".repeat(3000)
  ])("refuses %s for a number in the path", (part) =>
    Effect.gen(function*() {
      for (const method of ["GET", "DELETE"]) {
        const answer = yield* Fixture.send(`/v1/do_not_call/${part}`, { method })
        assert.deepStrictEqual(refusal(answer), [400, "invalid_request", "path", "/phone_number"])
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("finds a number however it is written", () =>
    Effect.gen(function*() {
      yield* add({ phone_numbers: ["001 (415) 555-0100"] })
      for (const part of [number, "%2B14155550100", "%2B1%20415%20555%200100", "0014155550100"]) {
        const { body } = yield* Fixture.send(`/v1/do_not_call/${part}`)
        assert.deepStrictEqual(body, {
          object: "do_not_call_entry",
          phone_number: number,
          source: "api",
          created_at: "1970-01-01T00:00:00.000Z"
        })
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("lists newest first, by number what came at once", () =>
    Effect.gen(function*() {
      yield* add({ phone_numbers: ["+14155550101", "+14155550103", "+14155550102"] })
      yield* TestClock.adjust("1 second")
      yield* add({ phone_numbers: [number, "+14155550101"] })
      const seen: Array<string> = []
      let query = "?limit=1"
      while (query !== "") {
        const { body } = yield* Fixture.send(`/v1/do_not_call${query}`)
        seen.push(...body["data"].map((entry: { readonly phone_number: string }) => entry.phone_number))
        query = body["next_cursor"] === null ? "" : `?limit=1&cursor=${body["next_cursor"]}`
      }
      assert.deepStrictEqual(seen, [number, "+14155550103", "+14155550102", "+14155550101"])
      for (const wrong of ["?source=api", "?cursor=x", "?limit=0", "?phone_number=x"]) {
        assert.strictEqual(Fixture.errorOf(yield* Fixture.send(`/v1/do_not_call${wrong}`)).code, "invalid_request")
      }
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("shows the call in which a callee asked for it", () =>
    Effect.gen(function*() {
      const { body: call } = yield* Fixture.send("/v1/calls", { body: yield* Fixture.startCall() })
      yield* TestEngine.advance("5 minutes")
      const { body } = yield* Fixture.send(`/v1/do_not_call/${number}`)
      assert.deepInclude(body, { source: "call", call_id: call["id"] })
      const { body: { outcome } } = yield* Fixture.send(`/v1/calls/${call["id"]}`)
      assert.isTrue(outcome.do_not_call)
    }).pipe(Effect.provide(Fixture.layer({ outcomes }))))

  it.effect("answers 405 to other methods of its paths", () =>
    Effect.gen(function*() {
      const answer = yield* Fixture.send(`/v1/do_not_call/${number}`, { method: "PUT" })
      assert.strictEqual(Fixture.errorOf(answer).code, "method_not_allowed")
      assert.strictEqual(answer.headers.get("allow"), "GET, DELETE, HEAD")
    }).pipe(Effect.provide(Fixture.layer())))
})
