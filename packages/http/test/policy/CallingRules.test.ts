import { assert, describe, it } from "@effect/vitest"
import { type Policy } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Fixture from "../Fixture.ts"

const preview = (body: unknown) => Fixture.send("/v1/calls/preview", { body })

/** Ada is called in the afternoon, everybody else in the morning; the clock stands at midnight of a Thursday, in UTC. */
const policy: Policy.PolicyDocument = {
  ...Factories.openPolicy,
  callingHours: { thu: [{ start: "09:00", end: "12:00" }] },
  fallbackTimeZone: "Etc/UTC"
}

const windows = (start: string) => ({ ...policy, callingHours: { thu: [{ start, end: "23:00" }] } })

describe("a preview", () => {
  it.effect("shows what holds a call now, and until when, in the named zone", () =>
    Effect.gen(function*() {
      const answer = yield* preview({ phone_number: "+14155550100", contact: { time_zone: "Etc/UTC" } })
      const { at, code, decision, reason, rules, scheduled_for, time_zones } = answer.body
      assert.deepStrictEqual([answer.status, at, time_zones, decision, code, scheduled_for], [
        200,
        "1970-01-01T00:00:00.000Z",
        ["UTC"],
        "wait",
        "outside_calling_hours",
        "1970-01-01T09:00:00.000Z"
      ])
      assert.strictEqual(reason, "Waiting for calling hours in the callee's time zone.")
      assert.deepStrictEqual(rules.filter(({ allows }: { readonly allows: boolean }) => !allows), [{
        rule: "outside_calling_hours",
        allows: false,
        next_allowed_at: "1970-01-01T09:00:00.000Z",
        data: {
          time_zones: ["UTC"],
          fallback_time_zone: "Etc/UTC",
          calling_hours: policy.callingHours,
          excluded_dates: [],
          agent_policy: false
        }
      }])
    }).pipe(Effect.provide(Fixture.layer({ policy }))))

  it.effect("says that a call would be dialed", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("10 hours")
      const { body } = yield* preview({ phone_number: "+14155550100", contact: { time_zone: "Etc/UTC" } })
      assert.deepInclude(body, { decision: "dial" })
      assert.doesNotHaveAnyKeys(body, ["code", "reason", "scheduled_for", "call_id", "call_status"])
    }).pipe(Effect.provide(Fixture.layer({ policy }))))

  it.effect("asks the rules of the agent that was named", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      yield* Fixture.setPolicy({ ...policy, agents: { [agentId]: { callingHours: windows("14:00").callingHours } } })
      const request = { phone_number: "+14155550100", contact: { time_zone: "Etc/UTC" } }
      assert.strictEqual((yield* preview(request)).body["scheduled_for"], "1970-01-01T09:00:00.000Z")
      const { body } = yield* preview({ ...request, agent_id: agentId })
      assert.strictEqual(body["scheduled_for"], "1970-01-01T14:00:00.000Z")
    }).pipe(Effect.provide(Fixture.layer({ policy }))))

  it.effect.each([
    ["/phone_number", {}],
    ["/phone_number", { phone_number: 5 }],
    ["/phone_number", { phone_number: "+1415\u00005550100" }],
    ["/phone_number", { phone_number: "1".repeat(5000) }],
    ["/__proto__", JSON.parse("{\"__proto__\": {\"phone_number\": \"+14155550100\"}}")],
    ["/agent_id", { phone_number: "+14155550100", agent_id: "ada" }],
    ["/contact", { phone_number: "+14155550100", contact: "Ada" }],
    ["/contact/time_zone", { phone_number: "+14155550100", contact: { time_zone: "" } }],
    ["/contact/time_zone", { phone_number: "+14155550100", contact: { time_zone: "+02:00" } }],
    ["/contact/time_zone", { phone_number: "+14155550100", contact: { time_zone: "__proto__" } }],
    ["/contact/time_zone", { phone_number: "+14155550100", contact: { time_zone: "x".repeat(5000) } }],
    ["/contact/time_zone", { phone_number: "+14155550100", contact: { time_zone: ["UTC"] } }],
    ["/not_before", { phone_number: "+14155550100", not_before: "tomorrow" }]
  ])("is refused at %s", ([param, body]) =>
    Effect.gen(function*() {
      const error = Fixture.errorOf(yield* preview(body))
      assert.deepStrictEqual([error.status, error.code, error.param], [400, "invalid_request", param])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("accepts a request for a call, and reports the error that would refuse it", () =>
    Effect.gen(function*() {
      const request = yield* Fixture.startCall()
      assert.strictEqual((yield* preview(request)).body["decision"], "dial")
      yield* Fixture.send("/v1/calls", { body: request })
      assert.deepInclude((yield* preview(request)).body, { decision: "refuse", code: "call_already_queued" })
      yield* Fixture.send("/v1/do_not_call", { body: { phone_numbers: [request.phone_number] } })
      assert.deepInclude((yield* preview(request)).body, { decision: "refuse", code: "number_do_not_call" })
    }).pipe(Effect.provide(Fixture.layer({ lines: 1 }))))
})

describe("a number that was called as often as is allowed", () => {
  const withRateLimit = { ...Factories.openPolicy, numberLimits: [{ max: 1, windowSeconds: 86_400 }] }

  it.effect("is refused with the instant from which it may be called again", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const request = yield* Fixture.startCall()
      assert.strictEqual((yield* Fixture.send("/v1/calls", { body: request })).status, 201)
      yield* TestEngine.advance("1 hour")
      const single = yield* Fixture.send("/v1/calls", { body: request })
      const { message, ...error } = Fixture.errorOf(single)
      assert.deepStrictEqual(error, {
        status: 409,
        code: "number_limit_reached",
        retry_at: "1970-01-02T00:00:00.000Z"
      })
      assert.include(message, "1970-01-02T00:00:00.000Z")
      const { agent_id: _, ...row } = request
      const batch = yield* Fixture.send("/v1/batches", { body: { agent_id: agentId, calls: [row] } })
      const { message: __, ...rejected } = batch.body["rejected"][0]
      assert.deepStrictEqual(rejected, {
        index: 0,
        phone_number: "+14155550100",
        code: "number_limit_reached",
        param: "/calls/0/phone_number",
        retry_at: "1970-01-02T00:00:00.000Z"
      })
      const { body: kept } = yield* Fixture.send(`/v1/batches/${batch.body["id"]}`)
      assert.deepStrictEqual(kept["rejected"], batch.body["rejected"])
      yield* TestEngine.advance("23 hours")
      assert.strictEqual((yield* Fixture.send("/v1/calls", { body: request })).status, 201)
    }).pipe(Effect.provide(Fixture.layer({ policy: withRateLimit }))))

  it.effect("is refused as already queued while a call to it waits", () =>
    Effect.gen(function*() {
      const request = yield* Fixture.startCall()
      yield* Fixture.send("/v1/calls", { body: request })
      assert.strictEqual(
        Fixture.errorOf(yield* Fixture.send("/v1/calls", { body: request })).code,
        "call_already_queued"
      )
    }).pipe(Effect.provide(Fixture.layer({ policy: withRateLimit, lines: 0 }))))
})

describe("rows of a batch", () => {
  it.effect("are checked by the rules as single calls are, each against the rows before it", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const { agent_id: _, ...row } = yield* Fixture.startCall({ contact: { time_zone: "Etc/UTC" } })
      yield* Fixture.send("/v1/do_not_call", { body: { phone_numbers: ["+14155550101"] } })
      const answer = yield* Fixture.send("/v1/batches", {
        body: {
          agent_id: agentId,
          calls: [
            row,
            { ...row, phone_number: "+14155550101" },
            row,
            { ...row, phone_number: "+14155550102", contact: { time_zone: "Mars/Olympus" } }
          ]
        }
      })
      const { calls: [accepted], rejected } = answer.body
      assert.deepStrictEqual(
        rejected.map(({ code, param }: { readonly code: string; readonly param: string }) => [code, param]),
        [
          ["number_do_not_call", "/calls/1/phone_number"],
          ["call_already_queued", "/calls/2/phone_number"],
          ["invalid_request", "/calls/3/contact/time_zone"]
        ]
      )
      const { body: call } = yield* Fixture.send(`/v1/calls/${accepted.id}`)
      assert.deepInclude(call, {
        status_code: "outside_calling_hours",
        scheduled_for: "1970-01-01T09:00:00.000Z",
        contact: { time_zone: "Etc/UTC" }
      })
    }).pipe(Effect.provide(Fixture.layer({ policy }))))
})

describe("an explanation", () => {
  it.effect("is 404 for another account's call, and for an unknown id", () =>
    Effect.gen(function*() {
      const refused = (id: string) =>
        Effect.map(Fixture.send(`/v1/calls/${id}/explanation`), (answer) => Fixture.errorOf(answer).code)
      assert.strictEqual(yield* refused("call_1"), "not_found")
      assert.strictEqual(yield* refused(`call_${"a".repeat(2000)}`), "not_found")
      for (const id of ["preview", "call_", "%00", "__proto__"]) {
        assert.strictEqual(yield* refused(id), "invalid_request")
      }
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("the health", () => {
  it.effect("reports which time zone data is in use", () =>
    Effect.gen(function*() {
      const { body } = yield* Fixture.send("/healthz", { key: "" })
      assert.deepStrictEqual(Object.keys(body), ["status", "time_zones"])
      assert.match(body["time_zones"].version, /^[0-9a-f]{8}$/)
    }).pipe(Effect.provide(Fixture.layer())))
})
