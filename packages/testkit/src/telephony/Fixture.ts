/** Steps that the cases of the telephony contract are told in. */
import { assert } from "@effect/vitest"
import { type CarrierEvent, Ids, PhoneNumber, type Recordings, Telephony } from "@outdial/core"
import { DateTime, type Duration, Effect, Fiber, Logger, LogLevel, Random, type Result } from "effect"
import * as Factories from "../Factories.ts"
import { type Behaviour, Carrier, type Condition } from "./Carrier.ts"
import { Witness } from "./Witness.ts"

/** What the cases use. */
export type Services = Telephony.Telephony | Carrier | Witness | Recordings.Recordings

/** Tests, each named by the promise it checks. */
export type Cases = Readonly<Record<string, Effect.Effect<void, unknown, Services>>>

/** A call that was dialed, and what the carrier answered. */
export interface Dialed {
  /** As it is known when the answer was lost. */
  readonly withoutCarrierCallId: Telephony.PlacedCall
  /** As it is known otherwise; the same when there was no answer. */
  readonly call: Telephony.PlacedCall
  readonly answer: Result.Result<Ids.CarrierCallId, Telephony.DialFailed>
}

/** Letters and digits that no earlier run has used, for carriers that remember it. */
const fresh = Effect.map(
  Effect.all(Array.from({ length: 26 }, () => Random.nextIntBetween(0, 36, { halfOpen: true }))),
  (digits) => digits.map((digit) => digit.toString(36).toUpperCase()).join("")
)

/** Names of a call that nobody has dialed. */
export const newCall = Effect.gen(function*(): Effect.fn.Return<Telephony.PlacedCall, never, Carrier> {
  return {
    accountId: Ids.AccountId.make(`acct_${yield* fresh}`),
    callId: Ids.CallId.make(`call_${yield* fresh}`),
    phoneNumber: PhoneNumber.PhoneNumber.make((yield* Carrier).numbers.talks),
    submittedAt: yield* DateTime.now
  }
})

/** Dials a number that behaves so, with some time left to do it in. */
export const dial = Effect.fnUntraced(function*(
  behaviour: Behaviour,
  left: Duration.Input = "30 seconds",
  callerId?: PhoneNumber.PhoneNumber
): Effect.fn.Return<Dialed, never, Services> {
  const telephony = yield* Telephony.Telephony
  const { numbers } = yield* Carrier
  const phoneNumber = PhoneNumber.PhoneNumber.make(numbers[behaviour])
  const call = { ...yield* newCall, phoneNumber, ...(callerId !== undefined && { callerId }) }
  const answer = yield* Effect.result(telephony.dial({
    accountId: call.accountId,
    callId: call.callId,
    phoneNumber,
    ...(callerId !== undefined && { callerId }),
    contact: { name: "Grace" },
    agent: {
      id: Factories.agentId(),
      name: "Ada",
      script: "Hello Grace, this is Ada about your visit.",
      questions: ["Does Tuesday suit you?"],
      dispositions: ["interested", "not_interested"],
      voicemailMessage: "Please call us back."
    },
    dialBy: DateTime.addDuration(call.submittedAt, left)
  }))
  return {
    answer,
    withoutCarrierCallId: call,
    call: answer._tag === "Success" ? { ...call, carrierCallId: answer.success } : call
  }
})

/** Why the dial failed; "taken" when it did not. */
export const verdict = ({ answer }: Dialed) => answer._tag === "Success" ? "taken" : answer.failure.reason

/** How many phones rang for the call. */
export const ringsOf = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const { rings } = yield* Carrier
  return (yield* rings).filter((rung) => rung === callId).length
})

/** Providers that poll are given their turn, until there is nothing left to do. */
const poll = Effect.gen(function*() {
  const { polling } = yield* Telephony.Telephony
  if (polling === undefined) return
  // A turn in which a report was not taken does nothing, and the next one reports it again.
  for (let turn = 0, idle = 0; turn < 10 && idle < 2; turn++) idle = (yield* polling.runOnce) > 0 ? 0 : idle + 1
})

/** The callee picks up. */
export const answer = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const carrier = yield* Carrier
  yield* carrier.answer(callId)
  yield* poll
})

/** The call comes to its own end. */
export const end = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const carrier = yield* Carrier
  yield* carrier.end(callId)
  yield* poll
})

export const lookUp = (call: Telephony.PlacedCall) =>
  Effect.flatMap(Telephony.Telephony, (telephony) => telephony.lookUp(call))

/** What the carrier knows of it, in a word. */
export const stateOf = (call: Telephony.PlacedCall) => Effect.map(lookUp(call), ({ _tag }) => _tag)

/** How it ended, by the carrier's own word. */
export const endOf = Effect.fnUntraced(function*(call: Telephony.PlacedCall) {
  const view = yield* lookUp(call)
  if (view._tag !== "Ended") return assert.fail(`The call is ${view._tag}, and should have ended`)
  return view.event
})

export const hangUp = Effect.fnUntraced(function*(call: Telephony.PlacedCall) {
  const telephony = yield* Telephony.Telephony
  yield* telephony.hangUp(call)
  yield* poll
})

/** The answers and ends that were reported of the call, without repetitions of life. */
export const carrierEvents = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const { reports } = yield* Witness
  return (yield* reports(callId)).map(({ event }) => event).filter((event) =>
    event._tag === "Answered" || event._tag === "Ended"
  )
})

/** The end that was reported last. */
export const reportedEnd = Effect.fnUntraced(function*(dialed: Dialed) {
  const last = (yield* carrierEvents(dialed)).at(-1)
  if (last?._tag !== "Ended") return assert.fail("No end was reported, or something was reported after it")
  return last
})

/** The end apart from its recording, which may have been kept since. */
export const withoutRecording = ({ recorded: _, ...event }: CarrierEvent.Ended) => event

/** How many warnings and errors it logs. */
export const warningsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    let warnings = 0
    const count = Logger.make(({ logLevel }) => {
      if (LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn")) warnings += 1
    })
    return Effect.map(Effect.provide(effect, Logger.layer([count])), () => warnings)
  })

/** Does it while the carrier is in that condition. */
export const during = <A, E, R>(condition: Exclude<Condition, "well">, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Carrier,
    ({ setCondition }) => Effect.acquireUseRelease(setCondition(condition), () => effect, () => setCondition("well"))
  )

/** Does it while the carrier cannot be reached. */
export const cutOff = <A, E, R>(effect: Effect.Effect<A, E, R>) => during("unreachable", effect)

/** How long the carrier is given to see that a request was given up. */
const givenUpWithin = "1 second"

/** Asks the silent carrier, gives up once it has the request, and fails unless the carrier sees that. */
export const giveUp = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  during(
    "silent",
    Effect.gen(function*() {
      const { untilWaiting } = yield* Carrier
      const asking = yield* Effect.forkChild(effect, { startImmediately: true })
      // A provider that makes no requests has answered already.
      yield* Effect.raceFirst(untilWaiting(1), Fiber.await(asking))
      yield* Fiber.interrupt(asking)
      yield* untilWaiting(0).pipe(
        Effect.timeoutOrElse({
          duration: givenUpWithin,
          orElse: () => Effect.sync(() => assert.fail("The carrier still waits with a request that was given up"))
        })
      )
    })
  )

/** Whether each speaker said their own words, and not those of the other. */
export const hasRightSpeakers = Effect.fnUntraced(function*({ transcript }: CarrierEvent.Ended) {
  const { words } = yield* Carrier
  const said = (by: "agent" | "contact") =>
    transcript.filter(({ speaker }) => speaker === by).map(({ text }) => text).join("\n")
  const [agent, contact] = [said("agent"), said("contact")]
  return agent.includes(words.agent) && contact.includes(words.contact) && !agent.includes(words.contact) &&
    !contact.includes(words.agent)
})
