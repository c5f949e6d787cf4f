/** Why a delivery was rejected: a code for programs, and a message that says what to do. */

const messages = {
  body_was_parsed:
    "The body was parsed before it was verified. Give the bytes as they arrived: express.raw(), a content type parser of " +
    "Fastify, await request.text()",
  secret_invalid:
    "The secret must be the one that was shown when the webhook was set: whsec_ and 48 letters and digits",
  options_invalid:
    "toleranceSeconds and now must be finite numbers, not negative: seconds, and milliseconds since 1970. Look for a missing " +
    "environment variable, or a string that was not converted to a number",
  headers_missing: "The request has neither Service-Signature nor webhook-id, webhook-timestamp and webhook-signature",
  headers_invalid: "The signature headers cannot be read",
  no_signature_matches:
    "No signature matches. The secret belongs to another webhook, or the body is not the bytes that were sent: JSON that was " +
    "parsed and serialized again differs",
  timestamp_too_old: "The signature is valid but too old: the delivery was replayed, or a clock is wrong",
  timestamp_in_future: "The signature is valid but its time is in the future: check this machine's clock",
  not_an_event: "The body is signed but is not an event"
} as const

export type WebhookVerificationCode = keyof typeof messages

/** The delivery was rejected; answer it with 400. `message` says what to do. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly code: WebhookVerificationCode

  constructor(code: WebhookVerificationCode, message: string = messages[code]) {
    super(message)
    this.code = code
  }
}
