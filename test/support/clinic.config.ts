/** A configuration of `outdial serve` with parts of its own: each call is answered, talked through and judged at once. */
import { OutcomeSource, Telephony } from "@outdial/core"
import { defineServer } from "@outdial/server/config"

export default defineServer({
  telephony: Telephony.Telephony.layerOf((line) => ({
    name: "clinic",
    notFoundLagSeconds: 1,
    dial: async ({ accountId, callId }) => {
      const at = new Date()
      const report = async () => {
        await line.keepRecording({ accountId, callId }, {
          mediaType: "audio/wav",
          bytes: new TextEncoder().encode("RIFF")
        })
        await line.report({ accountId, callId, event: { type: "answered", at, by: "human" } })
        await line.report({
          accountId,
          callId,
          event: {
            type: "ended",
            at,
            result: "hung_up",
            answeredAt: at,
            answeredBy: "human",
            recorded: true,
            transcript: [{ speaker: "contact", text: "Yes, gladly" }]
          }
        })
      }
      setTimeout(() => void report(), 10)
      return { carrierCallId: `clinic-${callId}` }
    },
    lookUp: async () => ({ status: "not_found" }),
    hangUp: async () => {}
  })),
  outcomes: OutcomeSource.OutcomeSource.layerOf(async ({ transcript }) => ({
    disposition: "done",
    summary: `They said: ${transcript.map(({ text }) => text).join(" ")}`,
    leadRating: 9,
    answers: {},
    callbackRequested: false,
    transcript
  }))
})
