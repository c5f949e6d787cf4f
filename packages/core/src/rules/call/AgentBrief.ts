/** The agent of one call: its script is rendered, and its owner's metadata is left out. */
import type { Agent, AgentBrief } from "../../domain/Agent.ts"
import * as Script from "./Script.ts"

export const agentBrief = (agent: Agent, call: Script.Values): AgentBrief => ({
  id: agent.id,
  name: agent.name,
  script: Script.render(agent, { contact: call.contact, variables: call.variables }),
  ...(agent.language !== undefined && { language: agent.language }),
  questions: agent.questions,
  dispositions: agent.dispositions,
  ...(agent.voicemailMessage !== undefined && { voicemailMessage: agent.voicemailMessage })
})
