import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import * as Fixture from "../Fixture.ts"

const policy = { callingHours: null, recallGapSeconds: 0, numberLimits: [] }
const inTheUS = { ...policy, defaultCountry: "US" }
const number = "+14155550100"
const written = "(415) 555-0100"

const start = (phone_number: unknown, key?: string) =>
  Effect.flatMap(
    Fixture.startCall({ phone_number }),
    (body) => Fixture.send("/v1/calls", { body, ...(key !== undefined && { headers: { "idempotency-key": key } }) })
  )

const entryOf = (text: string) => `/v1/do_not_call/${encodeURIComponent(text)}`

/** What each place that takes a number makes of this one. */
const everywhere = Effect.fnUntraced(function*(text: string) {
  const body = yield* Fixture.startCall({ phone_number: text })
  const answers = [
    yield* Fixture.send("/v1/calls", { body }),
    yield* Fixture.send("/v1/calls/preview", { body }),
    yield* Fixture.send("/v1/do_not_call", { body: { phone_numbers: [text] } }),
    yield* Fixture.send(entryOf(text)),
    yield* Fixture.send(entryOf(text), { method: "DELETE" }),
    yield* Fixture.send(`/v1/calls?phone_number=${encodeURIComponent(text)}`)
  ]
  const { agent_id, ...row } = body
  const batch = yield* Fixture.send("/v1/batches", { body: { agent_id, calls: [row] } })
  const [rejected] = batch.body["rejected"]
  return {
    errors: answers.map(({ body, status }) => {
      const { request_id, ...error } = body["error"] ?? {}
      assert.isString(request_id)
      return { status, ...error }
    }),
    rejected: { ...rejected, phone_number: undefined }
  }
})

describe("numbers written without a country", () => {
  it.effect("are refused everywhere, as any other text is, where the policy has no default country", () =>
    Effect.gen(function*() {
      const refused = yield* everywhere("nobody")
      assert.deepStrictEqual(refused.errors.map(({ status }) => status), [400, 400, 400, 400, 400, 400])
      for (const text of [written, "4155550100", "911", "0612345678"]) {
        assert.deepStrictEqual(yield* everywhere(text), refused)
      }
    }).pipe(Effect.provide(Fixture.layer({ policy }))))

  it.effect("are those of the default country everywhere", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const call = yield* start(written)
      assert.deepStrictEqual([call.status, call.body["phone_number"]], [201, number])
      const { body: listed } = yield* Fixture.send(`/v1/calls?phone_number=${encodeURIComponent(written)}`)
      assert.deepStrictEqual(listed["data"].map(({ id }: { readonly id: string }) => id), [call.body["id"]])
      const preview = yield* Fixture.send("/v1/calls/preview", { body: { phone_number: written } })
      assert.deepStrictEqual([preview.status, preview.body["phone_number"]], [200, number])
      const rows = ["415 555 0101", "+44 20 7946 0958", "415-555-0101", "911", "nobody"]
      const batch = yield* Fixture.send("/v1/batches", {
        body: {
          agent_id: agentId,
          calls: rows.map((phone_number) => ({ phone_number, variables: { topic: "x" } }))
        }
      })
      assert.deepStrictEqual(
        batch.body["calls"].map(({ phone_number }: Record<string, string>) => phone_number),
        ["+14155550101", "+442079460958"]
      )
      assert.deepStrictEqual(
        batch.body["rejected"].map((
          { code, param, phone_number }: Record<string, string>
        ) => [phone_number, code, param]),
        [
          ["415-555-0101", "call_already_queued", "/calls/2/phone_number"],
          ["911", "invalid_request", "/calls/3/phone_number"],
          ["nobody", "invalid_request", "/calls/4/phone_number"]
        ]
      )
      const added = yield* Fixture.send("/v1/do_not_call", { body: { phone_numbers: [written, number] } })
      assert.deepStrictEqual(added.body, { object: "do_not_call_addition", added: 1, canceled: 1 })
      assert.strictEqual((yield* Fixture.send(entryOf(written))).body["phone_number"], number)
      const removed = yield* Fixture.send(entryOf(written), { method: "DELETE" })
      assert.deepStrictEqual(removed.body, { object: "do_not_call_entry", phone_number: number, deleted: true })
      assert.strictEqual((yield* Fixture.send(entryOf(number))).status, 404)
    }).pipe(Effect.provide(Fixture.layer({ lines: 0, policy: inTheUS }))))

  it.effect("are never emergency numbers, short numbers, or text that is no number", () =>
    Effect.gen(function*() {
      for (const text of ["911", "9-1-1", "112", "988", "211", "1", "5550100", "9115550100", "01144"]) {
        const { errors, rejected } = yield* everywhere(text)
        assert.deepStrictEqual(errors.map(({ status }) => status), [400, 400, 400, 400, 400, 400], text)
        assert.match(errors[0]?.["message"], /^phone_number is not a telephone number in US, your default country; /)
        assert.deepStrictEqual(
          errors.map(({ location, param }) => [location, param]),
          ["body", "body", "body", "path", "path", "query"].map((location, index) => [
            location,
            index === 2 ? "/phone_numbers/0" : "/phone_number"
          ])
        )
        assert.strictEqual(rejected["code"], "invalid_request")
      }
      const usual = yield* everywhere("nobody")
      for (
        const text of [
          "1-800-FLOWERS",
          "4155550100 x5",
          "4155550100;ext=5",
          "*67 4155550100",
          "415\u00005550100",
          "1".repeat(30)
        ]
      ) {
        assert.deepStrictEqual(yield* everywhere(text), usual, text)
      }
    }).pipe(Effect.provide(Fixture.layer({ policy: inTheUS }))))

  it.effect("are refused when they cost extra, as any number is", () =>
    Effect.gen(function*() {
      assert.deepInclude(Fixture.errorOf(yield* start("(900) 234-5678")), { status: 422, code: "number_not_allowed" })
    }).pipe(Effect.provide(Fixture.layer({ policy: inTheUS }))))

  it.effect("may be dialed abroad with the country's own prefix", () =>
    Effect.gen(function*() {
      for (
        const [text, expected] of [
          ["011 44 20 7946 0958", "+442079460958"],
          ["011-49-30-901820", "+4930901820"],
          ["011 1 415 555 0100", "+14155550100"]
        ]
      ) {
        assert.strictEqual((yield* start(text ?? "")).body["phone_number"], expected)
      }
      // The prefixes of other countries are none here.
      for (const text of ["810 44 20 7946 0958", "010 44 20 7946 0958", "011 999 20 7946 0958"]) {
        assert.strictEqual((yield* start(text)).status, 400, text)
      }
    }).pipe(Effect.provide(Fixture.layer({ policy: inTheUS }))))

  it.effect("leave numbers with a country as they are", () =>
    Effect.gen(function*() {
      for (const [text, expected] of [["+442079460958"], ["0044 20 7946 0959", "+442079460959"]]) {
        assert.strictEqual((yield* start(text)).body["phone_number"], expected ?? text)
      }
    }).pipe(Effect.provide(Fixture.layer({ lines: 0, policy: inTheUS }))))

  it.effect("are the same request as in E.164 form, and another one in another country", () =>
    Effect.gen(function*() {
      const { body } = yield* start("020 7946 0958", "visit")
      for (const text of ["020 7946 0958", "+442079460958"]) {
        const again = yield* start(text, "visit")
        assert.deepStrictEqual([again.status, again.body["id"]], [200, body["id"]])
      }
      yield* Fixture.setPolicy({ ...policy, defaultCountry: "IT" })
      assert.deepInclude(Fixture.errorOf(yield* start("0669812345", "visit")), {
        status: 422,
        code: "idempotency_key_reused"
      })
      yield* Fixture.setPolicy(policy)
      assert.deepInclude(Fixture.errorOf(yield* start("020 7946 0958", "visit")), {
        status: 400,
        code: "invalid_request"
      })
      assert.strictEqual((yield* start("+442079460958", "visit")).body["id"], body["id"])
    }).pipe(Effect.provide(Fixture.layer({ lines: 0, policy: { ...policy, defaultCountry: "GB" } }))))
})
