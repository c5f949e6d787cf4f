/**
 * Takes what carriers report and writes it into the calls. Reports that arrive together are written in one step per
 * account; a report is on record when `report` returns.
 */
import { DateTime, Effect, Exit, Layer, Request, RequestResolver } from "effect"
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

const topicsOfEnd: ReadonlyArray<Topic> = ["dial", "outcome", "delivery"]
const topicsOfAnswer: ReadonlyArray<Topic> = ["delivery"]

export const layer: Layer.Layer<LineReports, never, Storage | Wakeups> = Layer.effect(
  LineReports,
  Effect.gen(function*() {
    const storage = yield* Storage
    const wakeups = yield* Wakeups

    const resolver = RequestResolver.makeGrouped<ReportRequest, string>({
      key: ({ request }) => request.report.accountId,
      resolver: Effect.fnUntraced(function*(entries) {
        const { accountId } = entries[0].request.report
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
      })
    }).pipe(RequestResolver.batchN(groupSize))

    const take = Effect.fn("LineReports.report")(function*(report: Report) {
      yield* Effect.annotateCurrentSpan("report", report.event._tag)
      return yield* Effect.retry(Effect.request(ReportRequest({ report }), resolver), whileStorageReturns)
    })

    return LineReports.of({
      report: (report) => CallTrace.of(report.callId)(take(report))
    })
  })
).pipe(Layer.provide(MeteredStorage.layer))

/** Carriers know no limit to a turn; outcomes, which have the turns in them, do. */
const tellable = (event: LineEvent): LineEvent =>
  event._tag === "Ended" ? { ...event, transcript: turns(event.transcript) } : event
