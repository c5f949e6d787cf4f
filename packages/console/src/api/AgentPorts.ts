/** What agents of this deployment talk with, for conversations and rehearsals in the console. */
import { type OutcomeSource, ScriptedAgent, type TextAgent, type Tool } from "@outdial/core"
import { Context, type Layer } from "effect"

export interface AgentPorts {
  readonly textAgent: Layer.Layer<TextAgent.TextAgent, unknown>
  /** Default: none. They run in earnest. */
  readonly tools?: ReadonlyArray<Tool.Tool> | undefined
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource, unknown> | undefined
}

/** The scripted agent, unless the host of the console has a language model. */
export const AgentPorts = Context.Reference<AgentPorts>("@outdial/console/api/AgentPorts", {
  defaultValue: () => ({ textAgent: ScriptedAgent.layer })
})
