/** What the agents of an engine talk with, for conversations and rehearsals outside of calls, such as in the console. */
import { Context, type Layer } from "effect"
import * as ScriptedAgent from "../conversation/ScriptedAgent.ts"
import type { TextAgent } from "../conversation/TextAgent.ts"
import type { Tool } from "../conversation/Tool.ts"
import type { OutcomeSource } from "../outcome/OutcomeSource.ts"

export interface AgentPorts {
  readonly textAgent: Layer.Layer<TextAgent, unknown>
  /** They run in earnest. Default: none. */
  readonly tools?: ReadonlyArray<Tool> | undefined
  /** Default: from what the agent noted. */
  readonly outcomes?: Layer.Layer<OutcomeSource, unknown> | undefined
}

/** Provided by `Outdial.open` and the server. Default: the scripted agent. */
export const AgentPorts = Context.Reference<AgentPorts>("@outdial/core/talk/AgentPorts", {
  defaultValue: () => ({ textAgent: ScriptedAgent.layer })
})
