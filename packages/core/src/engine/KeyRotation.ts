/**
 * Rotates the secret key while the engine runs: checks that every secret can be opened, seals them under the current
 * key, and replaces secrets whose key is lost. Covers the secrets of all endpoints and the keys of `ErasureAliases`.
 * `Webhooks` does what accounts do with their own secret.
 */
import { Array, Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AccountId } from "../domain/Ids.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import { makeSecret, secretHint, type WebhookEndpoint } from "../domain/WebhookEndpoint.ts"
import { SecretBox, SecretBoxError } from "../secret/SecretBox.ts"
import { ErasureAliases } from "../privacy/ErasureAliases.ts"
import { SecretStore } from "../secret/SecretStore.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** Few enough to be held in memory and opened within seconds, also by a key service. */
const setSize = 100

/** A new secret for the account's receiver. It is readable only here. */
export interface ReissuedSecret {
  readonly accountId: AccountId
  readonly url: string
  readonly secret: Redacted.Redacted
}

export class KeyRotation extends Context.Service<KeyRotation, {
  /** Fails when a secret is sealed under a key that was not given. Opens none. */
  readonly check: Effect.Effect<void, SecretBoxError | StorageError>
  /**
   * Seals everything under another key with the current key, in small sets, and returns the number of endpoints. Safe
   * to repeat, and to run while secrets are issued. Stops at a secret that cannot be opened; those before it are done.
   */
  readonly reencrypt: Effect.Effect<number, SecretBoxError | StorageError>
  /**
   * For lost keys: replaces every endpoint secret that no key opens, passes each to `onReissued` once it is written, and
   * deletes previous secrets under lost keys. Returns the number of endpoints. Opens nothing, and changes nothing that
   * can be opened. Safe to repeat.
   */
  readonly reissueLost: <E, R>(
    onReissued: (reissued: ReissuedSecret) => Effect.Effect<void, E, R>
  ) => Effect.Effect<number, SecretBoxError | StorageError | E, R>
}>()("@outdial/core/engine/KeyRotation") {
  static readonly layer = Layer.effect(
    KeyRotation,
    Effect.gen(function*() {
      const box = yield* SecretBox
      const secretStore = yield* SecretStore
      const random = yield* SecureRandom.SecureRandom
      const erasureKeys = yield* ErasureAliases

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
        // A concurrent rotation has sealed its own secret, but maybe not the previous one: the next pass finds it.
        return yield* secretStore.replaceWebhookSecrets({
          from: endpoint,
          secret: yield* seal(endpoint.secret),
          previousSecrets
        })
      })

      const isKnown = ({ keyId }: SealedSecret) => box.keyIds.includes(keyId)

      const replaceLost = Effect.fnUntraced(function*<E, R>(
        endpoint: WebhookEndpoint,
        onReissued: (reissued: ReissuedSecret) => Effect.Effect<void, E, R>
      ) {
        const { accountId, url } = endpoint
        const previousSecrets = endpoint.previousSecrets.filter(({ secret }) => isKnown(secret))
        if (isKnown(endpoint.secret)) {
          return yield* secretStore.replaceWebhookSecrets({ from: endpoint, secret: endpoint.secret, previousSecrets })
        }
        const text = yield* makeSecret.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
        const secret = Redacted.make(text, { label: "webhook-secret" })
        const sealed = { ...(yield* box.seal(accountId, secret)), hint: secretHint(text) }
        const written = yield* secretStore.replaceWebhookSecrets({ from: endpoint, secret: sealed, previousSecrets })
        // A concurrent rotation has issued a new secret.
        if (written) yield* onReissued({ accountId, url, secret })
        return written
      })

      /** One pass over the endpoints with secrets under other keys: how many were found, and how many were written. */
      const pass = Effect.fnUntraced(function*<E, R>(
        keyIds: ReadonlyArray<string>,
        put: (endpoint: WebhookEndpoint) => Effect.Effect<boolean, E, R>
      ) {
        let [found, written] = [0, 0]
        let after = Option.none<AccountId>()
        while (true) {
          const set = yield* secretStore.listWebhooksNotUnder({ keyIds, after, limit: setSize })
          found += set.length
          written += (yield* Effect.forEach(set, put)).filter((done) => done).length
          if (set.length < setSize) return { found, written }
          after = Option.map(Array.last(set), ({ accountId }) => accountId)
        }
      })

      /** Repeats the pass until nothing is left; returns how many endpoints were written. */
      const updateStale = Effect.fnUntraced(function*<E, R>(
        keyIds: ReadonlyArray<string>,
        put: (endpoint: WebhookEndpoint) => Effect.Effect<boolean, E, R>
      ) {
        let total = 0
        while (true) {
          const { found, written } = yield* pass(keyIds, put)
          if (found === 0) return total
          total += written
        }
      })

      return KeyRotation.of({
        check: Effect.gen(function*() {
          const [endpoint] = yield* secretStore.listWebhooksNotUnder({
            keyIds: box.keyIds,
            after: Option.none(),
            limit: 1
          })
          if (endpoint === undefined) return yield* erasureKeys.check
          const unknown = [endpoint.secret, ...endpoint.previousSecrets.map(({ secret }) => secret)]
            .find((secret) => !isKnown(secret))
          return yield* new SecretBoxError({ reason: "unknown_key", keyId: unknown?.keyId ?? "" })
        }).pipe(Effect.withSpan("KeyRotation.check")),
        reencrypt: updateStale([box.keyIds[0]], reseal).pipe(
          Effect.tap(erasureKeys.reencrypt),
          Effect.withSpan("KeyRotation.reencrypt")
        ),
        reissueLost: (onReissued) =>
          updateStale(box.keyIds, (endpoint) => replaceLost(endpoint, onReissued)).pipe(
            Effect.tap(erasureKeys.replaceLost),
            Effect.withSpan("KeyRotation.reissueLost")
          )
      })
    })
  ).pipe(Layer.provide(ErasureAliases.layer))
}
