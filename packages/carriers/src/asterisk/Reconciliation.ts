/**
 * Finds what nobody handles any more: calls whose node is gone, which come here; ends that were not reported; and what calls have left behind.
 * Every node does so every five seconds, and once more when events were missing.
 */
import { Ids, type LineReports } from "@outdial/core"
import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { Report } from "../call/CarrierCall.ts"
import type { AriApi } from "./AriApi.ts"
import * as Channels from "./Channels.ts"
import * as EndRecord from "./EndRecord.ts"
import * as NodeCall from "./NodeCall.ts"
import type { NodeCalls } from "./NodeCalls.ts"
import * as Nodes from "./Nodes.ts"

export interface ReconciliationOptions {
  readonly api: AriApi
  readonly app: string
  readonly calls: NodeCalls
  readonly nodes: Nodes.Nodes
  readonly report: Report
  readonly reports: LineReports.LineReports["Service"]
}

/** Every so many rounds the records are read: what they have is reported at once by the node that handles the call, if it lives. */
const recordsEvery = 6

/** How long the record of a call that is over, and of no call that we know, is kept. */
const strangersAfter = Duration.days(1)

/** The id of no call at Asterisk: a call of which another id is known has been here. */
const noCall = Ids.CarrierCallId.make("none")

const isAccountId = Schema.is(Ids.AccountId)
const isCallId = Schema.is(Ids.CallId)

/** Whether a record is of an attempt before this one. The clocks of two nodes may differ by that much. */
export const isOfEarlier = ({ createdAt }: EndRecord.EndRecord, submittedAt: DateTime.Utc): boolean =>
  createdAt !== undefined && createdAt < submittedAt.epochMilliseconds - 2_000

export const make = ({ api, app, calls, nodes, report, reports }: ReconciliationOptions) => {
  let rounds = 0
  /** What was there without its call in the round before. */
  let suspects: ReadonlySet<Ids.CallId> = new Set()

  /** Takes a call. Its events come here then. */
  const adopt = Effect.fnUntraced(function*(callId: Ids.CallId) {
    if (yield* api.subscribe(app, callId)) yield* api.move(callId, app)
  })

  /** The channels of all nodes of this carrier, and those of other nodes which live. */
  const located = Effect.map(nodes.runOnce, (applications) => {
    const others = nodes.others()
    const idsOf = (some: typeof applications) => new Set(some.flatMap(({ channel_ids }) => channel_ids))
    return { ours: idsOf(applications), elsewhere: idsOf(applications.filter(({ name }) => others.includes(name))) }
  })

  /** Reports the end of a call that is over, unless it is on record, and deletes what was written of it. */
  const settle = Effect.fnUntraced(function*(callId: Ids.CallId) {
    const record = Option.getOrUndefined(yield* api.record(callId))
    if (record === undefined || !isAccountId(record.account)) return
    const call = { accountId: record.account, callId }
    const now = yield* DateTime.now
    const { submittedAt } = yield* reports.callToEnd(call)
    const isCurrent = submittedAt !== undefined && !isOfEarlier(record, submittedAt)
    // Another Outdial may use the same Asterisk: what our storage does not know as ended is left to it.
    const isKnown = isCurrent
      ? yield* report(call, callId, EndRecord.endOf(record, now))
      : submittedAt !== undefined || (yield* reports.isOfAnother({ ...call, carrierCallId: noCall }))
    const isOld = (record.endedAt ?? record.answeredAt) * 1000 <
      now.epochMilliseconds - Duration.toMillis(strangersAfter)
    if (isKnown || isOld) yield* api.removeRecord(callId)
  })

  const runOnce = Effect.gen(function*() {
    const { elsewhere, ours } = yield* located
    // In this order: what a call has beside its phone is made after it.
    const bridges = yield* api.bridges
    const channels = yield* api.channels
    const living = new Set(channels.map(({ id }) => id))
    // An event may be lost, and a question after it.
    yield* calls.review((callId) => !living.has(callId), elsewhere)
    const heirs = [app, ...nodes.others()]
    for (const { id } of channels) {
      const isOrphan = isCallId(id) && !calls.has(id) && ours.has(id) && !elsewhere.has(id)
      if (isOrphan && Option.contains(Nodes.heirOf(id, heirs), app)) yield* adopt(id)
    }
    const rest = [...bridges, ...channels].flatMap(({ id }) => {
      const { callId, kind } = Channels.subjectOf(id) ?? {}
      return callId === undefined || kind === "callee" || living.has(callId) || calls.has(callId) ? [] : [callId]
    })
    yield* Effect.forEach(
      new Set(rest.filter((callId) => suspects.has(callId))),
      (callId) => NodeCall.removeRest(callId, { api }),
      { discard: true }
    )
    suspects = new Set(rest)
    rounds += 1
    if (rounds % recordsEvery !== 1) return
    for (const callId of yield* api.recorded) {
      if (isCallId(callId) && !living.has(callId) && !calls.has(callId)) yield* settle(callId)
    }
  })

  return {
    runOnce,
    adopt,
    /** After a time without events. */
    catchUp: Effect.gen(function*() {
      yield* calls.review(() => true, (yield* located).elsewhere)
      rounds = 0
      yield* runOnce
    })
  }
}
