/** The live stream of a page. */
import { Limits, Transcripts, Wire } from "@outdial/core"
import { ApiErrors, EventStreams } from "@outdial/http"
import { Effect, type Layer, Schema, Stream } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { owner } from "../access/CurrentConsoleUser.ts"
import type { HandlerServices } from "../access/HandlerServices.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import * as LiveStreams from "./LiveStreams.ts"

export const layer: Layer.Layer<HttpApiGroup.Service<"console", "live">, never, HandlerServices> = HttpApiBuilder.group(
  ConsoleApi,
  "live",
  Effect.fnUntraced(function*(handlers) {
    const streams = yield* LiveStreams.make
    const transcripts = yield* Transcripts.Transcripts
    return handlers.handleAll({
      follow: Effect.fnUntraced(function*({ headers, params: { account }, query }) {
        const lastEventId = headers["last-event-id"]
        const isResumed = lastEventId !== undefined
        const follower = yield* Effect.mapError(
          streams.follow({ accountId: account, owner: yield* owner, isResumed }),
          ApiErrors.from
        )
        if (follower === "full") return yield* tooMany
        const { call } = query
        if (call === undefined) {
          return yield* EventStreams.respond(Stream.map(changesOf(follower), changedText("live")), follower.closed)
        }
        let turn = turnOf(call, lastEventId)
        const transcript = yield* Effect.mapError(
          transcripts.follow(account, call, { after: turn }),
          ApiErrors.from
        )
        const all = Stream.merge(changesOf(follower), turnsOf(transcript), { haltStrategy: "left" })
        // Here, in the order in which the page gets them: an id must not name a turn that the page may not have.
        const texts = Stream.map(all, (item) => {
          if ("topics" in item) return changedText(idOf(call, turn))(item)
          turn = item.turns.at(-1)?.sequence ?? turn
          return turnsText(call, item)
        })
        return yield* EventStreams.respond(Stream.filter(texts, (text) => text !== ""), follower.closed)
      })
    })
  })
)

const tooMany = ApiErrors.tooManyPages(LiveStreams.streamsPerSession)

/** The id of an event names the call and its last turn that the page has, from which it continues. */
const idOf = (call: string, turn: number) => `${call}-${turn}`

/** Of another call the page has nothing. */
const turnOf = (call: string, lastEventId = ""): number => {
  const at = lastEventId.lastIndexOf("-")
  const turn = lastEventId.slice(at + 1)
  return lastEventId.slice(0, at) === call && /^\d{1,9}$/u.test(turn) ? Number(turn) : 0
}

const changesOf = ({ next }: LiveStreams.Follower) =>
  Stream.fromEffectRepeat(next(Limits.streamHeartbeat)).pipe(
    Stream.takeUntil(({ isClosed }) => isClosed === true),
    Stream.filter(({ isClosed }) => isClosed !== true)
  )

const changedText = (id: string) => ({ callIds, topics }: LiveStreams.Update): string =>
  topics.length === 0 ? EventStreams.comment : EventStreams.event("changed", { topics, call_ids: callIds }, id)

const turnsOf = ({ next }: Transcripts.Follower) =>
  Stream.fromEffectRepeat(next(Limits.streamHeartbeat)).pipe(Stream.takeUntil(({ end }) => end !== undefined))

const encodeTurn = Schema.encodeSync(Wire.NumberedTurnWire)

const turnsText = (call: string, { end, turns }: Effect.Success<ReturnType<Transcripts.Follower["next"]>>): string =>
  turns.map((turn) => EventStreams.event("turn", encodeTurn(turn), idOf(call, turn.sequence))).join("") +
  (end === "sealed" ? EventStreams.event("sealed", { call_id: call }, undefined) : "")
