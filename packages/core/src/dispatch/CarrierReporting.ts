/**
 * Writes carrier reports into the calls. Reports of an account that arrive together are written in one transaction: in the benchmark
 * `lifecycles`, one transaction for each report has a twentieth of the rate. A report is stored when `report` returns.
 */
import { Cause, DateTime, Deferred, Effect, Exit, Fiber, FiberSet, Layer, Option } from "effect"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { CarrierEvent } from "../domain/CarrierEvent.ts"
import { turns } from "../domain/Outcome.ts"
import { type Instruction, LineReports, type Report, type UnchargedCall } from "../telephony/LineReports.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"
import { whileStorageReturns } from "../loop/AccountPoller.ts"
import { CallStore } from "../call/CallStore.ts"
import { DispatchStore } from "./DispatchStore.ts"
import type { Answer } from "../rules/dispatch/Reports.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** A report whose sender waits until it is stored. */
interface Sent {
  readonly report: Report
  readonly instruction: Deferred.Deferred<Instruction, StorageError>
}

/** Maximum number of reports in one transaction: two of each call of a claim, whose acceptance and answer often arrive together. */
const groupSize = 400

/** Of one account. More than it has without a price, unless the carrier shows none. */
const mostUncharged = 10_000

/** How long reports wait for the transaction before theirs, which a lock may block for longer. */
const groupTimeout = "50 millis"

export const layer: Layer.Layer<LineReports, never, AccountStore | CallStore | DispatchStore | Wakeups> = Layer.effect(
  LineReports,
  Effect.gen(function*() {
    const accountStore = yield* AccountStore
    const callStore = yield* CallStore
    const dispatchStore = yield* DispatchStore
    const wakeups = yield* Wakeups
    const run = yield* FiberSet.makeRuntime<never>()
    /** Reports that wait for a transaction, by account. */
    const queues = new Map<AccountId, Array<Sent>>()

    const write = Effect.fnUntraced(function*(accountId: AccountId, sent: ReadonlyArray<Sent>) {
      const reports = sent.map(({ report: { callId, carrierCallId, event } }) => ({
        callId,
        event: withStorableTurns(event),
        ...(carrierCallId !== undefined && { carrierCallId })
      }))
      const answers = yield* Effect.flatMap(
        DateTime.now,
        (now) => withEventWriter({ now }, (events) => dispatchStore.report({ accountId, now, reports, events }))
      ).pipe(Effect.retry(whileStorageReturns))
      for (const [index, answer] of answers.entries()) {
        if (answer === "twin") yield* reportTwin(sent[index]?.report.callId)
      }
      // A report whose answer was lost is sent again, and the second one is ignored. The first one may have woken no loop.
      const isWritten = (index: number) => answers[index] === "changed" || answers[index] === "ignored"
      if (reports.some(({ event }, index) => event._tag === "Ended" && isWritten(index))) {
        // A line is free, and there may be an event.
        yield* wakeups.notify("dial", accountId)
      }
      // The outcome may be due, or the event that waits for the recording.
      if (reports.some(({ event }, index) => makesDue.has(event._tag) && isWritten(index))) {
        yield* wakeups.notify("outcome", accountId)
      }
      // The conversation may be on another node.
      if (reports.some(({ event }, index) => saysMachine(event) && isWritten(index))) {
        yield* wakeups.notify("conversation", accountId)
      }
      if (reports.some((_, index) => isWritten(index))) yield* wakeups.notify("delivery", accountId)
      return answers
    })

    /** Answers all senders. If storage cannot write a report, the others of its group are written without it. */
    const writeGroup = (accountId: AccountId, group: ReadonlyArray<Sent>): Effect.Effect<void> =>
      Effect.matchCauseEffect(write(accountId, group), {
        onSuccess: (answers) =>
          Effect.forEach(
            group,
            ({ instruction }, index) => Deferred.succeed(instruction, instructionOf(answers[index])),
            { discard: true }
          ),
        onFailure: (cause) =>
          group.length > 1 && Cause.hasDies(cause)
            ? Effect.forEach(group, (one) => writeGroup(accountId, [one]), { discard: true })
            : Effect.forEach(group, ({ instruction }) => Deferred.failCause(instruction, cause), { discard: true })
      })

    /** Runs in the background. If it is interrupted, so are all senders without an answer. */
    const runFor = (sent: ReadonlyArray<Sent>, effect: Effect.Effect<void>) => {
      const fiber = run(effect)
      fiber.addObserver(() => sent.forEach(({ instruction }) => Deferred.doneUnsafe(instruction, Exit.interrupt())))
      return fiber
    }

    /** Writes what is in the queue until it is empty. */
    const drain = Effect.fnUntraced(function*(accountId: AccountId, queue: Array<Sent>) {
      // Reports of other fibers may arrive at the same moment.
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      while (queue.length > 0) {
        const group = queue.splice(0, groupSize)
        yield* Effect.timeoutOption(Fiber.await(runFor(group, writeGroup(accountId, group))), groupTimeout)
      }
    })

    const enqueue = Effect.fnUntraced(function*(report: Report) {
      const sent = { report, instruction: yield* Deferred.make<Instruction, StorageError>() }
      const { accountId } = report
      const queue = queues.get(accountId)
      if (queue === undefined) {
        const added = [sent]
        queues.set(accountId, added)
        runFor(added, Effect.ensuring(drain(accountId, added), Effect.sync(() => queues.delete(accountId))))
      } else queue.push(sent)
      return yield* Deferred.await(sent.instruction)
    })

    return LineReports.of({
      callToEnd: Effect.fn("LineReports.callToEnd")(function*({ accountId, callId }) {
        const found = yield* callStore.get(accountId, callId)
        if (Option.isNone(found)) return { accountId, callId }
        const { claim, phoneNumber } = found.value
        const carrierCallId = claim?.carrierCallId
        const submittedAt = claim?.submittedAt
        return {
          accountId,
          callId,
          phoneNumber,
          ...(carrierCallId !== undefined && { carrierCallId }),
          ...(submittedAt !== undefined && { submittedAt })
        }
      }),
      isOfAnother: Effect.fn("LineReports.isOfAnother")(function*({ accountId, callId, carrierCallId }) {
        const found = yield* callStore.get(accountId, callId)
        const bound = Option.isSome(found)
          ? found.value.claim?.carrierCallId ?? found.value.endedCarrierCallId
          : undefined
        return bound !== undefined && bound !== carrierCallId
      }),
      uncharged: Effect.fn("LineReports.uncharged")(function*(of) {
        const found: Array<UnchargedCall> = []
        for (const { id: accountId } of yield* accountStore.list) {
          found.push(...yield* callStore.withoutCost({ ...of, accountId, limit: mostUncharged }))
        }
        return found
      }),
      report: (report) =>
        CallTrace.step(report.callId, "LineReports.report", { report: report.event._tag })(enqueue(report))
    })
  })
)

const reportTwin = (callId: CallId | undefined) =>
  Effect.andThen(
    Effect.logError(
      `The carrier has a second call for ${callId}, which is ended. Something between Outdial and the carrier repeats requests`
    ),
    Metrics.twin
  )

/** A call that is reported alive is ended if it should not be, or if this storage does not know it. */
const instructionOf = (answer: Answer | undefined): Instruction => {
  if (answer === "discard") return "discard"
  return answer === "changed" || answer === "ignored" ? "continue" : "hang_up"
}

/** The reports after which an outcome, or the event of a call, may be due. */
const makesDue: ReadonlySet<CarrierEvent["_tag"]> = new Set(["Ended", "Recorded", "NotRecorded"])

const saysMachine = (event: CarrierEvent): boolean =>
  (event._tag === "Answered" || event._tag === "Verdict") && event.by !== "human" && event.by !== "unknown"

/** Carriers do not limit the length of a turn. Outcomes, which contain the turns, do. */
const withStorableTurns = (event: CarrierEvent): CarrierEvent =>
  event._tag === "Ended" && event.transcript !== undefined ? { ...event, transcript: turns(event.transcript) } : event
