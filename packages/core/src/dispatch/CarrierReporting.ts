/**
 * Takes what carriers report and writes it into the calls. Reports that arrive together are written in one step per
 * account; a report is on record when `report` returns.
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

/** A report whose sender waits until it is on record. */
interface Sent {
  readonly report: Report
  readonly answer: (instruction: Exit.Exit<Instruction, StorageError>) => void
}

/** Most reports in one step. */
const groupSize = 200

/** How long reports wait for others to be written: some call may be locked for longer, which is none of their business. */
const groupTimeout = "50 millis"

export const layer: Layer.Layer<LineReports, never, CallStore | DispatchStore | Wakeups> = Layer.effect(
  LineReports,
  Effect.gen(function*() {
    const callStore = yield* CallStore
    const dispatchStore = yield* DispatchStore
    const wakeups = yield* Wakeups
    const outcomeTaker = yield* LocalOutcomes
    const { claimOnWrite } = yield* LocalDelivery
    const run = yield* FiberSet.makeRuntime<never, void, StorageError>()

    const write = Effect.fnUntraced(function*(accountId: AccountId, sent: ReadonlyArray<Sent>) {
      const taker = outcomeTaker.current()
      const reports = sent.map(({ report }) => ({ callId: report.callId, event: withStorableTurns(report.event) }))
      const ended = reports.filter(({ event }) => event._tag === "Ended").length
      // The same claim at each attempt: one whose answer was lost may have claimed what the next is told.
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
      const { answers, isMore } = yield* taker === undefined || ended === 0
        ? put()
        : taker.claimOnWrite(accountId, ended, put)
      sent.forEach(({ answer }, index) => {
        // Life reported where there should be none, or by a call that nobody here knows, is to be ended.
        const lives = answers[index] === "changed" || answers[index] === "ignored"
        answer(lives ? goOn : hangUp)
      })
      const isEnd = sent.some(({ report }, index) => answers[index] === "changed" && report.event._tag === "Ended")
      // A line is free, and there may be an outcome to make.
      if (isEnd) yield* wakeups.notify("dial", accountId)
      if (isEnd && taker === undefined) yield* wakeups.notify("outcome", accountId)
      if (isMore) yield* wakeups.notify("delivery", accountId)
    })

    // What an account reports while reports of it are being written waits for them: written beside them it would wait for their
    // locks, and alone.
    const waiting = new Map<AccountId, Array<Sent>>()

    /** Runs beside the senders; who is still without an answer when it is cut short gets that one. */
    const runFor = (sent: ReadonlyArray<Sent>, effect: Effect.Effect<void, StorageError>) => {
      const fiber = run(effect)
      fiber.addObserver((exit) => {
        if (Exit.isFailure(exit)) sent.forEach(({ answer }) => answer(Exit.failCause(exit.cause)))
      })
      return fiber
    }

    /** What storage cannot write at all is written apart, so that it takes no other report with it. */
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

/** Carriers know no limit to a turn; outcomes, which have the turns in them, do. */
const withStorableTurns = (event: CarrierEvent): CarrierEvent =>
  event._tag === "Ended" ? { ...event, transcript: turns(event.transcript) } : event
