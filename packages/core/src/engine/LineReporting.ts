/**
 * Takes what carriers report and writes it into the calls. Reports that arrive together are written in one step per
 * account; a report is on record when `report` returns.
 */
import { DateTime, Effect, Exit, Layer, Option, RcMap, Request, RequestResolver, Semaphore } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { LineEvent } from "../domain/LineEvent.ts"
import { turns } from "../domain/Outcome.ts"
import { type Instruction, LineReports, type Report } from "../ports/LineReports.ts"
import { Storage, type StorageError } from "../ports/Storage.ts"
import { type Topic, Wakeups } from "../ports/Wakeups.ts"
import { eventWriter } from "../rules/EventBodies.ts"
import * as CallTrace from "./CallTrace.ts"
import * as MeteredStorage from "./MeteredStorage.ts"
import { whileStorageReturns } from "./Rounds.ts"

interface ReportRequest extends Request.Request<Instruction, StorageError> {
  readonly _tag: "ReportRequest"
  readonly report: Report
}
const ReportRequest = Request.tagged<ReportRequest>("ReportRequest")

/** Most reports in one step. */
const groupSize = 200

/** How long reports wait for others to be written: some call may be locked for longer, which is none of their business. */
const patience = "50 millis"

const topicsOfEnd: ReadonlyArray<Topic> = ["dial", "outcome", "delivery"]
const topicsOfAnswer: ReadonlyArray<Topic> = ["delivery"]

export const layer: Layer.Layer<LineReports, never, Storage | Wakeups> = Layer.effect(
  LineReports,
  Effect.gen(function*() {
    const storage = yield* Storage
    const wakeups = yield* Wakeups

    const write = Effect.fnUntraced(
      function*(accountId: AccountId, entries: ReadonlyArray<Request.Entry<ReportRequest>>) {
        const now = yield* DateTime.now
        const answers = yield* storage.report({
          accountId,
          now,
          reports: entries.map(({ request: { report } }) => ({ callId: report.callId, event: tellable(report.event) })),
          events: eventWriter(now)
        })
        entries.forEach((entry, index) => {
          // Life reported where there should be none, or by a call that nobody here knows, is to be ended.
          const lives = answers[index] === "changed" || answers[index] === "ignored"
          entry.completeUnsafe(Exit.succeed(lives ? "continue" : "hang_up"))
        })
        const changed = entries.flatMap(({ request: { report } }, index) =>
          answers[index] === "changed" ? [report.event._tag] : []
        )
        // Once a call is over, a line is free and there may be an outcome to make; before that, there may be an event to send.
        const topics = changed.includes("Ended") ? topicsOfEnd : changed.includes("Answered") ? topicsOfAnswer : []
        yield* Effect.forEach(topics, (topic) => wakeups.notify(topic, accountId), { discard: true })
      }
    )

    // What an account reports while reports of it are being written waits for them: written beside them it would wait for their
    // locks, and alone. There is a resolver for an account for as long as one of its reports is under way.
    const resolvers = yield* RcMap.make({
      lookup: (accountId: AccountId) =>
        Effect.sync(() => {
          const turn = Semaphore.makeUnsafe(1)
          const inTurn = (entries: Parameters<typeof write>[1]) =>
            Effect.flatMap(
              turn.withPermitsIfAvailable(1)(write(accountId, entries)),
              (written) => Option.isSome(written) ? Effect.void : write(accountId, entries)
            )
          return RequestResolver.make<ReportRequest>(inTurn).pipe(
            RequestResolver.setDelayEffect(
              Effect.andThen(Effect.yieldNow, Effect.timeoutOption(turn.withPermit(Effect.void), patience))
            ),
            RequestResolver.batchN(groupSize)
          )
        })
    })

    const take = Effect.fn("LineReports.report")(function*(report: Report) {
      yield* Effect.annotateCurrentSpan("report", report.event._tag)
      const resolver = yield* RcMap.get(resolvers, report.accountId)
      return yield* Effect.retry(Effect.request(ReportRequest({ report }), resolver), whileStorageReturns)
    }, Effect.scoped)

    return LineReports.of({
      report: (report) => CallTrace.of(report.callId)(take(report))
    })
  })
).pipe(Layer.provide(MeteredStorage.layer))

/** Carriers know no limit to a turn; outcomes, which have the turns in them, do. */
const tellable = (event: LineEvent): LineEvent =>
  event._tag === "Ended" ? { ...event, transcript: turns(event.transcript) } : event
