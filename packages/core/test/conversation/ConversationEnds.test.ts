/** Ends of calls with conversations, through the engine. */
import { assert, describe, it } from "@effect/vitest"
import { type CarrierEvent, type Conversation, EventBodies, Ids, LineReports, Storage, Telephony } from "@outdial/core"
import { OutcomeSource, Webhooks, WebhookTransport } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Layer, Option, Ref } from "effect"
import * as CallSteps from "../support/CallSteps.ts"

/** A carrier that is never asked about a call, because the engine knows its end. */
const carrier = Layer.succeed(Telephony.Telephony, {
  name: Ids.CarrierName.make("test"),
  dial: ({ callId }) => Effect.succeed(Ids.CarrierCallId.make(callId)),
  lookUp: () => Effect.die(new Error("The carrier was asked")),
  hangUp: () => Effect.void,
  notFoundLag: Duration.seconds(5)
})

const outcomes = OutcomeSource.OutcomeSource.layerOf(({ transcript }) => ({ ...Factories.outcome, transcript }))

const testing = Effect.provide(TestEngine.layer({ telephony: carrier, outcomes }))

const yes: Conversation.Entry = { _tag: "Turn", speaker: "contact", text: "Yes", at: 900, endedAt: 1400 }

/** A call with a conversation whose log is open. */
const talking = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  yield* (yield* Webhooks.Webhooks).set(accountId, { url: "https://example.com/hook" })
  const { conversations } = yield* Storage.Storage
  const { id: callId } = yield* CallSteps.start("+14155550100")
  yield* TestEngine.drain
  const now = yield* DateTime.now
  const { generation } = Option.getOrThrow(
    yield* conversations.acquire({ accountId, callId, now, takesOver: false })
  )
  const log = { accountId, callId, generation }
  return {
    callId,
    append: (entry: Conversation.Entry) =>
      Effect.flatMap(DateTime.now, (now) => conversations.append({ now, logs: [{ ...log, entries: [entry] }] })),
    seal: Effect.flatMap(
      DateTime.now,
      (now) => conversations.seal({ ...log, now, events: EventBodies.eventWriter(now) })
    )
  }
})

const end = Effect.fnUntraced(function*(callId: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const at = yield* DateTime.now
  const event: CarrierEvent.Ended = { _tag: "Ended", at, result: "hung_up", answeredAt: at, recorded: false }
  yield* (yield* LineReports.LineReports).report({ accountId, callId, event })
})

const sent = Effect.gen(function*() {
  const requests = yield* Ref.get(yield* WebhookTransport.Sent)
  return requests.map(({ body }) => JSON.parse(body)).map(({ data, type }) => [type, data.outcome?.transcript])
})

const said = [{ speaker: "contact", text: "Yes", start_ms: 900, end_ms: 1400 }]

describe("a call whose line has ended", () => {
  it.effect("is no_answer five seconds later, without a look-up, when nobody has spoken", () =>
    Effect.gen(function*() {
      const { callId } = yield* talking
      yield* end(callId)
      yield* TestEngine.advance("4999 millis")
      assert.strictEqual((yield* CallSteps.get(callId)).status, "in_progress")
      yield* TestEngine.advance("1 millis")
      const { status, statusCode } = yield* CallSteps.get(callId)
      assert.deepStrictEqual([status, statusCode], ["no_answer", "no_speech"])
      assert.deepStrictEqual(yield* sent, [["call.not_connected", undefined]])
    }).pipe(testing))

  it.effect("is completed with the words that follow, when its process dies before the seal", () =>
    Effect.gen(function*() {
      const { append, callId } = yield* talking
      yield* end(callId)
      yield* append(yes)
      yield* TestEngine.advance("5 seconds")
      assert.strictEqual((yield* CallSteps.get(callId)).status, "completed")
      assert.deepStrictEqual(yield* sent, [["call.completed", said]])
    }).pipe(testing))

  it.effect("is reported at the seal, with the times of its turns", () =>
    Effect.gen(function*() {
      const { append, callId, seal } = yield* talking
      yield* append(yes)
      yield* end(callId)
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* sent, [])
      assert.isTrue(yield* seal)
      yield* TestEngine.drain
      assert.deepStrictEqual(yield* sent, [["call.completed", said]])
    }).pipe(testing))
})
