/**
 * Signs deliveries with both schemes (`rules/Signature`). A service, so that a host may keep its secrets elsewhere.
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { Mac } from "effect/crypto"
import * as Signature from "../rules/webhook/Signature.ts"

type MacKey = Effect.Success<ReturnType<typeof Mac.key<typeof Mac.hmacSha256>>>

export class WebhookSigner extends Context.Service<WebhookSigner, {
  /** The headers of one attempt at the present time. One signature of each kind per secret, newest secret first. */
  readonly sign: (
    secrets: ReadonlyArray<Redacted.Redacted>,
    event: { readonly id: string; readonly body: string }
  ) => Effect.Effect<Record<string, string>>
}>()("@outdial/core/webhook/WebhookSigner") {
  static readonly layer = Layer.effect(
    WebhookSigner,
    Effect.gen(function*() {
      const mac = yield* Mac.Mac
      // Cached per secret, and dropped with it.
      const known = new WeakMap<Redacted.Redacted, { readonly service: MacKey; readonly standard: MacKey }>()
      const keysOf = Effect.fnUntraced(function*(secret: Redacted.Redacted) {
        const bytes = Signature.keysOf(Redacted.value(secret))
        const keys = {
          service: yield* Mac.key(Mac.hmacSha256, bytes.service),
          standard: yield* Mac.key(Mac.hmacSha256, bytes.standard)
        }
        known.set(secret, keys)
        return keys
      })
      return WebhookSigner.of({
        sign: Effect.fnUntraced(function*(secrets, event) {
          const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const signable = { ...event, timestamp }
          const contents = Signature.contentsOf(signable)
          const signatures = []
          for (const secret of secrets) {
            const keys = known.get(secret) ?? (yield* keysOf(secret))
            signatures.push({
              service: yield* mac.sign(keys.service, contents.service),
              standard: yield* mac.sign(keys.standard, contents.standard)
            })
          }
          return Signature.headers(signable, signatures)
          // Our secrets are never empty and the content is ours: a failure is a bug.
        }, Effect.orDie)
      })
    })
  )
}
