/** One attempt to deliver an event: signed, sent within the deadline, and logged. */
import { Array, Cache, DateTime, Duration, Effect, Exit, Option, type Redacted, Result } from "effect"
import * as Limits from "../domain/Limits.ts"
import type { SigningSecret } from "../domain/WebhookEndpoint.ts"
import { SecretBox, SecretBoxError } from "../secret/SecretBox.ts"
import { type Answer, TransportFailed, WebhookTransport } from "./WebhookTransport.ts"
import { WebhookSigner } from "./WebhookSigner.ts"
import type { DeliveryAttempt } from "../domain/Delivery.ts"

/** Opening a secret may call a key service: each secret is opened once a minute and node, and dropped with its endpoint. */
const openedSecrets = { capacity: 10_000, timeToLive: Duration.minutes(1), openTimeout: Duration.seconds(4) }

type Keys = ReadonlyArray<Redacted.Redacted>

/** The signed parts of an event. */
interface Signed {
  readonly id: string
  readonly body: string
}

/** Sends an event to a URL. Always succeeds or fails within the deadline plus the timeout of a key service. */
export const makeSender = Effect.gen(function*() {
  const box = yield* SecretBox
  const signer = yield* WebhookSigner
  const transport = yield* WebhookTransport
  const opened = yield* Cache.makeWith(
    ({ accountId, ciphertext, keyId }: SigningSecret) => box.open(accountId, { ciphertext, keyId }),
    {
      capacity: openedSecrets.capacity,
      timeToLive: (exit) => Exit.isSuccess(exit) ? openedSecrets.timeToLive : Duration.zero
    }
  )
  const open = ([current, ...previous]: ReadonlyArray<SigningSecret>) =>
    Effect.forEach(current === undefined ? [] : [current], (secret) => Cache.get(opened, secret)).pipe(
      // A previous secret in its grace period only helps receivers without the current one: if it can never be opened
      // again, the event is still sent.
      Effect.flatMap((keys) =>
        Effect.map(
          Effect.forEach(previous, (secret) => openable(Cache.get(opened, secret))),
          (others) => [...keys, ...Array.getSomes(others)]
        )
      ),
      Effect.timeoutOrElse({
        duration: openedSecrets.openTimeout,
        orElse: () => new SecretBoxError({ reason: "unavailable", keyId: current?.keyId ?? "" })
      }),
      Effect.catch(unsigned),
      Effect.catchDefect(unsigned)
    )
  const keysOf = Effect.fnUntraced(function*(secrets: ReadonlyArray<SigningSecret>) {
    const keys: Array<Redacted.Redacted> = []
    for (const secret of secrets) {
      const key = yield* Cache.getSuccess(opened, secret)
      if (Option.isNone(key)) return yield* open(secrets)
      keys.push(key.value)
    }
    return keys
  })
  const post = (url: string, keys: Keys, event: Signed) =>
    signer.sign(keys, event).pipe(
      Effect.catchDefect(unsigned),
      Effect.flatMap((signatures) =>
        transport.send({
          url,
          headers: { "content-type": "application/json", "user-agent": "Outdial-Webhooks/1", ...signatures },
          body: event.body
        }).pipe(
          // A transport is the host's code: a defect counts as a failed attempt.
          Effect.catchDefect((cause) => new TransportFailed({ errorCode: "network_error", cause }))
        )
      ),
      Effect.timeoutOrElse({
        duration: Limits.deliveryDeadline,
        orElse: () => new TransportFailed({ errorCode: "timeout", cause: "No answer within the deadline" })
      })
    )
  return (
    { secrets, url }: { readonly url: string; readonly secrets: ReadonlyArray<SigningSecret> },
    event: Signed
  ) => Effect.flatMap(keysOf(secrets), (keys) => post(url, keys, event))
})

/** Unsigned it must not go out. It is tried again, uses up no attempt, and is in the log by its own name. */
const unsigned = (cause: unknown) =>
  Effect.andThen(
    Effect.logError("A delivery cannot be signed", cause),
    Effect.fail(new TransportFailed({ errorCode: "signing_failed", cause }))
  )

/** `None` for a secret that no key of this process can open. */
const openable = <A>(open: Effect.Effect<A, SecretBoxError>) =>
  open.pipe(
    Effect.asSome,
    Effect.catchIf(({ reason }) => reason !== "unavailable", () => Effect.succeedNone)
  )

/** The record of an attempt; without `errorCode` it was a success, which only 2xx is. */
export const made = (
  answer: Result.Result<Answer, TransportFailed>,
  startedAt: DateTime.Utc,
  endedAt: DateTime.Utc
): Omit<DeliveryAttempt, "cause"> => {
  const attempt = { at: startedAt, durationMs: Duration.toMillis(DateTime.distance(startedAt, endedAt)) }
  if (Result.isFailure(answer)) return { ...attempt, errorCode: answer.failure.errorCode }
  const { statusCode } = answer.success
  if (statusCode >= 200 && statusCode < 300) return { ...attempt, statusCode }
  // Without the code, its owner would search for the fault at the target of a redirect that was not followed.
  const isRedirect = statusCode >= 300 && statusCode < 400
  return { ...attempt, statusCode, errorCode: isRedirect ? "redirect_not_followed" : "http_error" }
}
