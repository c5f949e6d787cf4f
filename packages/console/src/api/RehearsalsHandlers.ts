/** Rehearsals, few at once: they compete with calls for the processor and for the language model. */
import { AgentPorts, Agents, BuiltInPersonas, Errors, type Ids, Rehearsal, Script } from "@outdial/core"
import { ApiErrors } from "@outdial/http"
import { Duration, Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import type { HandlerServices } from "../access/HandlerServices.ts"
import * as AgentDefinitions from "./AgentDefinitions.ts"
import { ConsoleApi } from "./ConsoleApi.ts"
import { mostRuns } from "./RehearsalsApi.ts"

/** Calls of a rehearsal that are held at once, and so questions to a language model. */
const concurrency = 4

/** Rehearsals of all accounts at once; an account has one. */
const mostAtOnce = 3

/** How long a rehearsal may take: browsers and proxies end a request without an answer soon after. */
const timeout = Duration.seconds(110)

export const layer: Layer.Layer<HttpApiGroup.Service<"console", "rehearsals">, never, HandlerServices> = HttpApiBuilder
  .group(
    ConsoleApi,
    "rehearsals",
    Effect.fnUntraced(function*(handlers) {
      const agents = yield* Agents.Agents
      const ports = yield* AgentPorts.AgentPorts
      /** The accounts whose rehearsals run. */
      const running = new Set<Ids.AccountId>()
      const personas = yield* allPersonas
      return handlers.handleAll({
        personas: () => Effect.succeed({ data: personas }),
        rehearse: Effect.fnUntraced(function*({ params: { account }, payload }) {
          const { personas: names, runs, seed, variables = {} } = payload
          const agent = yield* AgentDefinitions.chosen(agents, account, payload)
          const missing = Script.missing(agent, variables)
          if (missing.length > 0) return yield* ApiErrors.from(new Errors.MissingVariables({ missing }))
          const all = yield* Effect.mapError(BuiltInPersonas.speaking(agent.language), ApiErrors.from)
          const chosen = names === undefined ? all : all.filter(({ name }) => names.includes(name))
          if (chosen.length === 0 || (names !== undefined && chosen.length < new Set(names).size)) {
            return yield* ApiErrors.from(unknownPersona)
          }
          const rehearsal = Rehearsal.rehearse({
            agent,
            variables,
            personas: chosen,
            runs: runs ?? Math.min(chosen.length, mostRuns),
            concurrency,
            textAgent: ports.textAgent,
            ...(ports.tools !== undefined && { tools: ports.tools }),
            ...(ports.outcomes !== undefined && { outcomes: ports.outcomes }),
            ...(seed !== undefined && { seed })
          }).pipe(
            Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooLong) }),
            // What fails besides the request is a port, such as a language model that does not answer.
            Effect.mapError((error) =>
              error instanceof Errors.InvalidRequest ? error : new Errors.Unavailable({ cause: error })
            ),
            Effect.mapError(ApiErrors.from)
          )
          return yield* Effect.acquireUseRelease(
            Effect.sync(() => {
              if (running.has(account) || running.size >= mostAtOnce) return false
              running.add(account)
              return true
            }),
            Effect.fnUntraced(function*(isFree) {
              return isFree ? yield* rehearsal : yield* tooMany
            }),
            (isFree) => Effect.sync(() => void (isFree && running.delete(account)))
          )
        })
      })
    })
  )

const allPersonas = Effect.map(
  Effect.forEach(BuiltInPersonas.languages, (language) => Effect.orDie(BuiltInPersonas.speaking(language))),
  (all) =>
    all.flat().map(({ description, language, name }) => ({
      name,
      language: language ?? "en",
      description: description ?? null
    }))
)

const unknownPersona = new Errors.InvalidRequest({
  problems: [{ path: ["personas"], message: "must be names of personas that speak the agent's language" }]
})

const tooLong = new Errors.InvalidRequest({
  problems: [{
    path: ["runs"],
    message: `took longer than ${Duration.toSeconds(timeout)} seconds; ask for fewer, or use outdial rehearse`
  }]
})

const tooMany = ApiErrors.tooManyAtOnce(`run one rehearsal, and all accounts together ${mostAtOnce},`)
