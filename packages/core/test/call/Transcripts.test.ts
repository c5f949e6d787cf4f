import { assert, it } from "@effect/vitest"
import {
  ApiKeys,
  EventBodies,
  type Ids,
  Limits,
  MemoryStorage,
  Readiness,
  ScriptedAgent,
  Storage,
  type Transcript,
  Transcripts
} from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Exit, Fiber, Layer, Logger, Ref, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as LoggedCall from "../../../../test/support/LoggedCall.ts"
import * as Steps from "../support/CallSteps.ts"

const { turn } = LoggedCall

const engine = TestEngine.layer(LoggedCall.engine)

const transcriptOf = Effect.fnUntraced(function*(callId: Ids.CallId, after = 0) {
  const { accountId } = yield* TestEngine.Tenant
  const transcripts = yield* Transcripts.Transcripts
  return yield* transcripts.get(accountId, callId, { after })
})

const follow = Effect.fnUntraced(
  function*(callId: Ids.CallId, options: Partial<Transcripts.FollowOptions> = {}) {
    const { accountId } = yield* TestEngine.Tenant
    const transcripts = yield* Transcripts.Transcripts
    return yield* transcripts.follow(accountId, callId, { after: 0, ...options })
  }
)

/** The numbers and the texts. */
const brief = (turns: ReadonlyArray<Transcript.NumberedTurn>) =>
  turns.map(({ sequence, text }) => `${sequence} ${text}`)

const hour = Duration.hours(1)

/** Everything until the end. */
const all = Effect.fnUntraced(function*({ next }: Transcripts.Follower) {
  const turns: Array<Transcript.NumberedTurn> = []
  while (true) {
    const update = yield* next(hour)
    turns.push(...update.turns)
    if (update.end !== undefined) return { said: brief(turns), end: update.end }
  }
})

/** Moves the clock in steps, so that what each step causes happens before the next. */
const pass = (seconds: number) =>
  Effect.forEach(Array.from({ length: seconds * 2 }), () => TestClock.adjust("500 millis"), { discard: true })

/** Counts reads of followers, or lets them fail. */
const observed = Effect.gen(function*() {
  const reads = yield* Ref.make<ReadonlyArray<number>>([])
  const keyReads = yield* Ref.make(0)
  const isAway = yield* Ref.make(false)
  const ending = yield* Ref.make(Effect.void)
  const storage = Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (storage) => ({
      ...storage,
      conversations: {
        ...storage.conversations,
        readMany: (options: Parameters<typeof storage.conversations.readMany>[0]) =>
          Effect.gen(function*() {
            yield* Ref.update(reads, (all) => [...all, options.logs.length])
            if (yield* Ref.get(isAway)) return yield* new Storage.StorageError({ reason: "unavailable", cause: "away" })
            yield* Effect.flatten(Ref.get(ending))
            return yield* storage.conversations.readMany(options)
          })
      },
      access: {
        ...storage.access,
        usableApiKeys: (options: Parameters<typeof storage.access.usableApiKeys>[0]) =>
          Effect.andThen(Ref.update(keyReads, (n) => n + 1), storage.access.usableApiKeys(options))
      }
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { reads, keyReads, isAway, ending, engine: TestEngine.layer({ ...LoggedCall.engine, storage }) }
})

const newKey = Effect.fnUntraced(function*(expiresAt?: DateTime.Utc) {
  const { accountId } = yield* TestEngine.Tenant
  const keys = yield* ApiKeys.ApiKeys
  const { key } = yield* keys.create(accountId, {
    name: "follower",
    scopes: ["calls:read"],
    ...(expiresAt !== undefined && { expiresAt })
  })
  return key.id
})

describe("a transcript", () => {
  it.effect("has the turns of the log with their times, and nothing else of it", () =>
    Effect.gen(function*() {
      const { append, callId } = yield* LoggedCall.talking
      yield* append(
        { ...turn("agent", "Hello, do you", 1), interrupted: true },
        { _tag: "ToolIntent", at: 1200, id: "1", name: "book", arguments: { card: "4711" } },
        { _tag: "Noted", at: 1300, note: { _tag: "Answer", question: "When?", answer: "Tuesday" } },
        turn("contact", "Who is this?", 2)
      )
      assert.deepStrictEqual(yield* transcriptOf(callId), {
        object: "transcript",
        callId,
        sealed: false,
        turns: [
          { sequence: 1, speaker: "agent", text: "Hello, do you", startMs: 1000, endMs: 1500, interrupted: true },
          { sequence: 2, speaker: "contact", text: "Who is this?", startMs: 2000, endMs: 2500 }
        ]
      })
    }).pipe(Effect.provide(engine)))

  it.effect("keeps the numbers of its turns when the log is sealed, and when the outcome is stored", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      yield* append(
        turn("agent", "Hello", 1),
        { _tag: "Noted", at: 1300, note: { _tag: "Meeting" } },
        turn("contact", "Yes", 2),
        turn("agent", "Goodbye", 3)
      )
      const { turns } = yield* transcriptOf(callId)
      assert.deepStrictEqual(brief(turns), ["1 Hello", "2 Yes", "3 Goodbye"])
      yield* end
      assert.deepStrictEqual(yield* transcriptOf(callId), { object: "transcript", callId, sealed: true, turns })
      assert.deepStrictEqual((yield* transcriptOf(callId, 2)).turns, turns.slice(2))
      const { accountId } = yield* TestEngine.Tenant
      const { outcomes } = yield* Storage.Storage
      const now = yield* DateTime.now
      const token = Factories.token()
      const [claimed] = yield* outcomes.claim({ accountId, now, limit: 1, token })
      const outcome = { ...Factories.outcome, transcript: claimed?.call.transcript ?? [] }
      const results = [{ callId, result: { _tag: "Stored", outcome } as const }]
      yield* outcomes.settle({ accountId, token, now, results, events: EventBodies.eventWriter(now) })
      assert.deepStrictEqual((yield* transcriptOf(callId)).turns, turns)
    }).pipe(Effect.provide(engine)))

  it.effect("is read after a turn, however long it is", () =>
    Effect.gen(function*() {
      const { append, callId } = yield* LoggedCall.talking
      const said = Array.from({ length: 250 }, (_, index) => turn("contact", `Turn ${index + 1}`, index))
      yield* append(...said)
      assert.deepStrictEqual(brief((yield* transcriptOf(callId, 247)).turns), [
        "248 Turn 248",
        "249 Turn 249",
        "250 Turn 250"
      ])
      assert.strictEqual((yield* transcriptOf(callId)).turns.length, 250)
      assert.deepStrictEqual((yield* transcriptOf(callId, 900)).turns, [])
    }).pipe(Effect.provide(engine)))

  it.effect("is empty before the call is answered, and final after an end without a log", () =>
    Effect.gen(function*() {
      const { id: callId } = yield* LoggedCall.queued
      assert.deepStrictEqual(yield* transcriptOf(callId), { object: "transcript", callId, sealed: false, turns: [] })
      yield* LoggedCall.endWithoutLog(callId)
      assert.deepStrictEqual(yield* transcriptOf(callId), { object: "transcript", callId, sealed: true, turns: [] })
      const { id: other } = yield* LoggedCall.queued
      yield* LoggedCall.endWithoutLog(other, [{ speaker: "agent", text: "Hello" }, { speaker: "contact", text: "Yes" }])
      const { sealed, turns } = yield* transcriptOf(other)
      assert.deepStrictEqual([sealed, ...brief(turns)], [true, "1 Hello", "2 Yes"])
    }).pipe(Effect.provide(engine)))

  it.effect("of an unknown call or of another account's is not found", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const transcripts = yield* Transcripts.Transcripts
      const accountId = Factories.accountId()
      const foreign = yield* Effect.flip(transcripts.get(accountId, callId, { after: 0 }))
      const followed = yield* Effect.flip(transcripts.follow(accountId, callId, { after: 0 }))
      const unknown = yield* Effect.flip(transcriptOf(Factories.callId()))
      assert.deepStrictEqual([foreign, followed, unknown].map(({ _tag }) => _tag), [
        "NotFound",
        "NotFound",
        "NotFound"
      ])
    }).pipe(Effect.scoped, Effect.provide(engine)))
})

describe("followers of transcripts", () => {
  it.effect("get what was said at once, each new turn within a second, and the end", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      yield* append(turn("agent", "Hello", 1))
      const { next } = yield* follow(callId)
      assert.deepStrictEqual(brief((yield* next(hour)).turns), ["1 Hello"])
      const waiting = yield* Effect.forkChild(next(hour))
      yield* append({ _tag: "Noted", at: 1, note: { _tag: "Callback" } }, turn("contact", "Yes", 2))
      yield* pass(1)
      assert.deepStrictEqual(brief((yield* Fiber.join(waiting)).turns), ["2 Yes"])
      const last = yield* Effect.forkChild(next(hour))
      // Between two polls: the last words are in the call alone.
      yield* append(turn("agent", "Goodbye", 3))
      yield* end
      yield* pass(1)
      const { end: reason, turns } = yield* Fiber.join(last)
      assert.deepStrictEqual([...brief(turns), reason], ["3 Goodbye", "sealed"])
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.effect("get a simulated conversation turn by turn, and in the end every turn of the outcome's transcript", () =>
    Effect.gen(function*() {
      const { id } = yield* Steps.start("+14155550100")
      const { next } = yield* follow(id)
      const updates = yield* Ref.make<ReadonlyArray<Transcripts.Update>>([])
      const following = yield* Effect.forkChild(
        Effect.repeat(Effect.tap(next(hour), (update) => Ref.update(updates, (all) => [...all, update])), {
          until: ({ end }) => end !== undefined
        })
      )
      // A second at a time, as the poll comes once a second.
      for (let second = 0; following.pollUnsafe() === undefined && second < 600; second++) {
        yield* TestEngine.advance("1 second")
      }
      const { outcome, status } = yield* Steps.get(id)
      assert.strictEqual(status, "completed")
      const received = yield* Ref.get(updates)
      assert.strictEqual(received.at(-1)?.end, "sealed")
      assert.isAbove(received.length, 3, "before the call has ended")
      const turns = received.flatMap(({ turns }) => turns)
      assert.deepStrictEqual(
        turns,
        (outcome?.transcript ?? []).map((turn, index) => ({ sequence: index + 1, ...turn }))
      )
    }).pipe(Effect.scoped, Effect.provide(TestEngine.layer({ textAgent: ScriptedAgent.layer }))))

  it.effect("continue after the last turn that they know", () =>
    Effect.gen(function*() {
      const { append, callId, end } = yield* LoggedCall.talking
      yield* append(turn("agent", "Hello", 1), turn("contact", "Yes", 2), turn("agent", "Goodbye", 3))
      assert.deepStrictEqual(brief((yield* (yield* follow(callId, { after: 2 })).next(hour)).turns), ["3 Goodbye"])
      yield* end
      assert.deepStrictEqual(yield* all(yield* follow(callId, { after: 1 })), {
        said: ["2 Yes", "3 Goodbye"],
        end: "sealed"
      })
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.effect("of a call that waits learn of its words, and of an end without any", () =>
    Effect.gen(function*() {
      const { id } = yield* LoggedCall.queued
      const { id: busy } = yield* LoggedCall.queued
      const talk = yield* Effect.forkChild(Effect.flatMap(follow(id), all))
      const silent = yield* Effect.forkChild(Effect.flatMap(follow(busy), all))
      yield* pass(2)
      yield* LoggedCall.endWithoutLog(busy)
      const { append, end } = yield* LoggedCall.answer(id)
      yield* append(turn("contact", "Hello?", 1))
      yield* pass(1)
      assert.deepStrictEqual(yield* Fiber.join(silent), { said: [], end: "sealed" })
      yield* end
      yield* pass(1)
      assert.deepStrictEqual(yield* Fiber.join(talk), { said: ["1 Hello?"], end: "sealed" })
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.effect("have nothing when time is up, and lose nothing by it", () =>
    Effect.gen(function*() {
      const { append, callId } = yield* LoggedCall.talking
      const { next } = yield* follow(callId)
      const idle = yield* Effect.forkChild(next(Duration.seconds(15)))
      yield* pass(15)
      assert.deepStrictEqual(yield* Fiber.join(idle), { turns: [] })
      yield* append(turn("agent", "Hello", 1))
      yield* pass(2)
      assert.deepStrictEqual(brief((yield* next(hour)).turns), ["1 Hello"])
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.effect("share one read of the logs and one of the keys in a second, and cost nothing when there are none", () =>
    Effect.gen(function*() {
      const { engine, keyReads, reads } = yield* observed
      yield* Effect.gen(function*() {
        const scope = yield* Scope.make()
        const calls = yield* Effect.all(Array.from({ length: 5 }, () => LoggedCall.talking))
        const keys = [yield* newKey(), yield* newKey()]
        const followers = yield* Effect.forEach(
          keys,
          (apiKeyId) => Effect.forEach(calls, ({ callId }) => follow(callId, { apiKeyId }))
        ).pipe(Scope.provide(scope))
        // Reads what there is before it waits.
        yield* Effect.forEach(followers.flat(), ({ next }) => Effect.forkIn(Effect.forever(next(hour)), scope))
        yield* Effect.yieldNow
        yield* Ref.set(reads, [])
        yield* pass(10)
        assert.deepStrictEqual(yield* Ref.get(reads), Array.from({ length: 10 }, () => 5))
        assert.strictEqual(yield* Ref.get(keyReads), 10)
        yield* Scope.close(scope, Exit.void)
        yield* Ref.set(reads, [])
        yield* pass(10)
        assert.deepStrictEqual(yield* Ref.get(reads), [])
        assert.strictEqual(yield* Ref.get(keyReads), 10)
      }).pipe(Effect.provide(engine))
    }))

  it.effect("that do not read hold at most one page, are not polled for, and miss nothing", () =>
    Effect.gen(function*() {
      const { engine, reads } = yield* observed
      yield* Effect.gen(function*() {
        const { append, callId, end } = yield* LoggedCall.talking
        const follower = yield* follow(callId)
        assert.deepStrictEqual(yield* follower.next(Duration.millis(0)).pipe(Effect.map(({ turns }) => turns)), [])
        const said = Array.from({ length: 1000 }, (_, index) => turn("contact", `Turn ${index + 1}`, index))
        yield* append(...said)
        yield* pass(1)
        yield* Ref.set(reads, [])
        yield* pass(30)
        assert.deepStrictEqual(yield* Ref.get(reads), [], "a reader that does not read is not polled for")
        const { turns } = yield* follower.next(hour)
        assert.strictEqual(turns.length, Limits.transcriptPage)
        yield* end
        const { end: reason, said: rest } = yield* all(follower)
        assert.deepStrictEqual([turns.length + rest.length, reason], [1000, "sealed"])
        assert.deepStrictEqual(
          rest,
          said.slice(turns.length).map((_, index) => {
            const sequence = index + 1 + turns.length
            return `${sequence} Turn ${sequence}`
          })
        )
      }).pipe(Effect.scoped, Effect.provide(engine))
    }))

  it.effect("go on when the storage is back", () =>
    Effect.gen(function*() {
      const { engine, isAway } = yield* observed
      yield* Effect.gen(function*() {
        const { append, callId } = yield* LoggedCall.talking
        const { next } = yield* follow(callId)
        yield* next(Duration.zero)
        const waiting = yield* Effect.forkChild(next(hour))
        yield* Ref.set(isAway, true)
        yield* append(turn("agent", "Hello", 1))
        const late = yield* follow(callId)
        const lateWaiting = yield* Effect.forkChild(late.next(hour))
        yield* pass(5)
        yield* Ref.set(isAway, false)
        yield* pass(1)
        assert.deepStrictEqual(brief((yield* Fiber.join(waiting)).turns), ["1 Hello"])
        assert.deepStrictEqual(brief((yield* Fiber.join(lateWaiting)).turns), ["1 Hello"])
      }).pipe(Effect.scoped, Effect.provide(engine))
    }))

  it.effect("log that the poll has failed, but nothing when the storage is closed under it", () =>
    Effect.gen(function*() {
      const { ending, engine, reads } = yield* observed
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push([message].flat()[0]))
      yield* Effect.gen(function*() {
        const { callId } = yield* LoggedCall.talking
        const { next } = yield* follow(callId)
        yield* next(Duration.zero)
        yield* Effect.forkChild(next(hour))
        yield* Ref.set(ending, Effect.interrupt)
        const before = (yield* Ref.get(reads)).length
        yield* pass(2)
        assert.isAtLeast((yield* Ref.get(reads)).length, before + 2)
        assert.deepStrictEqual(logged, [])
        yield* Ref.set(ending, Effect.die(new Error("a bug")))
        yield* pass(1)
        assert.deepStrictEqual(logged, ["The poll for transcripts failed; it continues"])
      }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(engine, Logger.layer([logger]))))
    }))

  it.effect("are closed within a second after their key is revoked, and others are not", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { append, callId } = yield* LoggedCall.talking
      const [revoked, other] = [yield* newKey(), yield* newKey()]
      const closing = yield* Effect.forkChild(Effect.flatMap(follow(callId, { apiKeyId: revoked }), all))
      const { next } = yield* follow(callId, { apiKeyId: other })
      yield* pass(2)
      yield* Effect.flatMap(ApiKeys.ApiKeys, (keys) => keys.revoke(accountId, revoked))
      yield* pass(1)
      assert.deepStrictEqual(yield* Fiber.join(closing), { said: [], end: "closed" })
      yield* append(turn("agent", "Hello", 1))
      yield* pass(1)
      assert.deepStrictEqual(brief((yield* next(hour)).turns), ["1 Hello"])
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.effect("are closed when their key expires", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const apiKeyId = yield* newKey(DateTime.addDuration(yield* DateTime.now, "5 seconds"))
      const closing = yield* Effect.forkChild(Effect.flatMap(follow(callId, { apiKeyId }), all))
      yield* pass(4)
      assert.isUndefined(closing.pollUnsafe())
      yield* pass(2)
      assert.deepStrictEqual(yield* Fiber.join(closing), { said: [], end: "closed" })
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.effect("are closed at once when the process drains, and no new ones are taken", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const closing = yield* Effect.forkChild(Effect.flatMap(follow(callId), all))
      yield* pass(1)
      yield* Effect.flatMap(Readiness.Readiness, ({ drain }) => drain)
      assert.deepStrictEqual(yield* Fiber.join(closing), { said: [], end: "closed" })
      assert.strictEqual((yield* Effect.flip(follow(callId)))._tag, "Unavailable")
      assert.isFalse((yield* transcriptOf(callId)).sealed)
    }).pipe(Effect.scoped, Effect.provide(engine)))

  it.effect("are closed when the engine is", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(engine, scope)
      const { callId } = yield* Effect.provideContext(LoggedCall.talking, services)
      const follower = yield* Effect.provideContext(follow(callId), services)
      const closing = yield* Effect.forkChild(all(follower))
      yield* pass(1)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(closing), { said: [], end: "closed" })
    }).pipe(Effect.scoped))

  it.effect("are ten for each key and each user of a host, and give their places back", () =>
    Effect.gen(function*() {
      const { callId } = yield* LoggedCall.talking
      const [one, other] = [yield* newKey(), yield* newKey()]
      const who: ReadonlyArray<Partial<Transcripts.FollowOptions>> = [
        { apiKeyId: one },
        { apiKeyId: other },
        { principal: "grace" },
        { principal: "ada" }
      ]
      const scope = yield* Scope.make()
      for (const caller of who) {
        const last = yield* Scope.make()
        yield* Scope.provide(follow(callId, caller), last)
        for (let n = 1; n < Limits.followedTranscripts; n++) yield* Scope.provide(follow(callId, caller), scope)
        const error = yield* Effect.flip(follow(callId, caller))
        assert.deepStrictEqual([error._tag, "limit" in error && error.limit], ["TooManyStreams", 10])
        yield* Scope.close(last, Exit.void)
        yield* Scope.provide(follow(callId, caller), scope)
        assert.strictEqual((yield* Effect.flip(follow(callId, caller)))._tag, "TooManyStreams")
      }
      // A host without users has no limit.
      for (let n = 0; n < 20; n++) yield* Scope.provide(follow(callId), scope)
      yield* Scope.close(scope, Exit.void)
      for (const caller of who) yield* follow(callId, caller)
    }).pipe(Effect.scoped, Effect.provide(engine)))
})
