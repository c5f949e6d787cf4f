/**
 * Signs deliveries with both schemes (`rules/Signature`). A service, so that a host may keep its secrets elsewhere.
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { Mac } from "effect/crypto"
import * as Signature from "../rules/Signature.ts"

export class WebhookSigner extends Context.Service<WebhookSigner, {
  /** The headers of one attempt, made now. One signature of each kind per secret, newest secret first. */
  readonly sign: (
    secrets: ReadonlyArray<Redacted.Redacted>,
    event: { readonly id: string; readonly body: string }
  ) => Effect.Effect<Record<string, string>>
}>()("@outdial/core/engine/WebhookSigner") {
  static readonly layer = Layer.effect(
    WebhookSigner,
    Effect.gen(function*() {
      const mac = yield* Mac.Mac
      const hmac = ({ content, key }: { readonly key: Uint8Array; readonly content: Uint8Array }) =>
        Mac.key(Mac.hmacSha256, key).pipe(
          Effect.flatMap((macKey) => mac.sign(macKey, content)),
          // Our secrets are never empty and the content is ours: a failure is a bug.
          Effect.orDie
        )
      return WebhookSigner.of({
        sign: Effect.fn("WebhookSigner.sign")(function*(secrets, event) {
          const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const signable = { ...event, timestamp }
          const signatures = yield* Effect.forEach(secrets, (secret) =>
            Effect.all({
              service: hmac(Signature.serviceInput(Redacted.value(secret), signable)),
              standard: hmac(Signature.standardInput(Redacted.value(secret), signable))
            }))
          return Signature.headers(signable, signatures)
        })
      })
    })
  )
}
