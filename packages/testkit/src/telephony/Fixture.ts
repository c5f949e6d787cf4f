/** Steps of the cases of the telephony contract. */
import { assert } from "@effect/vitest"
import { type CarrierEvent, Ids, PhoneNumber, type Recordings, Telephony } from "@outdial/core"
import { Clock, DateTime, Duration, Effect, Fiber, Logger, LogLevel, Random, type Result } from "effect"
import * as Factories from "../Factories.ts"
import { type Behaviour, Carrier, type Condition } from "./Carrier.ts"
import { Witness } from "./Witness.ts"

/** What the cases use. */
export type Services = Telephony.Telephony | Carrier | Witness | Recordings.Recordings

/** Tests by the behaviour that they check. */
export type Cases = Readonly<Record<string, Effect.Effect<void, unknown, Services>>>

/** A dialed call, and the carrier's response. */
export interface Dialed {
  /** The call without the carrier's id, as after a lost response. */
  readonly withoutCarrierCallId: Telephony.PlacedCall
  /** The call with the carrier's id, if there was a response. */
  readonly call: Telephony.PlacedCall
  readonly answer: Result.Result<Ids.CarrierCallId, Telephony.DialFailed>
}

/** A fresh prefix of ids, for carriers that remember earlier runs. */
const fresh = Effect.map(
  Effect.all(Array.from({ length: 26 }, () => Random.nextIntBetween(0, 36, { halfOpen: true }))),
  (digits) => digits.map((digit) => digit.toString(36).toUpperCase()).join("")
)

/** Fresh ids of a call. */
export const newCall = Effect.gen(function*(): Effect.fn.Return<Telephony.PlacedCall, never, Carrier> {
  return {
    accountId: Ids.AccountId.make(`acct_${yield* fresh}`),
    callId: Ids.CallId.make(`call_${yield* fresh}`),
    phoneNumber: PhoneNumber.PhoneNumber.make((yield* Carrier).numbers.talks),
    submittedAt: yield* DateTime.now
  }
})

/** Dials a number with the behaviour, before the deadline. */
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
    agent: Factories.agentBrief({ voicemailMessage: "Please call us back." }),
    dialBy: DateTime.addDuration(call.submittedAt, left)
  }))
  return {
    answer,
    withoutCarrierCallId: call,
    call: answer._tag === "Success" ? { ...call, carrierCallId: answer.success } : call
  }
})

/** Why the dial failed; "taken" if it did not. */
export const verdict = ({ answer }: Dialed) => answer._tag === "Success" ? "taken" : answer.failure.reason

/** How many phones rang for the call. */
export const ringsOf = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const { rings } = yield* Carrier
  return (yield* rings).filter((rung) => rung === callId).length
})

/** Lets polling providers work until they are idle. */
const poll = Effect.gen(function*() {
  const { polling } = yield* Telephony.Telephony
  if (polling === undefined) return
  // A poll whose report was not accepted is repeated by the next one.
  for (let turn = 0, idle = 0; turn < 10 && idle < 2; turn++) idle = (yield* polling.runOnce) > 0 ? 0 : idle + 1
})

/** The callee picks up. */
export const answer = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const carrier = yield* Carrier
  yield* carrier.answer(callId)
  yield* poll
})

/** The call ends. */
export const end = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const carrier = yield* Carrier
  yield* carrier.end(callId)
  yield* poll
})

export const lookUp = (call: Telephony.PlacedCall) =>
  Effect.flatMap(Telephony.Telephony, (telephony) => telephony.lookUp(call))

/** The state of the call at the carrier. */
export const stateOf = (call: Telephony.PlacedCall) => Effect.map(lookUp(call), ({ _tag }) => _tag)

/** A look-up as if it were later by this time. */
const lookUpAfter = (span: Duration.Duration, call: Telephony.PlacedCall) =>
  Effect.flatMap(Clock.Clock, (clock) => {
    const millis = Duration.toMillis(span)
    const nanos = BigInt(millis) * 1_000_000n
    return Effect.provideService(lookUp(call), Clock.Clock, {
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
      currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + nanos,
      currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + nanos),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration)
    })
  })

/** How the call ended, from a look-up: at once, or when the carrier's list can lag no more. */
export const endOf = Effect.fnUntraced(function*(call: Telephony.PlacedCall) {
  const { notFoundLag } = yield* Telephony.Telephony
  const atOnce = yield* lookUp(call)
  const isUncertain = atOnce._tag === "Unreachable" && call.carrierCallId === undefined
  const view = isUncertain ? yield* lookUpAfter(notFoundLag, call) : atOnce
  if (view._tag !== "Ended") return assert.fail(`The call is ${view._tag}, and should have ended`)
  return view.event
})

export const hangUp = Effect.fnUntraced(function*(call: Telephony.PlacedCall) {
  const telephony = yield* Telephony.Telephony
  yield* telephony.hangUp(call)
  yield* poll
})

/** The reported answers and ends of the call, without repeated reports of a live call. */
export const carrierEvents = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const { reports } = yield* Witness
  return (yield* reports(callId)).map(({ event }) => event).filter((event) =>
    event._tag === "Answered" || event._tag === "Ended"
  )
})

/** The last reported verdict on who has answered. */
export const verdictOn = Effect.fnUntraced(function*({ call: { callId } }: Dialed) {
  const { reports } = yield* Witness
  return (yield* reports(callId)).map(({ event }) => event).findLast((event) => event._tag === "Verdict")?.by
})

/** The reported end, which must be the last report. */
export const reportedEnd = Effect.fnUntraced(function*(dialed: Dialed) {
  const last = (yield* carrierEvents(dialed)).at(-1)
  if (last?._tag !== "Ended") return assert.fail("No end was reported, or something was reported after it")
  return last
})

/** Fails unless the end says who has answered, as far as the carrier does. */
export const answeredBy = Effect.fnUntraced(function*(end: CarrierEvent.Ended, by: "human" | "voicemail") {
  const { tellsWhoAnswered = true } = yield* Carrier
  assert.strictEqual(end.answeredBy, tellsWhoAnswered ? by : undefined)
})

/** The end without its recording, which may be stored later. */
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

/** Runs the effect while the carrier is in that condition. */
export const during = <A, E, R>(condition: Exclude<Condition, "well">, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Carrier,
    ({ setCondition }) => Effect.acquireUseRelease(setCondition(condition), () => effect, () => setCondition("well"))
  )

/** Runs the effect while the carrier cannot be reached. */
export const cutOff = <A, E, R>(effect: Effect.Effect<A, E, R>) => during("unreachable", effect)

/** How long the carrier may take to notice that a request was canceled. */
const givenUpWithin = "1 second"

/** Sends a request to the silent carrier, interrupts it, and fails unless the carrier notices. */
export const giveUp = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  during(
    "silent",
    Effect.gen(function*() {
      const { untilWaiting } = yield* Carrier
      const asking = yield* Effect.forkChild(effect, { startImmediately: true })
      // A provider without requests has responded already.
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

/** Whether each speaker has their own words. */
export const hasRightSpeakers = Effect.fnUntraced(function*({ transcript = [] }: CarrierEvent.Ended) {
  const { words } = yield* Carrier
  if (words === undefined) return transcript.length === 0
  const said = (by: "agent" | "contact") =>
    transcript.filter(({ speaker }) => speaker === by).map(({ text }) => text).join("\n")
  const [agent, contact] = [said("agent"), said("contact")]
  return agent.includes(words.agent) && contact.includes(words.contact) && !agent.includes(words.contact) &&
    !contact.includes(words.agent)
})
