/** The agent of one call: its texts are rendered, its defaults filled in, and its owner's metadata is left out. */
import { type Agent, type AgentBrief, conversationSettings } from "../../domain/Agent.ts"
import * as Script from "./Script.ts"

export const agentBrief = (agent: Agent, call: Script.Values): AgentBrief => {
  const { disclosure, firstMessage, language, model, voice, voicemailMessage } = agent
  const rendered = (text: string) => Script.render(agent, text, { contact: call.contact, variables: call.variables })
  return {
    id: agent.id,
    name: agent.name,
    script: rendered(agent.script),
    ...(language !== undefined && { language }),
    questions: agent.questions,
    dispositions: agent.dispositions,
    ...(voicemailMessage !== undefined && { voicemailMessage: rendered(voicemailMessage) }),
    ...(firstMessage !== undefined && { firstMessage: rendered(firstMessage) }),
    ...(disclosure !== undefined && { disclosure: rendered(disclosure) }),
    ...(model !== undefined && { model }),
    ...(voice !== undefined && { voice }),
    ...conversationSettings(agent)
  }
}
