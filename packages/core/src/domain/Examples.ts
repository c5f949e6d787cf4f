/** The example of the API documents: one call, used throughout. */

export const callId = "call_01KCA6ZJ6QK4D8V1V7N3R2T5WX"
export const batchId = "batch_01KCA6ZH0T3M9P5Q8R2S4V6W7Y"
export const eventId = "evt_01KCA6ZJ6QK4D8V1V7N3R2T5WX"
export const agentId = "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11"
export const created = "2026-03-02T10:00:00.000Z"
export const ended = "2026-03-02T10:01:47.000Z"
export const phoneNumber = "+14155550100"
export const contact = { name: "Ada Lovelace", email: "ada@example.com", external_id: "crm-4711" }
export const variables = { appointment: "Tuesday at 10" }
export const metadata = { campaign: "spring", order: 4711 }
export const secret = "whsec_4fJx0pQ2sT7vWz9bD1gH3kM5nR8uY6aC0eL2iO4qS7tV9xZ1"
export const outcome = {
  disposition: "confirmed",
  summary: "Ada confirmed the appointment on Tuesday at 10.",
  answers: { "Does the time still suit you?": "Yes" },
  lead_rating: 8,
  callback_requested: false,
  transcript: [{ speaker: "agent", text: "Hello, does Tuesday at 10 still suit you?" }, {
    speaker: "contact",
    text: "Yes."
  }]
}
