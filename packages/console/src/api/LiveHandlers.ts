/** The live stream of a page. */
import { Limits, Transcripts, Wire } from "@outdial/core"
import { ApiErrors, EventStreams } from "@outdial/http"
import { Effect, type Layer, Schema, Stream } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { CurrentConsoleUser, owner } from "../access/CurrentConsoleUser.ts"
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
        const { sessionId } = yield* CurrentConsoleUser
        const lastEventId = headers["last-event-id"]
        const isResumed = lastEventId !== undefined
        const follower = yield* Effect.mapError(
          streams.follow({ accountId: account, owner: yield* owner, sessionId, isResumed }),
          ApiErrors.from
        )
        if (follower === "full") return yield* tooMany
        if (query.call === undefined) return yield* EventStreams.respond(changesOf(follower, () => 0), follower.closed)
        let turn = turnOf(lastEventId)
        const transcript = yield* Effect.mapError(
          transcripts.follow(account, query.call, { after: turn }),
          ApiErrors.from
        )
        const turns = turnsOf(query.call, transcript, (sequence) => {
          turn = sequence
        })
        return yield* EventStreams.respond(
          Stream.merge(changesOf(follower, () => turn), turns, { haltStrategy: "left" }),
          follower.closed
        )
      })
    })
  })
)

const tooMany = ApiErrors.tooManyPages(LiveStreams.streamsPerSession)

/** The id of an event names the last turn that the page has, from which it continues. */
const idOf = (turn: number) => `turn-${turn}`

const turnOf = (lastEventId: string | undefined): number =>
  Number(/^turn-(\d{1,9})$/u.exec(lastEventId ?? "")?.[1] ?? 0)

const changesOf = ({ next }: LiveStreams.Follower, turn: () => number) =>
  Stream.fromEffectRepeat(next(Limits.streamHeartbeat)).pipe(
    Stream.takeUntil(({ isClosed }) => isClosed === true),
    Stream.filter(({ isClosed }) => isClosed !== true),
    Stream.map(({ callIds, topics }) =>
      topics.length === 0
        ? EventStreams.comment
        : EventStreams.event("changed", { topics, call_ids: callIds }, idOf(turn()))
    )
  )

const encodeTurn = Schema.encodeSync(Wire.NumberedTurnWire)

const turnsOf = (callId: string, { next }: Transcripts.Follower, onTurn: (sequence: number) => void) =>
  Stream.fromEffectRepeat(next(Limits.streamHeartbeat)).pipe(
    Stream.takeUntil(({ end }) => end !== undefined),
    Stream.map(({ end, turns }) => {
      const said = turns.map((turn) => {
        onTurn(turn.sequence)
        return EventStreams.event("turn", encodeTurn(turn), idOf(turn.sequence))
      })
      if (end === "sealed") said.push(EventStreams.event("sealed", { call_id: callId }, undefined))
      return said.join("")
    }),
    Stream.filter((text) => text !== "")
  )
