/** What carriers find out of answered calls reaches their conversations, on whichever node these are. */
import { assert, describe, it } from "@effect/vitest"
import {
  Calls,
  type CarrierEvent,
  type Conversation,
  Conversations,
  Engine,
  Ids,
  LineReports,
  MemoryStorage,
  Storage,
  Telephony,
  Wakeups
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { type Cause, DateTime, Duration, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as CallSteps from "../support/CallSteps.ts"

const agent = {
  script: "Hello, this is Ada from the clinic. I call about your visit.",
  questions: ["Will you come on Tuesday?"],
  dispositions: ["confirmed", "declined"],
  variables: [],
  voicemailMessage: "Please call the clinic back."
}

const carrier = Layer.succeed(Telephony.Telephony, {
  name: Ids.CarrierName.make("test"),
  dial: ({ callId }) => Effect.succeed(Ids.CarrierCallId.make(callId)),
  lookUp: () => Effect.succeed({ _tag: "Live" }),
  hangUp: () => Effect.void,
  notFoundLag: Duration.seconds(5)
})

/** Lets everything happen that needs no time. */
const settled = Effect.replicateEffect(Effect.yieldNow, 100)

/** A dialed call, and reports on it. */
const dialed = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const { id: callId } = yield* CallSteps.start("+14155550100")
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  return {
    accountId,
    callId,
    report: (event: CarrierEvent.CarrierEvent) => report({ accountId, callId, event })
  }
})

/** A conversation on a line that plays at once what it is given. */
const talking = Effect.fnUntraced(function*(call: { readonly accountId: Ids.AccountId; readonly callId: Ids.CallId }) {
  const events = yield* Queue.unbounded<Conversation.LineEvent, Cause.Done>()
  const said: Array<string> = []
  const log = (what: string) => Effect.sync(() => void said.push(what))
  const line: Conversations.TextLine = {
    events: Stream.fromQueue(events),
    speak: ({ id, text }) => Effect.andThen(log(text), Queue.offer(events, { _tag: "Played", utterance: id })),
    stopSpeaking: Effect.void,
    press: () => Effect.void,
    hangUp: Effect.andThen(log("hang up"), Queue.end(events)),
    release: Effect.void
  }
  const { hold } = yield* Conversations.Conversations
  const held = yield* Effect.forkChild(hold({ ...call, takesOver: false, line }))
  yield* settled
  return { held, said }
})

const testing = (changed: Partial<typeof agent> = {}) =>
  Effect.provide(TestEngine.layer({ telephony: carrier, agent: { ...agent, ...changed } }))

const answered = (by: "human" | "voicemail" | "unknown") =>
  Effect.map(DateTime.now, (at): CarrierEvent.CarrierEvent => ({ _tag: "Answered", at, by }))

describe("A machine that the carrier recognizes", () => {
  it.effect("during the conversation gets the message, and the call is no_answer", () =>
    Effect.gen(function*() {
      const { accountId, callId, report } = yield* dialed
      yield* report({ _tag: "Ringing" })
      yield* report(yield* answered("unknown"))
      const { held, said } = yield* talking({ accountId, callId })
      assert.include(said, agent.script)
      yield* report({ _tag: "Verdict", by: "voicemail" })
      yield* settled
      assert.strictEqual(yield* Fiber.join(held), "over")
      assert.deepStrictEqual(said.slice(-2), [agent.voicemailMessage, "hang up"])
      yield* report({ _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false })
      const calls = yield* Calls.Calls
      const { answeredBy, status, statusCode } = yield* calls.get(accountId, callId)
      assert.deepStrictEqual([answeredBy, status, statusCode], ["voicemail", "no_answer", "voicemail"])
    }).pipe(testing()))

  it.effect("is hung up on when the agent leaves no message, and so is a fax machine", () =>
    Effect.gen(function*() {
      for (const by of ["voicemail", "fax"] as const) {
        const { accountId, callId, report } = yield* dialed
        yield* report(yield* answered("unknown"))
        const { held, said } = yield* talking({ accountId, callId })
        const before = said.length
        yield* report({ _tag: "Verdict", by })
        yield* settled
        assert.strictEqual(yield* Fiber.join(held), "over")
        assert.deepStrictEqual(said.slice(before), ["hang up"])
        yield* report({ _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false })
      }
    }).pipe(testing({ voicemailMessage: "" })))

  it.effect("before the conversation, with the answer or before it, hears nothing but the message", () =>
    Effect.gen(function*() {
      const verdict: CarrierEvent.CarrierEvent = { _tag: "Verdict", by: "voicemail" }
      for (const reports of [[yield* answered("voicemail")], [verdict, yield* answered("human")]]) {
        const { accountId, callId, report } = yield* dialed
        yield* Effect.forEach(reports, report)
        const { held, said } = yield* talking({ accountId, callId })
        assert.strictEqual(yield* Fiber.join(held), "over")
        assert.deepStrictEqual(said, [agent.voicemailMessage, "hang up"])
        yield* report({ _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false })
      }
    }).pipe(testing()))

  it.effect("and a person in its place change nothing of the conversation", () =>
    Effect.gen(function*() {
      const { accountId, callId, report } = yield* dialed
      yield* report(yield* answered("unknown"))
      const { said } = yield* talking({ accountId, callId })
      const before = [...said]
      yield* report({ _tag: "Verdict", by: "human" })
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(said, before)
      const calls = yield* Calls.Calls
      assert.strictEqual((yield* calls.get(accountId, callId)).answeredBy, "human")
    }).pipe(testing()))

  it.effect("and whose verdict another node has received, without a wake-up, gets the message within a second", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Storage.Storage)
      yield* Effect.gen(function*() {
        const { accountId, callId, report } = yield* dialed
        yield* report(yield* answered("unknown"))
        const { held, said } = yield* talking({ accountId, callId })
        const other = Layer.fresh(
          Engine.layerLineReports.pipe(Layer.provide([storage, Wakeups.Wakeups.layerMemory]))
        )
        yield* LineReports.LineReports.use(({ report }) =>
          report({ accountId, callId, event: { _tag: "Verdict", by: "voicemail" } })
        ).pipe(Effect.provide(other))
        yield* settled
        assert.notInclude(said, agent.voicemailMessage)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(held), "over")
        assert.deepStrictEqual(said.slice(-2), [agent.voicemailMessage, "hang up"])
      }).pipe(Effect.provide(TestEngine.layer({ telephony: carrier, agent, storage }), { local: true }))
    }).pipe(Effect.provide(MemoryStorage.layer)))

  it.effect("is one of the simulator's callees", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { id } = yield* CallSteps.start("+14155550179")
      yield* TestEngine.advance("5 minutes")
      const calls = yield* Calls.Calls
      const { answeredBy, durationSeconds = 0, status, statusCode } = yield* calls.get(accountId, id)
      assert.deepStrictEqual([answeredBy, status, statusCode], ["voicemail", "no_answer", "voicemail"])
      assert.isBelow(durationSeconds, 30)
      const storage = yield* Storage.Storage
      const { transcript = [] } = yield* Effect.flatMap(storage.calls.get(accountId, id), Effect.fromOption)
      assert.strictEqual(transcript.at(-1)?.text, agent.voicemailMessage)
    }).pipe(Effect.provide(TestEngine.layer({ agent }))))
})
