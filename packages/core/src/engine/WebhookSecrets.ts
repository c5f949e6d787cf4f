/**
 * The secrets of all endpoints, for operators: whether every one can be opened, and sealing them anew under the key of
 * today, while the engine runs. What accounts do with theirs is `Webhooks`'.
 */
import { Array, Context, DateTime, Effect, Layer, Option } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import type { WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import { SecretBox, SecretBoxError } from "../ports/SecretBox.ts"
import { Storage, type StorageError } from "../ports/Storage.ts"

/** Few enough to be held in memory and opened within seconds, also by a key service. */
const setSize = 100

export class WebhookSecrets extends Context.Service<WebhookSecrets, {
  /** Fails when a secret is sealed under a key that was not given. Opens none. */
  readonly check: Effect.Effect<void, SecretBoxError | StorageError>
  /**
   * Seals under the current key what is sealed under another, in small sets, and answers for how many endpoints. Safe to
   * repeat, and to run while secrets are issued. Stops at a secret that cannot be opened; those before it are done.
   */
  readonly reencrypt: Effect.Effect<number, SecretBoxError | StorageError>
}>()("@outdial/core/engine/WebhookSecrets") {
  static readonly layer = Layer.effect(
    WebhookSecrets,
    Effect.gen(function*() {
      const box = yield* SecretBox
      const storage = yield* Storage

      const resealed = (accountId: AccountId) =>
        Effect.fnUntraced(function*({ hint, ...sealed }: SealedSecret) {
          if (sealed.keyId === box.keyIds[0]) return { ...sealed, hint }
          return { ...(yield* box.seal(accountId, yield* box.open(accountId, sealed))), hint }
        })

      const reseal = Effect.fnUntraced(function*(endpoint: WebhookEndpoint) {
        const now = yield* DateTime.now
        const seal = resealed(endpoint.accountId)
        const alive = endpoint.previousSecrets.filter(({ expiresAt }) => DateTime.isGreaterThan(expiresAt, now))
        const previousSecrets = yield* Effect.forEach(
          alive,
          ({ expiresAt, secret }) => Effect.map(seal(secret), (secret) => ({ secret, expiresAt }))
        )
        // A rotation that came between has sealed its secret itself, but maybe not the one before: the next pass finds it.
        return yield* storage.resealSecrets({ from: endpoint, secret: yield* seal(endpoint.secret), previousSecrets })
      })

      /** One pass over the endpoints: how many there were to do, and how many were done. */
      const pass = Effect.gen(function*() {
        let [found, written] = [0, 0]
        let after = Option.none<AccountId>()
        while (true) {
          const set = yield* storage.listSealedOtherwise({ keyIds: [box.keyIds[0]], after, limit: setSize })
          found += set.length
          written += (yield* Effect.forEach(set, reseal)).filter((done) => done).length
          if (set.length < setSize) return { found, written }
          after = Option.map(Array.last(set), ({ accountId }) => accountId)
        }
      })

      return WebhookSecrets.of({
        check: Effect.gen(function*() {
          const [endpoint] = yield* storage.listSealedOtherwise({ keyIds: box.keyIds, after: Option.none(), limit: 1 })
          if (endpoint === undefined) return
          const unknown = [endpoint.secret, ...endpoint.previousSecrets.map(({ secret }) => secret)]
            .find(({ keyId }) => !box.keyIds.includes(keyId))
          return yield* new SecretBoxError({ reason: "unknown_key", keyId: unknown?.keyId ?? "" })
        }).pipe(Effect.withSpan("WebhookSecrets.check")),
        reencrypt: Effect.gen(function*() {
          let total = 0
          while (true) {
            const { found, written } = yield* pass
            if (found === 0) return total
            total += written
          }
        }).pipe(Effect.withSpan("WebhookSecrets.reencrypt"))
      })
    })
  )
}
