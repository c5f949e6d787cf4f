/** One attempt to deliver an event: signed, sent within the deadline, and put on record. */
import { DateTime, Duration, Effect, type Redacted, Result } from "effect"
import * as Limits from "../domain/Limits.ts"
import type { DeliveryAttempt } from "../ports/Storage.ts"
import { type Answer, TransportFailed, WebhookTransport } from "../ports/WebhookTransport.ts"
import { WebhookSigner } from "./WebhookSigner.ts"

/** Sends an event to an address; always answers, or fails, within the deadline. */
export const makeSender = Effect.gen(function*() {
  const signer = yield* WebhookSigner
  const transport = yield* WebhookTransport
  return Effect.fn("Deliveries.send")(function*(
    { secrets, url }: { readonly url: string; readonly secrets: ReadonlyArray<Redacted.Redacted> },
    event: { readonly id: string; readonly body: string }
  ) {
    const signatures = yield* signer.sign(secrets, event)
    return yield* transport.send({
      url,
      headers: { "content-type": "application/json", "user-agent": "Outdial-Webhooks/1", ...signatures },
      body: event.body
    }).pipe(
      // A transport is the host's code: what it throws is an attempt that failed, and counts as one.
      Effect.catchDefect((cause) => new TransportFailed({ errorCode: "network_error", cause })),
      Effect.timeoutOrElse({
        duration: Limits.deliveryDeadline,
        orElse: () => new TransportFailed({ errorCode: "timeout", cause: "No answer within the deadline" })
      })
    )
  })
})

/** The record of an attempt; without `errorCode` it was a success, which only 2xx is. */
export const made = (
  answer: Result.Result<Answer, TransportFailed>,
  startedAt: DateTime.Utc,
  endedAt: DateTime.Utc
): DeliveryAttempt => {
  const attempt = { at: startedAt, durationMs: Duration.toMillis(DateTime.distance(startedAt, endedAt)) }
  if (Result.isFailure(answer)) return { ...attempt, errorCode: answer.failure.errorCode }
  const { statusCode } = answer.success
  return statusCode >= 200 && statusCode < 300
    ? { ...attempt, statusCode }
    : { ...attempt, statusCode, errorCode: "http_error" }
}
