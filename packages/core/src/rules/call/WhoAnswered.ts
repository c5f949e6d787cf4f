/** Who has answered a call, by the reports of its carrier. */
import type { AnsweredBy, CallState } from "../../domain/Call.ts"
import type { MachineKind } from "../../domain/Conversation.ts"

/**
 * The call with the carrier's word on who has answered. Answers and verdicts may come in any order, and the conversation may know better:
 * a machine outweighs a person, and both outweigh `unknown`. After a menu there may be another machine. What a carrier hears after a transfer
 * may be the machine of the other number, or a verdict that comes late.
 */
export const judged = <C extends CallState>(call: C, by: AnsweredBy | MachineKind): C => {
  if (call.transferredAt !== undefined && by !== "human" && by !== "unknown") return call
  const answeredBy = surer(call.answeredBy, answeredByOf(by))
  const machine = by === "human" || by === "unknown" || (call.machine ?? "ivr") !== "ivr" ? call.machine : by
  return { ...call, answeredBy, ...(machine !== undefined && { machine }) }
}

/** Only voicemail is told apart. Behind a menu there may be a person, and what a fax machine answers ends without words. */
const answeredByOf = (by: AnsweredBy | MachineKind): AnsweredBy => by === "ivr" || by === "fax" ? "unknown" : by

const surer = (before: AnsweredBy | undefined, by: AnsweredBy): AnsweredBy =>
  before === undefined || before === "unknown" || by === "voicemail" ? by : before
