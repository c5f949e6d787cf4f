/** Prints a conversation as it is spoken: each line names the phone number, because calls overlap. */
import type { Conversation, Storage } from "@outdial/core"

/** The lines for an entry of the log; none for what only the engine needs. */
export const of = ({ agent, call }: Storage.Acquired, entry: Conversation.Entry): ReadonlyArray<string> => {
  const line = (text: string) => [`  ${call.phoneNumber}  ${text}`]
  switch (entry._tag) {
    case "Turn": {
      const name = entry.speaker === "agent" ? agent.name : call.contact.name ?? "Contact"
      return line(`${name}: ${entry.text}${entry.interrupted === true ? " (interrupted)" : ""}`)
    }
    case "Noted":
      if (entry.note._tag === "Transfer") {
        return line(`${entry.note.failed === true ? "could not be transferred" : "is transferred"} to ${entry.note.to}`)
      }
      return entry.note._tag === "OptOut" ? line("is on the do-not-call list: the contact asked for it") : []
    case "Failed":
      return line(`the agent failed: ${entry.cause}`)
    default:
      return []
  }
}
