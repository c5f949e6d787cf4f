import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as Outdial from "../../src/promise/Outdial.ts"
import type { OutdialError } from "../../src/promise/OutdialError.ts"

const agent = { name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }
const number = "+14155550100"

const open = (options: Outdial.Options = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => Outdial.open({ agents: [agent], lines: 0, ...options })),
    (engine) => Effect.promise(() => engine.close())
  )

const agentIdOf = (engine: Outdial.Outdial) => Effect.promise(async () => (await engine.agents.list())[0]?.id ?? "none")

/** The code and the message that the promise rejects with. */
const refusal = (promise: () => unknown) =>
  Effect.map(
    Effect.flip(Effect.tryPromise({ try: async () => promise(), catch: (error) => error as OutdialError })),
    ({ code, message }) => [code, message]
  )

/** As plain JavaScript calls it, without a compiler that checks the names. */
const untyped = (value: unknown) => value as never

describe("requests of the library", () => {
  it.live("are refused with a field that is not known, and name the field that was probably meant", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const call = { agentId: yield* agentIdOf(engine), phoneNumber: number }
      const { batches, calls, deliveries, events, keys, rules, settings, usage, webhook } = engine
      const account = engine.account(engine.accountId)
      const unknown: ReadonlyArray<readonly [() => unknown, name: string, meant: string]> = [
        [() => calls.start(untyped({ ...call, not_before: "2030-01-01T00:00:00Z" })), "not_before", "notBefore"],
        [() => calls.start(untyped({ ...call, Test: true })), "Test", "test"],
        [() => calls.start(untyped({ ...call, contact: { timezone: "UTC" } })), "contact.timezone", "timeZone"],
        [() => calls.start(call, untyped({ idempotency_key: "k" })), "idempotency_key", "idempotencyKey"],
        [() => calls.list(untyped({ agent: call.agentId })), "agent", "agentId"],
        [() => batches.start(untyped({ rows: [], call: [call] })), "call", "calls"],
        [() => batches.list(untyped({ limits: 5 })), "limits", "limit"],
        [() => engine.agents.put(untyped({ ...agent, question: [] })), "question", "questions"],
        [() => rules.preview(untyped({ ...call, not_before: "2030-01-01" })), "not_before", "notBefore"],
        [() => settings.set(untyped({ line: 5 })), "line", "lines"],
        [() => usage.perDay(untyped({ from: "2030-01-01", to: "2030-01-01", form: 1 })), "form", "from"],
        [() => webhook.set(untyped({ url: "https://example.com", enable: false })), "enable", "enabled"],
        [() => webhook.rotateSecret(untyped({ gracePeriod: 0 })), "gracePeriod", "gracePeriodSeconds"],
        [() => webhook.recover(untyped({ since: new Date(), untill: new Date() })), "untill", "until"],
        [() => keys.create(untyped({ name: "k", scopes: ["calls:read"], expires: 1 })), "expires", "expiresAt"],
        [() => events.list(untyped({ types: "call.completed" })), "types", "type"],
        [() => events.feed(untyped({ cursors: "x" })), "cursors", "cursor"],
        [() => events.subscribe("a", () => {}, untyped({ event: [] })), "event", "events"],
        [() => deliveries.list(untyped({ states: [] })), "states", "state"],
        [() => account.calls.start(untyped({ ...call, Test: true })), "Test", "test"]
      ]
      for (const [ask, name, meant] of unknown) {
        const [code, message = ""] = yield* refusal(ask)
        assert.strictEqual(code, "invalid_request", name)
        assert.include(message, `${name} is not a known field; did you mean ${meant}?`)
      }
      assert.deepStrictEqual((yield* Effect.promise(() => calls.list())).items, [])
    }))

  it.live("are refused with a handler that is not a function", () =>
    Effect.gen(function*() {
      const { events } = yield* open()
      assert.deepStrictEqual(
        yield* refusal(() => events.subscribe("crm", untyped({ events: [] }), untyped(() => {}))),
        [
          "invalid_request",
          "handler must be a function"
        ]
      )
    }))

  it.live("are refused with an option that is not known", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      assert.deepStrictEqual(yield* refusal(() => Outdial.open(untyped({ storge: 1, Lines: 5 }))), [
        "invalid_request",
        "storge is not a known option; did you mean storage?; Lines is not a known option; did you mean lines?"
      ])
      assert.deepStrictEqual(yield* refusal(() => Outdial.open({ agents: untyped([{ ...agent, tone: "x" }]) })), [
        "invalid_request",
        "agents.0.tone is not a known field; known are id, name, script, language, variables, questions, dispositions, callerId, voicemailMessage, voicemail, firstMessage, disclosure, maxDurationSeconds, silenceSeconds, interruptible, endPhrases, transferNumbers, model, voice, tools"
      ])
      const signl = "signl is not a known option; did you mean signal?"
      assert.deepStrictEqual(yield* refusal(() => engine.with(untyped({ signl: 1 }))), ["invalid_request", signl])
      assert.deepStrictEqual(yield* refusal(() => engine.drain(untyped({ signl: 1 }))), ["invalid_request", signl])
    }))

  it.live("are told of other fields by their names here, alone and in batches", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const call = {
        agentId: yield* agentIdOf(engine),
        phoneNumber: number,
        notBefore: new Date(Date.now() + 7_200_000),
        expiresAt: new Date(Date.now() + 3_600_000)
      }
      const message = "expiresAt must be later than notBefore"
      assert.deepStrictEqual(yield* refusal(() => engine.calls.start(call)), ["invalid_request", message])
      const { rejected } = yield* Effect.promise(() => engine.batches.start({ calls: [call] }))
      assert.deepStrictEqual(rejected?.map(({ message }) => message), [message])
    }))

  it.live("reject a row with a field that is not known, and queue the others", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const agentId = yield* agentIdOf(engine)
      const calls = [{ phoneNumber: number }, untyped({ phoneNumber: number, not_before: "2030-01-01T00:00:00Z" })]
      const batch = yield* Effect.promise(() => engine.batches.start({ agentId, calls }))
      assert.strictEqual(batch.acceptedCount, 1)
      assert.deepStrictEqual(batch.rejected, [{
        index: 1,
        phoneNumber: number,
        code: "invalid_request",
        message: "not_before is not a known field; did you mean notBefore?",
        param: "/calls/1/not_before"
      }])
    }))

  it.live("accept Dates and text as instants, alone and in batches", () =>
    Effect.gen(function*() {
      const engine = yield* open({ policy: { callingHours: null } })
      const agentId = yield* agentIdOf(engine)
      const tomorrow = DateTime.addDuration(yield* DateTime.now, "1 day")
      const notBefore = DateTime.toDateUtc(tomorrow)
      const expiresAt = DateTime.formatIso(DateTime.addDuration(tomorrow, "1 hour"))
      const [one, other] = yield* Effect.promise(async () => {
        const one = await engine.calls.start({ agentId, phoneNumber: number, notBefore, expiresAt })
        const rows = [{ phoneNumber: "+14155550101", notBefore, expiresAt }]
        const { calls = [] } = await engine.batches.start({ agentId, calls: rows })
        return [one, await engine.calls.get(calls[0]?.id ?? "")]
      })
      assert.deepStrictEqual([one?.scheduledFor, other?.scheduledFor], [notBefore, notBefore])
      const { scheduledFor } = yield* Effect.promise(() =>
        engine.rules.preview({ agentId, phoneNumber: "+14155550102", notBefore })
      )
      assert.deepStrictEqual(scheduledFor, notBefore)
      const { items } = yield* Effect.promise(() => engine.calls.list({ createdAfter: "2020-01-01" }))
      assert.lengthOf(items, 2)
      assert.deepStrictEqual(
        yield* refusal(() => engine.calls.start({ agentId, phoneNumber: number, notBefore: new Date("x") })),
        [
          "invalid_request",
          "notBefore must be a valid Date or an ISO-8601 timestamp with Z or an offset, such as 2026-03-02T10:00:00Z"
        ]
      )
    }))

  it.live("find an agent by its name, and refuse a name of none or of several", () =>
    Effect.gen(function*() {
      const engine = yield* open({ agents: [agent, { ...agent, name: "Bea" }] })
      const bea = yield* Effect.promise(() => engine.agents.byName("Bea"))
      assert.strictEqual(bea.name, "Bea")
      assert.strictEqual((yield* Effect.promise(() => engine.agents.byName("Ada"))).name, "Ada")
      assert.deepStrictEqual(yield* refusal(() => engine.agents.byName("ada")), [
        "not_found",
        "There is no agent named \"ada\""
      ])
      const other = yield* Effect.promise(() => engine.agents.put({ ...agent, name: "Bea" }))
      const [code, message = ""] = yield* refusal(() => engine.agents.byName("Bea"))
      assert.strictEqual(code, "invalid_request")
      for (const id of [bea.id, other.id]) assert.include(message, id)
    }))

  it.live("name the field of every message, in the words of the HTTP interface", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const call = { agentId: yield* agentIdOf(engine), phoneNumber: number }
      const wrong: ReadonlyArray<readonly [() => unknown, string]> = [
        [() => engine.calls.start(untyped({ phoneNumber: number })), "agentId is required"],
        [() => engine.calls.start(untyped(5)), "The request must be an object"],
        [() => engine.calls.start(untyped({ ...call, test: "yes" })), "test must be true or false"],
        [() => engine.calls.get(untyped(5)), "id must be text"],
        [() => engine.calls.list(untyped({ status: ["x"] })), "status.0 must be one of queued, dialing"],
        [() => engine.agents.put(untyped({ name: "Bea", script: "Hi", dispositions: ["x"] })), "questions is required"],
        [() => engine.agents.get("Ada"), "id must be a UUID"],
        [() => engine.doNotCall.get(untyped(5)), "phoneNumber must be text"],
        [() => engine.doNotCall.add(untyped([5])), "phoneNumbers.0 must be text"],
        [() => engine.pauseAll(untyped("yes")), "paused must be true or false"],
        [() => Outdial.open({ agents: untyped([{ name: "Bea" }]) }), "agents.0.script is required"],
        [() => Outdial.open({ lines: untyped("five") }), "lines must be a number"]
      ]
      for (const [ask, message] of wrong) {
        const [code, told = ""] = yield* refusal(ask)
        assert.strictEqual(code, "invalid_request", message)
        assert.include(told, message)
        assert.notMatch(told, /Expected|Missing key|Invalid data/)
      }
    }))
})
