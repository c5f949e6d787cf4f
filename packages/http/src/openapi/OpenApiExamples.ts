/** The example of the OpenAPI document: one call that runs through all of it, and the fields that several forms share. */

/** `apart`: valid by itself, but left out of the example of the whole, which it would contradict. */
export interface Field {
  readonly description: string
  readonly example: unknown
  readonly apart?: true
}

export const field = (description: string, example: unknown): Field => ({ description, example })
export const apart = (description: string, example: unknown): Field => ({ description, example, apart: true })

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

export const contactFields = {
  name: field("At most 255 characters. The script may use it as `{{contact.name}}`.", contact.name),
  email: field("An e-mail address of at most 254 characters.", contact.email),
  external_id: field(
    "Your own id of the contact, at most 255 characters. Calls can be listed by it.",
    contact.external_id
  ),
  time_zone: field(
    "The zone that the callee is in, as a name of the IANA time zone database. When not given, the zones that the number may lie in.",
    "America/New_York"
  )
}

export const requestFields = {
  phone_number: field(
    "The number to call, in E.164 form. Spaces, dashes, dots and brackets are ignored; a leading `00` is read as `+`. A number without a country is one of the policy's `default_country`, and is refused without that.",
    "+1 (415) 555-0100"
  ),
  contact: field("Whom the call is for.", contact),
  variables: field(
    "Values for the placeholders of the agent's script: text of at most 500 characters, numbers or booleans, at most 100. A key starts with a letter, then letters, digits, `_` or spaces, at most 40 characters.",
    variables
  ),
  metadata: field(
    "Your own data, at most 8 KB as JSON. It comes back on the call and its events; the agent never sees it.",
    metadata
  ),
  not_before: field("The call is not dialed before this instant.", "2026-03-02T15:00:00Z"),
  expires_at: field(
    "A call that still waits then is `expired`. When not given: seven days after the call may first be dialed.",
    "2026-03-04T18:00:00Z"
  )
}
