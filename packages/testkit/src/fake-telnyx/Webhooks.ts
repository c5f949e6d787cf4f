/** What Telnyx says of a call in its webhooks. */
import type { FakeCall, Progress } from "../fake-carrier/FakeCalls.ts"

export interface Webhook {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** The webhook that tells of a step; none where Telnyx has none. */
export const webhookFor = (
  { answeredBy, request, status }: FakeCall<{ readonly answering_machine_detection?: string }>,
  progress: Progress,
  reason: string | undefined
): Webhook | undefined => {
  switch (progress) {
    case "initiated":
      return { type: "call.initiated", payload: { direction: "outgoing", state: "bridging" } }
    case "recorded":
    case "ringing":
      return undefined
    case "answered":
      return { type: "call.answered", payload: { state: "answered" } }
    case "verdict":
      return request.answering_machine_detection === undefined ? undefined : {
        type: "call.machine.premium.detection.ended",
        payload: { result: answeredBy === "machine" ? "machine" : "human_residence" }
      }
    case "greeting_ended":
      return { type: "call.machine.premium.greeting.ended", payload: { result: "beep_detected" } }
    case "session_ended":
      return { type: "call.conversation.ended", payload: { reason } }
    case "ended":
      return { type: "call.hangup", payload: { state: "hangup", hangup_source: "unknown", ...causes[status] } }
    default:
      return progress satisfies never
  }
}

const causes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  completed: { hangup_cause: "normal_clearing", sip_hangup_cause: "200" },
  busy: { hangup_cause: "user_busy", sip_hangup_cause: "486" },
  "no-answer": { hangup_cause: "no_answer", sip_hangup_cause: "487" },
  canceled: { hangup_cause: "originator_cancel", sip_hangup_cause: "487" },
  failed: { hangup_cause: "unspecified", sip_hangup_cause: "503" }
}
