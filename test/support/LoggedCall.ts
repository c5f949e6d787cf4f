/** A call in conversation, whose log the test writes as a process does that holds it. */
import { Call, Calls, type Conversation, EventBodies, Ids, Storage, Telephony } from "@outdial/core"
import { Factories, TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Option, Schema } from "effect"

/** An engine without a carrier, so that only the test changes the call. */
export const engine: TestEngine.TestEngineOptions = { telephony: Telephony.Telephony.layerNone }

const decode = Schema.decodeUnknownEffect(Call.StartCall)

/** A new call that waits in the queue. */
export const queued = Effect.gen(function*() {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const request = yield* decode({ agentId, phoneNumber: Factories.phoneNumber(), variables: { topic: "your visit" } })
  return yield* calls.start(accountId, request)
})

/** A turn at that second of the conversation. */
export const turn = (speaker: "agent" | "contact", text: string, at = 0): Conversation.Entry => ({
  _tag: "Turn",
  speaker,
  text,
  at: at * 1000,
  endedAt: at * 1000 + 500
})

const dial = Effect.fnUntraced(function*(callId: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const { calls, dispatch } = yield* Storage.Storage
  const now = yield* DateTime.now
  yield* dispatch.claimDue({
    accountId,
    carrier: Factories.carrier,
    token: Factories.token(),
    now,
    limit: 100,
    rules: Factories.rules,
    events: EventBodies.eventWriter(now)
  })
  // An earlier step may have claimed it.
  const { claim } = Option.getOrThrow(yield* calls.get(accountId, callId))
  if (claim !== undefined) yield* dispatch.submit({ accountId, callIds: [callId], token: claim.token, now })
})

/** Reports of the carrier. */
const report = Effect.fnUntraced(
  function*(
    callId: Ids.CallId,
    event: Parameters<Storage.DispatchStore["Service"]["report"]>[0]["reports"][0]["event"]
  ) {
    const { accountId } = yield* TestEngine.Tenant
    const { dispatch } = yield* Storage.Storage
    const now = yield* DateTime.now
    yield* dispatch.report({ accountId, now, reports: [{ callId, event }], events: EventBodies.eventWriter(now) })
  }
)

/** The call that waits is dialed and answered, and its log is open. */
export const answer = Effect.fnUntraced(function*(callId: Ids.CallId) {
  const { accountId } = yield* TestEngine.Tenant
  const { conversations } = yield* Storage.Storage
  yield* dial(callId)
  const answeredAt = yield* DateTime.now
  yield* report(callId, { _tag: "Answered", at: answeredAt, by: "human" })
  const acquired = yield* conversations.acquire({ accountId, callId, now: answeredAt, takesOver: false })
  const { generation } = Option.getOrThrow(acquired)
  return {
    callId,
    append: Effect.fnUntraced(function*(...entries: ReadonlyArray<Conversation.Entry>) {
      const now = yield* DateTime.now
      const [accepted] = yield* conversations.append({ now, logs: [{ accountId, callId, generation, entries }] })
      if (accepted !== true) return yield* Effect.die(new Error("The entries were refused"))
    }),
    /** The contact hangs up, and the log is sealed. */
    end: Effect.gen(function*() {
      const now = yield* DateTime.now
      yield* report(callId, {
        _tag: "Ended",
        at: now,
        result: "hung_up",
        answeredAt,
        answeredBy: "human",
        recorded: false
      })
      yield* conversations.seal({ accountId, callId, generation, now, events: EventBodies.eventWriter(now) })
    }).pipe(Effect.provideContext(yield* Effect.context<Storage.Storage | TestEngine.Tenant>()))
  }
})

/** A call in conversation. */
export const talking = Effect.flatMap(queued, ({ id }) => answer(id))

/** The line of a waiting call ends without a log: it was busy, or its carrier brings the transcript. */
export const endWithoutLog = Effect.fnUntraced(
  function*(callId: Ids.CallId, transcript: ReadonlyArray<{ speaker: "agent" | "contact"; text: string }> = []) {
    yield* dial(callId)
    const at = yield* DateTime.now
    const result = transcript.length === 0
      ? { result: "busy" as const }
      : { result: "hung_up" as const, answeredAt: at, answeredBy: "human" as const, transcript }
    yield* report(callId, { _tag: "Ended", at, recorded: false, ...result })
  }
)
