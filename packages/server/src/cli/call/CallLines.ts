/** Shows one call as it goes on, in lines of text. */
import type { ClientCall, ClientTranscript } from "@outdial/http/client"

/** The lines for what has changed; none if nothing has that a person would see. */
export const changed = (before: ClientCall | undefined, call: ClientCall): ReadonlyArray<string> => {
  const line = stateOf(call)
  return before !== undefined && stateOf(before) === line ? [] : [line]
}

export const turn = (
  names: { readonly agent: string; readonly contact: string },
  { interrupted, speaker, text }: ClientTranscript["turns"][number]
): string => `  ${names[speaker]}: ${text}${interrupted === true ? " (interrupted)" : ""}`

/** What became of the conversation. */
export const outcome = ({ outcome }: ClientCall): ReadonlyArray<string> =>
  outcome === null
    ? []
    : [
      `  ${outcome.disposition}: ${outcome.summary}`,
      ...Object.entries(outcome.answers).map(([question, answer]) => `  ${question} ${answer}`),
      ...outcome.callbackRequested ? [`  Call back${suffix(outcome.callbackTimeText)}`] : [],
      ...outcome.doNotCall === true ? ["  The number is on the do-not-call list"] : []
    ]

const stateOf = ({ answeredBy, durationSeconds, phoneNumber, status, statusReason }: ClientCall): string => {
  switch (status) {
    case "queued":
      return `Queued${suffix(statusReason)}`
    case "dialing":
      return `Dialing ${phoneNumber}`
    case "in_progress":
      return answeredBy === "voicemail" ? "Answered by voicemail" : "Answered"
    default:
      return `Ended: ${status}${
        durationSeconds === undefined || durationSeconds === 0 ? "" : ` after ${durationSeconds} s`
      }${suffix(statusReason)}`
  }
}

const suffix = (text: string | undefined): string => text === undefined ? "" : `: ${text}`
