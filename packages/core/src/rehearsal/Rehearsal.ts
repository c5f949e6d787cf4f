/**
 * Rehearses an agent against simulated contacts: each call goes through a whole engine in memory, on virtual time. The agent and the
 * outcome source work in real time, while the call's clock stands still. No phone rings, and nothing is stored.
 */
import { Effect, Layer, Schema } from "effect"
import * as ScriptedAgent from "../conversation/ScriptedAgent.ts"
import type { TextAgent } from "../conversation/TextAgent.ts"
import { layer as layerTools, type Tool } from "../conversation/Tool.ts"
import type { AgentDefinition } from "../domain/Agent.ts"
import * as Decoding from "../domain/Decoding.ts"
import type { Variables } from "../domain/Variables.ts"
import { OutcomeSource } from "../outcome/OutcomeSource.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { TimeZones } from "../time/TimeZones.ts"
import * as BuiltInPersonas from "./BuiltInPersonas.ts"
import * as Persona from "./Persona.ts"
import { optOutsOf } from "./PersonaContact.ts"
import { PersonaPlayer } from "./PersonaPlayer.ts"
import * as RehearsalCall from "./RehearsalCall.ts"
import { reportOf } from "./RehearsalReport.ts"
import { runOf } from "./RehearsedRun.ts"

export interface RehearsalOptions<E = never> {
  readonly agent: AgentDefinition
  /** What answers the contacts. Default: the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent, E>
  /** Tools that the agent may use. They run in earnest. Default: none. */
  readonly tools?: ReadonlyArray<Tool>
  /** Makes the outcomes. Default: from what the agent noted. */
  readonly outcomes?: Layer.Layer<OutcomeSource, E>
  /** Who answers the phone. Default: ours that speak the agent's language. */
  readonly personas?: ReadonlyArray<Persona.Persona>
  /** How many calls, 1 to 10,000. The personas take turns. Default: 50. */
  readonly runs?: number
  /** Chooses wordings and ringing times; the same seed gives the same contacts. Default: 1. */
  readonly seed?: number
  /** Values for the placeholders of the agent's texts. Default: none. */
  readonly variables?: Variables
  /** How many calls are held at once, 1 to 100: the agent is asked as often at once. Default: 10. */
  readonly concurrency?: number
  /** Plays the personas, such as by a language model. Default: they make their moves, and give their answers. */
  readonly player?: Layer.Layer<PersonaPlayer, E>
}

const between = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }, { message: `must be ${minimum} to ${maximum}` }))

const decodeNumbers = Decoding.decoding(Schema.Struct({
  runs: between(1, 10_000),
  seed: between(0, 2 ** 31 - 1),
  concurrency: between(1, 100)
}))

/** Holds the calls. Fails if an option is wrong, a variable of the agent's texts is missing, or a persona could not be played. */
export const rehearse = Effect.fn("Rehearsal.rehearse")(function*<E = never>(options: RehearsalOptions<E>) {
  const { agent, variables = {} } = options
  const { concurrency, runs, seed } = yield* decodeNumbers({
    runs: options.runs ?? 50,
    seed: options.seed ?? 1,
    concurrency: options.concurrency ?? 10
  })
  const personas = yield* options.personas === undefined
    ? BuiltInPersonas.speaking(agent.language)
    : Persona.decoding(options.personas)

  // The personas take turns; in each round they use their next wordings.
  const plan = Array.from(
    { length: Math.ceil(runs / personas.length) },
    (_, round) => personas.map((persona) => ({ persona, variation: seed + round }))
  ).flat().slice(0, runs)

  const run = Effect.fnUntraced(function*({ persona, variation }: typeof plan[number], index: number) {
    const { play } = yield* PersonaPlayer
    const { answered, contact, failure, optOuts: improvised } = play({
      persona,
      questions: agent.questions,
      variation
    })
    const held = yield* RehearsalCall.hold({
      agent,
      variables,
      persona,
      contact,
      // Apart from those of the next seeds.
      seed: Math.imul(seed, 0x9e3779b1) + index
    })
    const failed = failure?.()
    if (failed !== undefined) return yield* failed
    const optOuts = [...optOutsOf(persona, variation), ...improvised?.() ?? []]
    return runOf({ ...held, number: index + 1, persona, answered: answered(), optOuts })
  })

  const shared = yield* Layer.build(Layer.mergeAll(
    options.textAgent ?? ScriptedAgent.layer,
    options.outcomes ?? OutcomeSource.layerScripted(),
    options.player ?? PersonaPlayer.layerScripted,
    options.tools === undefined ? Layer.empty : layerTools(options.tools),
    PhoneNumbers.layer,
    TimeZones.layer
  ))
  return reportOf(seed, yield* Effect.provideContext(Effect.forEach(plan, run, { concurrency }), shared))
}, Effect.scoped)
