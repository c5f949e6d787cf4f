/**
 * Writes carrier reports into the calls. Reports of an account that arrive together are written in one step. A report
 * is stored when `report` returns.
 */
import { DateTime, Effect, Exit, Fiber, FiberSet, Layer, Option } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { CarrierEvent } from "../domain/CarrierEvent.ts"
import { turns } from "../domain/Outcome.ts"
import { type Instruction, LineReports, type Report } from "../telephony/LineReports.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { eventWriter } from "../rules/event/EventBodies.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import { LocalDelivery } from "../webhook/LocalDelivery.ts"
import { LocalOutcomes } from "../outcome/LocalOutcomes.ts"
import { whileStorageReturns } from "../loop/AccountPoller.ts"
import { CallStore } from "../call/CallStore.ts"
import { DispatchStore } from "./DispatchStore.ts"
import type { OutcomeClaim } from "../storage/ClaimOnWrite.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** A report whose sender waits until it is stored. */
interface Sent {
  readonly report: Report
  readonly answer: (instruction: Exit.Exit<Instruction, StorageError>) => void
}

/** Maximum number of reports in one step. */
const groupSize = 200

/** How long reports wait for others to be written: some call may be locked for longer, which is none of their business. */
const groupTimeout = "50 millis"

export const layer: Layer.Layer<LineReports, never, CallStore | DispatchStore | Wakeups> = Layer.effect(
  LineReports,
  Effect.gen(function*() {
    const callStore = yield* CallStore
    const dispatchStore = yield* DispatchStore
    const wakeups = yield* Wakeups
    const localOutcomes = yield* LocalOutcomes
    const { claimOnWrite } = yield* LocalDelivery
    const run = yield* FiberSet.makeRuntime<never, void, StorageError>()

    const write = Effect.fnUntraced(function*(accountId: AccountId, sent: ReadonlyArray<Sent>) {
      const worker = localOutcomes.current()
      const reports = sent.map(({ report }) => ({ callId: report.callId, event: withStorableTurns(report.event) }))
      const ended = reports.filter(({ event }) => event._tag === "Ended").length
      // Every attempt uses the same claim, because an attempt whose response was lost may have claimed the outcomes.
      const put = (outcomes?: OutcomeClaim) =>
        claimOnWrite(
          accountId,
          (sender) =>
            Effect.flatMap(DateTime.now, (now) =>
              dispatchStore.report({
                accountId,
                now,
                reports,
                events: eventWriter(now),
                ...(outcomes && { outcomes }),
                sender
              }))
        ).pipe(Effect.retry(whileStorageReturns))
      const { answers, isMore } = yield* worker === undefined || ended === 0
        ? put()
        : worker.claimOnWrite(accountId, ended, put)
      sent.forEach(({ answer }, index) => {
        // A call that is reported alive is ended if it should not be, or if this storage does not know it.
        const lives = answers[index] === "changed" || answers[index] === "ignored"
        answer(lives ? goOn : hangUp)
      })
      const isEnd = sent.some(({ report }, index) => answers[index] === "changed" && report.event._tag === "Ended")
      // A line is free, and there may be an outcome to make.
      if (isEnd) yield* wakeups.notify("dial", accountId)
      if (isEnd && worker === undefined) yield* wakeups.notify("outcome", accountId)
      if (isMore) yield* wakeups.notify("delivery", accountId)
    })

    // Reports that arrive while others of the account are being written wait for them. Written concurrently they would
    // wait for the same locks, one by one.
    const waiting = new Map<AccountId, Array<Sent>>()

    /** Runs in the background. If it is interrupted, all senders without an answer get the interruption. */
    const runFor = (sent: ReadonlyArray<Sent>, effect: Effect.Effect<void, StorageError>) => {
      const fiber = run(effect)
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) sent.forEach(({ answer }) => answer(Exit.failCause(exit.cause)))
      })
      return fiber
    }

    /** A report that storage cannot write is retried alone, so that the others of its group are stored. */
    const writeGroup = (accountId: AccountId, group: ReadonlyArray<Sent>) =>
      group.length === 1 ?
        write(accountId, group) :
        Effect.catchDefect(write(accountId, group), () =>
          Effect.forEach(group, (one) => Fiber.await(runFor([one], write(accountId, [one]))), { discard: true }))

    const forget = (accountId: AccountId, sent: ReadonlyArray<Sent>) => {
      if (waiting.get(accountId) === sent) waiting.delete(accountId)
    }

    const writeAll = Effect.fnUntraced(function*(accountId: AccountId, sent: Array<Sent>) {
      // Others may be on their way in this very moment, also from fibers that have just been forked.
      yield* Effect.yieldNow
      yield* Effect.yieldNow
      while (sent.length > 0) {
        const group = sent.splice(0, groupSize)
        yield* Effect.timeoutOption(Fiber.await(runFor(group, writeGroup(accountId, group))), groupTimeout)
      }
      forget(accountId, sent)
    })

    const enqueue = (report: Report) =>
      Effect.callback<Instruction, StorageError>((answer) => {
        const others = waiting.get(report.accountId)
        if (others !== undefined) return void others.push({ report, answer })
        const sent = [{ report, answer }]
        waiting.set(report.accountId, sent)
        runFor(sent, writeAll(report.accountId, sent)).addObserver(() => forget(report.accountId, sent))
      })

    return LineReports.of({
      callToEnd: Effect.fn("LineReports.callToEnd")(function*({ accountId, callId }) {
        const found = yield* callStore.get(accountId, callId)
        if (Option.isNone(found)) return { accountId, callId }
        const { claim, phoneNumber } = found.value
        const carrierCallId = claim?.carrierCallId
        return { accountId, callId, phoneNumber, ...(carrierCallId !== undefined && { carrierCallId }) }
      }),
      report: (report) =>
        CallTrace.step(report.callId, "LineReports.report", { report: report.event._tag })(enqueue(report))
    })
  })
).pipe(Layer.provide([LocalDelivery.layer, LocalOutcomes.layer]))

const goOn = Exit.succeed<Instruction>("continue")
const hangUp = Exit.succeed<Instruction>("hang_up")

/** Carriers do not limit the length of a turn. Outcomes, which contain the turns, do. */
const withStorableTurns = (event: CarrierEvent): CarrierEvent =>
  event._tag === "Ended" ? { ...event, transcript: turns(event.transcript) } : event
