import { assert, it } from "@effect/vitest"
import {
  Call,
  Calls,
  Engine,
  LineReports,
  MemoryStorage,
  OutcomeSource,
  Storage,
  Webhooks,
  WebhookTransport
} from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Fiber, Latch, Layer, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"

/** A source that fails, or returns the given function's result, at each call. */
const source = (
  make: (attempt: number) => Effect.Effect<unknown, OutcomeSource.OutcomeFailed>,
  options: Pick<OutcomeSource.OutcomeSource["Service"], "fallback"> = {}
) =>
  Layer.effect(
    OutcomeSource.OutcomeSource,
    Effect.gen(function*() {
      const attempts = yield* Ref.make(0)
      return {
        ...options,
        make: () =>
          Effect.flatMap(
            Ref.updateAndGet(attempts, (n) => n + 1),
            // What a source returns is checked by the engine, so a wrong one must be able to return anything.
            (attempt) => make(attempt) as Effect.Effect<typeof Factories.outcome, OutcomeSource.OutcomeFailed>
          )
      }
    })
  )

const failed = new OutcomeSource.OutcomeFailed({ cause: "no model" })

const started = Effect.fnUntraced(function*(phoneNumber: string) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = { agentId, phoneNumber, variables: { topic: "your visit" } }
  return yield* calls.start(accountId, yield* Schema.decodeUnknownEffect(Call.StartCall)(request))
})

/** The end of a conversation in which the contact said this. */
const talked = (at: DateTime.Utc, text = "Yes") =>
  ({
    _tag: "Ended",
    at,
    result: "hung_up",
    answeredAt: at,
    answeredBy: "human",
    transcript: [{ speaker: "contact", text }],
    recorded: false
  }) as const

/** Talks a call through, then waits, and answers the call and the events that were sent. */
const talk = Effect.fnUntraced(function*(wait: "2 minutes" | "15 minutes") {
  const { accountId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const webhooks = yield* Webhooks.Webhooks
  yield* webhooks.set(accountId, { url: "https://example.com/hook" })
  const { id } = yield* started("+14155550100")
  yield* TestEngine.advance(wait)
  const sent = yield* Ref.get(yield* WebhookTransport.Sent)
  return { call: yield* calls.get(accountId, id), events: sent.map(({ body }) => JSON.parse(body)) }
})

const testing = (outcomes: Layer.Layer<OutcomeSource.OutcomeSource>) => Effect.provide(TestEngine.layer({ outcomes }))

describe("Outcomes", () => {
  it.effect("tries again until the outcome is made, and reports the call once, with it", () =>
    Effect.gen(function*() {
      const { call, events } = yield* talk("15 minutes")
      assert.deepStrictEqual(call.outcome, Factories.outcome)
      assert.deepStrictEqual(events.map(({ data, type }) => [type, data.outcome.summary]), [[
        "call.completed",
        Factories.outcome.summary
      ]])
    }).pipe(testing(source((attempt) => attempt < 4 ? Effect.fail(failed) : Effect.succeed(Factories.outcome)))))

  it.effect("makes the outcome of a conversation with a turn longer than the limit", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const reports = yield* LineReports.LineReports
      const { id: callId } = yield* started("+14155550100")
      yield* TestEngine.drain
      const at = yield* DateTime.now
      const text = "Well, ".repeat(1000)
      yield* reports.report({
        accountId,
        callId,
        event: talked(at, text)
      })
      yield* TestEngine.advance("15 minutes")
      const { outcome } = yield* calls.get(accountId, callId)
      assert.strictEqual(outcome?.transcript.map((turn) => turn.text).join(""), text)
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("reports a call with its announced recording when that has come, and after a minute without it", () => {
    let made = 0
    const outcomes = source(() =>
      Effect.sync(() => {
        made += 1
        return Factories.outcome
      })
    )
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const reports = yield* LineReports.LineReports
      const webhooks = yield* Webhooks.Webhooks
      yield* webhooks.set(accountId, { url: "https://example.com/hook" })
      const ids = (yield* Effect.forEach(["+14155550100", "+14155550101", "+14155550102"], started)).map(({ id }) => id)
      const [soon, late, never] = ids
      yield* TestEngine.drain
      const at = yield* DateTime.now
      const event = { ...talked(at), recordingFollows: true }
      for (const callId of ids) yield* reports.report({ accountId, callId, event })
      const record = (callId = soon ?? never) =>
        callId === undefined
          ? Effect.die("There is no call")
          : reports.report({ accountId, callId, event: { _tag: "Recorded" } })
      const sent = Effect.map(
        Effect.flatMap(WebhookTransport.Sent, Ref.get),
        (all) =>
          all.map(({ body }) => JSON.parse(body).data).map((
            { id, outcome, recording_url }
          ) => [id, outcome !== null, typeof recording_url])
      )

      yield* TestEngine.advance("59 seconds")
      assert.deepStrictEqual([made, yield* sent], [3, []])
      const { outcome } = yield* calls.get(accountId, ids[0] ?? assert.fail())
      assert.deepStrictEqual(outcome, Factories.outcome)
      assert.strictEqual(yield* record(), "continue")
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* sent, [[soon, true, "string"]])
      yield* TestEngine.advance("1 second")
      assert.deepStrictEqual((yield* sent).length, 3)
      assert.strictEqual(yield* record(late), "continue")
      yield* TestEngine.advance("10 minutes")
      assert.sameDeepMembers((yield* sent).slice(1), [[late, true, "undefined"], [never, true, "undefined"]])
      assert.strictEqual(made, 3)
      const links = yield* Effect.forEach(
        ids,
        (id) => Effect.map(calls.get(accountId, id), ({ recordingUrl }) => recordingUrl !== undefined)
      )
      assert.deepStrictEqual(links, [true, true, false])
    }).pipe(testing(outcomes))
  })

  it.effect("reports a call whose outcome is made while that of another takes longer", () =>
    Effect.gen(function*() {
      const asked = yield* Ref.make(0)
      const isMade = yield* Latch.make()
      const slow = source(() =>
        Effect.flatMap(Ref.getAndUpdate(asked, (n) => n + 1), (n) =>
          Effect.as(n === 0 ? isMade.await : Effect.void, Factories.outcome))
      )
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const calls = yield* Calls.Calls
        const reports = yield* LineReports.LineReports
        const ids = (yield* Effect.forEach(["+14155550100", "+14155550101", "+14155550102"], started)).map(({ id }) =>
          id
        )
        yield* TestEngine.drain
        yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkScoped(run))
        yield* TestClock.adjust("1 second")
        const at = yield* DateTime.now
        yield* Effect.forEach(ids, (callId) =>
          reports.report({
            accountId,
            callId,
            event: talked(at)
          }), { concurrency: "unbounded" })
        const areReported = Effect.forEach(ids, (id) =>
          Effect.map(calls.get(accountId, id), ({ outcome }) => outcome !== null))
        yield* TestClock.adjust("1 second")
        const before = yield* areReported
        yield* isMade.open
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([before, yield* areReported], [[false, true, true], [true, true, true]])
      }).pipe(testing(slow))
    }))

  it.effect("makes the outcome at once when it was held by a report whose answer was lost", () => {
    const endedAt: Array<number> = []
    const storage = Layer.effect(
      Storage.Storage,
      Effect.map(Storage.Storage, (storage) => ({
        ...storage,
        dispatch: {
          ...storage.dispatch,
          report: (options) =>
            Effect.tap(storage.dispatch.report(options), () => {
              if (!options.reports.some(({ event }) => event._tag === "Ended")) return Effect.void
              endedAt.push(options.now.epochMilliseconds)
              return endedAt.length === 1
                ? Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "gone" }))
                : Effect.void
            })
        }
      }))
    ).pipe(Layer.provide(MemoryStorage.layer))
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkScoped(run))
      const { id } = yield* started("+14155550100")
      while (endedAt.length < 2) yield* TestClock.adjust("1 second")
      // The second attempt reads the clock after the first.
      assert.strictEqual((endedAt[1] ?? 0) - (endedAt[0] ?? 0), 100)
      // Web Crypto takes real time, whatever the test clock shows; the lease would take a minute of the test clock.
      const { outcome } = yield* Effect.andThen(TestClock.adjust("10 millis"), calls.get(accountId, id)).pipe(
        Effect.repeat({ until: ({ outcome }) => outcome !== null, times: 500 })
      )
      assert.isNotNull(outcome)
    }).pipe(Effect.provide(TestEngine.layer({ storage })))
  })

  const unfit: ReadonlyArray<readonly [string, Effect.Effect<unknown, OutcomeSource.OutcomeFailed>]> = [
    ["fails", Effect.fail(failed)],
    ["dies", Effect.die(new Error("a bug in the host"))],
    ["names a disposition that the agent does not have", Effect.succeed({ ...Factories.outcome, disposition: "x" })],
    ["rates beyond the scale", Effect.succeed({ ...Factories.outcome, leadRating: 11 })],
    ["returns nothing", Effect.succeed(undefined)]
  ]
  for (const [name, made] of unfit) {
    it.effect(`reports the call without an outcome ten minutes after its end when the source ${name}`, () =>
      Effect.gen(function*() {
        const { call, events } = yield* talk("15 minutes")
        assert.strictEqual(call.status, "completed")
        assert.isNull(call.outcome)
        assert.deepStrictEqual(events.map(({ data, type }) => [type, data.outcome]), [["call.completed", null]])
      }).pipe(testing(source(() => made))))
  }

  it.effect("reports the call without an outcome ten minutes after its end when the source throws before it begins", () =>
    Effect.gen(function*() {
      const { call, events } = yield* talk("15 minutes")
      assert.isNull(call.outcome)
      assert.lengthOf(events, 1)
    }).pipe(testing(source(() => {
      throw new Error("a bug in the host")
    }))))

  it.effect("tries once, with a full timeout, when the end is reported more than ten minutes late", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const { id } = yield* started("+14155550100")
      yield* TestEngine.drain
      const ended = talked(yield* DateTime.now)
      yield* TestClock.adjust("20 minutes")
      yield* (yield* LineReports.LineReports).report({ accountId, callId: id, event: ended })
      const draining = yield* Effect.forkChild(TestEngine.drain)
      yield* Effect.repeat(Effect.andThen(Effect.yieldNow, TestClock.adjust("100 millis")), { times: 200 })
      yield* Fiber.join(draining)
      assert.deepStrictEqual((yield* calls.get(accountId, id)).outcome, Factories.outcome)
    }).pipe(testing(source(() => Effect.delay(Effect.succeed(Factories.outcome), "3 seconds")))))

  it.effect("checks the quotes of a source, which cannot mark them verified by itself", () =>
    Effect.gen(function*() {
      const { call, events } = yield* talk("2 minutes")
      const evidence = { answers: { "Does Tuesday suit you?": { status: "unknown" } } }
      assert.deepStrictEqual(call.outcome, { ...Factories.outcome, answers: {}, evidence } as typeof call.outcome)
      assert.deepStrictEqual(events[0].data.outcome.evidence, evidence)
    }).pipe(testing(source(() =>
      Effect.succeed({
        ...Factories.outcome,
        evidence: {
          answers: { "Does Tuesday suit you?": { status: "verified", quote: "This was never said", sequence: 2 } }
        }
      })
    ))))

  const usage = [{ model: "small", requests: 3, inputTokens: 300, outputTokens: 30 }]
  const final = new OutcomeSource.OutcomeFailed({ cause: "no such model", isFinal: true, usage })
  const fallbacks: ReadonlyArray<
    readonly [string, OutcomeSource.OutcomeSource["Service"]["fallback"], typeof Factories.outcome | null]
  > = [
    ["its fallback", () => Factories.outcome, Factories.outcome],
    ["none, without a fallback", undefined, null],
    ["none, if there is no fallback for the call", () => undefined, null],
    ["none, if the fallback does not fit the agent", () => ({ ...Factories.outcome, disposition: "x" }), null],
    ["none, if the fallback throws", () => {
      throw new Error("a bug in the host")
    }, null]
  ]
  for (const [name, fallback, expected] of fallbacks) {
    it.effect(`reports the call at once when another attempt is of no use, with what was taken: it has ${name}`, () =>
      Effect.gen(function*() {
        const { call, events } = yield* talk("2 minutes")
        assert.deepStrictEqual([call.outcome, call.usage], [expected, usage])
        assert.lengthOf(events, 1)
      }).pipe(testing(source(() => Effect.fail(final), fallback === undefined ? {} : { fallback }))))
  }

  it.effect("has the fallback of its source when ten minutes of attempts have failed", () =>
    Effect.gen(function*() {
      const early = yield* talk("2 minutes")
      assert.deepStrictEqual([early.call.outcome, early.events], [null, []])
      yield* TestEngine.advance("15 minutes")
      const { accountId } = yield* TestEngine.Tenant
      const { outcome } = yield* (yield* Calls.Calls).get(accountId, early.call.id)
      assert.deepStrictEqual(outcome, Factories.outcome)
    }).pipe(testing(source(() => Effect.fail(failed), { fallback: () => Factories.outcome }))))

  it.effect("does not ask again before the source allows it", () =>
    Effect.gen(function*() {
      const asked: Array<number> = []
      const limited = (retryAfter: Duration.Duration) =>
        source((attempt) =>
          Effect.flatMap(DateTime.now, ({ epochMilliseconds }) => {
            asked.push(epochMilliseconds)
            return attempt < 3
              ? Effect.fail(new OutcomeSource.OutcomeFailed({ cause: "too many requests", retryAfter }))
              : Effect.succeed(Factories.outcome)
          })
        )
      const { call } = yield* talk("15 minutes").pipe(testing(limited(Duration.minutes(4))))
      assert.deepStrictEqual(call.outcome, Factories.outcome)
      const [first = 0, second = 0, third = 0] = asked.splice(0)
      assert.isAtLeast(Math.min(second - first, third - second), 240_000)
      // Not even at the deadline.
      const late = yield* talk("15 minutes").pipe(testing(limited(Duration.minutes(11))))
      assert.deepStrictEqual([late.call.outcome, asked.length], [null, 1])
    }))

  it.effect("sends no event while the outcome is pending", () =>
    Effect.gen(function*() {
      const { call, events } = yield* talk("2 minutes")
      assert.strictEqual(call.status, "completed")
      assert.deepStrictEqual(events, [])
    }).pipe(testing(source(() => Effect.fail(failed)))))
})
