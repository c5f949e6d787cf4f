/**
 * API keys. They are shown once and stored only as a hash. The host and the command line manage them; HTTP does not.
 */
import { Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import * as ApiKey from "../domain/ApiKey.ts"
import { InvalidRequest, Unauthenticated, type Unavailable } from "../domain/Errors.ts"
import { type AccountId, type ApiKeyId, makeApiKeyId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import * as LazySpan from "../observe/LazySpan.ts"
import type * as RequestWindow from "../rules/access/RequestWindow.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { AccessStore } from "./AccessStore.ts"

export interface NewApiKey {
  readonly name: string
  readonly scopes: ReadonlyArray<ApiKey.Scope>
  readonly expiresAt?: DateTime.Utc
}

export class ApiKeys extends Context.Service<ApiKeys, {
  /** The key itself is in the answer and can never be read again. An end that is not in the future is refused. */
  readonly create: (
    accountId: AccountId,
    key: NewApiKey
  ) => Effect.Effect<{ readonly key: ApiKey.ApiKey; readonly secret: Redacted.Redacted }, InvalidRequest | Unavailable>
  /**
   * The key's record, if the key is usable now, and the verdict of its request window. A request that is not allowed
   * must be refused; it is not counted.
   */
  readonly authenticate: (
    secret: Redacted.Redacted
  ) => Effect.Effect<
    { readonly key: ApiKey.ApiKey; readonly verdict: RequestWindow.Verdict },
    Unauthenticated | Unavailable
  >
  /** Newest first, revoked ones too. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<ApiKey.ApiKey>, Unavailable>
  /** Revokes the key; after it returns, requests with it are refused. Safe to repeat. Returns whether there is such a key. */
  readonly revoke: (accountId: AccountId, id: ApiKeyId) => Effect.Effect<boolean, Unavailable>
}>()("@outdial/core/access/ApiKeys") {
  static readonly layer = Layer.effect(
    ApiKeys,
    Effect.gen(function*() {
      const accessStore = yield* AccessStore
      const random = yield* SecureRandom.SecureRandom
      const digest = yield* Digest.Digest
      const hash = (secret: string) =>
        // SHA-256 of text cannot fail; a key has 190 bits of entropy, so no slow hash is needed.
        Effect.orDie(digest.digestHex(Digest.sha256, new TextEncoder().encode(secret)))
      return ApiKeys.of({
        create: Effect.fn("ApiKeys.create")(function*(accountId, { expiresAt, name, scopes }) {
          const now = yield* DateTime.now
          if (expiresAt !== undefined && DateTime.isLessThanOrEqualTo(expiresAt, now)) return yield* alreadyExpired
          const secret = yield* ApiKey.makeSecret
          const key: ApiKey.ApiKey = {
            id: yield* makeApiKeyId,
            accountId,
            name,
            hash: yield* hash(secret),
            scopes,
            createdAt: now,
            ...(expiresAt !== undefined && { expiresAt })
          }
          yield* orUnavailable(accessStore.addApiKey(key))
          return { key, secret: Redacted.make(secret, { label: "api-key" }) }
        }, Effect.provideService(SecureRandom.SecureRandom, random)),
        authenticate: LazySpan.fn("ApiKeys.authenticate")(Effect.fnUntraced(function*(secret: Redacted.Redacted) {
          const text = Redacted.value(secret)
          if (text === "") return yield* new Unauthenticated({ why: "missing" })
          if (!ApiKey.isWellFormed(text)) return yield* new Unauthenticated({ why: "invalid" })
          const use = yield* orUnavailable(accessStore.admit({
            hash: yield* hash(text),
            now: yield* DateTime.now,
            limit: Limits.requestsPerMinute
          }))
          if (Option.isNone(use) || Option.isNone(use.value.verdict)) {
            return yield* new Unauthenticated({ why: "invalid" })
          }
          return { key: use.value.key, verdict: use.value.verdict.value }
        })),
        list: Effect.fn("ApiKeys.list")((accountId) => orUnavailable(accessStore.listApiKeys(accountId))),
        revoke: Effect.fn("ApiKeys.revoke")(function*(accountId, id) {
          return yield* orUnavailable(accessStore.revokeApiKey({ accountId, id, now: yield* DateTime.now }))
        })
      })
    })
  )
}

const alreadyExpired = new InvalidRequest({ problems: [{ path: ["expiresAt"], message: "must be in the future" }] })
