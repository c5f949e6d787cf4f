/** Conversations with agents by keyboard. */
import { AgentPorts, Agents, Errors, Limits, Script } from "@outdial/core"
import { ApiErrors, EventStreams } from "@outdial/http"
import { Effect, type Layer, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { owner } from "../access/CurrentConsoleUser.ts"
import type { HandlerServices } from "../access/HandlerServices.ts"
import * as AgentDefinitions from "./AgentDefinitions.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import * as Talks from "./Talks.ts"
import { TalkEvent } from "./TalksApi.ts"

export const layer: Layer.Layer<HttpApiGroup.Service<"console", "talks">, never, HandlerServices> = HttpApiBuilder
  .group(
    ConsoleApi,
    "talks",
    Effect.fnUntraced(function*(handlers) {
      const agents = yield* Agents.Agents
      const ports = yield* AgentPorts.AgentPorts
      const talks = yield* Talks.make

      const found = Effect.fnUntraced(
        function*({ account, id }: { readonly account: Talks.Talk["accountId"]; readonly id: string }) {
          const talk = talks.find(account, yield* owner, id)
          return talk ??
            (yield* ApiErrors.from(new Errors.NotFound({ what: "conversation of this id; it may be over" })))
        }
      )

      return handlers.handleAll({
        start: Effect.fnUntraced(function*({ params: { account }, payload }) {
          const { contact = {}, variables = {} } = payload
          const agent = yield* AgentDefinitions.chosen(agents, account, payload)
          const missing = Script.missing(agent, variables)
          if (missing.length > 0) return yield* ApiErrors.from(new Errors.MissingVariables({ missing }))
          const talk = yield* talks.start({
            owner: yield* owner,
            accountId: account,
            agent,
            contact,
            variables,
            ports
          }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
          return talk === "full" ? yield* tooMany : { id: talk.id, agentName: agent.name }
        }),
        turn: Effect.fnUntraced(function*({ params, payload: { digits, text } }) {
          if ((digits === undefined) === (text === undefined)) return yield* ApiErrors.from(oneOfTwo)
          const talk = yield* found(params)
          talk.touch()
          yield* digits === undefined ? talk.line.said(text ?? "") : talk.line.pressed(digits)
          return { ok: true as const }
        }),
        stream: Effect.fnUntraced(function*({ headers, params }) {
          const talk = yield* found(params)
          return yield* EventStreams.respond(eventsOf(talk, positionOf(headers["last-event-id"])), Effect.never)
        }),
        end: Effect.fnUntraced(function*({ params }) {
          const talk = yield* found(params)
          yield* talk.line.hungUp
          return { ok: true as const }
        })
      })
    })
  )

const tooMany = ApiErrors.tooManyAtOnce(`hold ${Talks.talksPerUser} conversations`)

const oneOfTwo = new Errors.InvalidRequest({
  problems: [{ path: ["text"], message: "is required, or digits, and not both" }]
})

const positionOf = (lastEventId: string | undefined): number =>
  /^\d{1,9}$/u.test(lastEventId ?? "") ? Number(lastEventId) : 0

const encode = Schema.encodeSync(Schema.toCodecJson(TalkEvent))

/** What follows the event of that number, until the last one. */
const eventsOf = (talk: Talks.Talk, after: number) => {
  let position = after
  const next = Effect.gen(function*() {
    yield* Effect.timeoutOption(talk.moreThan(position), Limits.streamHeartbeat)
    const first = position + 1
    const events = talk.events().slice(position)
    position += events.length
    return { events, first, isOver: talk.isOver() && position >= talk.events().length }
  })
  return Stream.fromEffectRepeat(next).pipe(
    Stream.takeUntil(({ isOver }) => isOver),
    Stream.map(({ events, first }) =>
      events.length === 0
        ? EventStreams.comment
        : events.map((event, index) => EventStreams.event(event.type, encode(event), String(first + index))).join("")
    )
  )
}
