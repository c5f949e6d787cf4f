/** Rehearsals for hosts without Effect, such as in the tests of an application. */
import { Cause, Effect, Exit, type Layer } from "effect"
import type { TextAgent } from "../conversation/TextAgent.ts"
import type { Tool } from "../conversation/Tool.ts"
import type * as OptionNames from "../domain/OptionNames.ts"
import type { OutcomeSource } from "../outcome/OutcomeSource.ts"
import type { Persona } from "../rehearsal/Persona.ts"
import { PersonaFailed } from "../rehearsal/PersonaContact.ts"
import type { PersonaPlayer } from "../rehearsal/PersonaPlayer.ts"
import * as Rehearsal from "../rehearsal/Rehearsal.ts"
import type { RehearsalReport } from "../rehearsal/RehearsalReport.ts"
import { fromCause, OutdialError, refuseUnknown } from "./OutdialError.ts"
import { decodeAgent, decodeVariables, type HostAgentDefinition } from "./Requests.ts"

export interface RehearseOptions {
  readonly agent: HostAgentDefinition
  /** What answers the contacts: `TextAgent.TextAgent.layerOf(…)`. Default: the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent, unknown>
  /** Tools that the agent may use, each by `Tool.make(…)`. They run in earnest. Default: none. */
  readonly tools?: ReadonlyArray<Tool>
  /** Makes the outcomes: `OutcomeSource.OutcomeSource.layerOf(…)`. Default: from what the agent noted. */
  readonly outcomes?: Layer.Layer<OutcomeSource, unknown>
  /** Who answers the phone. Default: ours that speak the agent's language. */
  readonly personas?: ReadonlyArray<Persona>
  /**
   * Decides what personas do where they have no move: `PersonaPlayer.PersonaPlayer.layerOf(…)`, or `ModelPersona.layer` of `@outdial/ai`. Default:
   * they give their answers.
   */
  readonly player?: Layer.Layer<PersonaPlayer, unknown>
  /** How many calls, 1 to 10,000. The personas take turns. Default: 50. */
  readonly runs?: number
  /** Chooses wordings and ringing times; the same seed gives the same contacts. Default: 1. */
  readonly seed?: number
  /** Values for the placeholders of the agent's texts. Default: none. */
  readonly variables?: Readonly<Record<string, string | number | boolean>>
  /** How many calls are held at once, 1 to 100: the agent is asked as often at once. Default: 10. */
  readonly concurrency?: number
  /** Stops the rehearsal. */
  readonly signal?: AbortSignal
}

const optionNames: OptionNames.Names<RehearseOptions> = {
  agent: true,
  textAgent: true,
  tools: true,
  outcomes: true,
  personas: true,
  player: true,
  runs: true,
  seed: true,
  variables: true,
  concurrency: true,
  signal: true
}

/**
 * Rehearses an agent against simulated contacts, in memory and on virtual time. No phone rings. Resolves with the report also when a must
 * was not kept: check `passed`. Rejects with an `OutdialError` if an option is wrong, and with the code `persona_failed` if a persona could
 * not be played.
 */
export const rehearse = async (options: RehearseOptions): Promise<RehearsalReport> => {
  refuseUnknown(options, optionNames)
  const { agent, signal, variables = {}, ...others } = options
  const exit = await Effect.runPromiseExit(
    Effect.gen(function*() {
      return yield* Rehearsal.rehearse({
        ...others,
        agent: yield* decodeAgent(agent),
        variables: yield* decodeVariables(variables)
      })
    }),
    signal === undefined ? undefined : { signal }
  )
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.squash(exit.cause)
  if (error instanceof PersonaFailed) {
    throw new OutdialError("persona_failed", error.message, { persona: error.persona }, error.cause)
  }
  if (!Cause.hasInterruptsOnly(exit.cause)) throw fromCause(exit.cause)
  throw new OutdialError("aborted", "The signal was aborted before the rehearsal ended", {}, signal?.reason)
}
