/**
 * The keys that hash the numbers of erased callees: one per account, created by its first erasure and stored sealed, so
 * that a copy of the database alone reveals no number. An alias replaces the number, and can be computed again from the
 * number and the key.
 */
import { Array, Context, Effect, Layer, Option, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Base64, Hex } from "effect/encoding"
import type { AccountId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { SealedSecret } from "../domain/SealedSecret.ts"
import { SecretBox, SecretBoxError } from "../secret/SecretBox.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { type SealedErasureKey, SecretStore } from "../secret/SecretStore.ts"
import type { AliasesOf } from "../storage/AliasesOf.ts"
import { StorageError } from "../storage/StorageError.ts"

/** Few enough to be opened within seconds, also by a key service. */
const setSize = 100

const keyBytes = 32

/** 128 bits, so that collisions are negligible. */
const aliasBytes = 16

/** Distinguishes the key from other sealed secrets of the account. */
const label = "erasure key "

export class ErasureAliases extends Context.Service<ErasureAliases, {
  /** The alias of a number that is to be erased; makes the account's key when there is none. */
  readonly aliasFor: (accountId: AccountId, number: PhoneNumber) => Effect.Effect<PhoneNumber, StorageError>
  /** The alias of the number, whether or not it was erased; `None` while the account has erased no callee. */
  readonly aliasIfAny: (
    accountId: AccountId,
    number: PhoneNumber
  ) => Effect.Effect<Option.Option<PhoneNumber>, StorageError>
  /** Computes aliases for storage inside its transactions. */
  readonly aliasesOf: (accountId: AccountId) => AliasesOf
  /** Fails when a key is sealed under another that was not given. Opens none. */
  readonly check: Effect.Effect<void, SecretBoxError | StorageError>
  /** Seals under the current key what is sealed under another; returns the number of accounts. Safe to repeat. */
  readonly reencrypt: Effect.Effect<number, SecretBoxError | StorageError>
  /**
   * For lost keys: gives their accounts new keys, and returns how many. The rules no longer find what is stored under
   * aliases of a lost key.
   */
  readonly replaceLost: Effect.Effect<number, SecretBoxError | StorageError>
}>()("@outdial/core/privacy/ErasureAliases") {
  static readonly layer = Layer.effect(
    ErasureAliases,
    Effect.gen(function*() {
      const box = yield* SecretBox
      const mac = yield* Mac.Mac
      const random = yield* SecureRandom.SecureRandom
      const accountStore = yield* AccountStore
      const secretStore = yield* SecretStore
      const opened = new Map<string, Mac.Key>()

      const make = Effect.fnUntraced(function*(accountId: AccountId) {
        const bytes = yield* Effect.orDie(random.randomBytes(keyBytes))
        const sealed = yield* box.seal(accountId, Redacted.make(`${label}${Base64.encode(bytes)}`))
        return { ...sealed, hint: "" } satisfies SealedSecret
      })

      const open = Effect.fnUntraced(function*(accountId: AccountId, sealed: SealedSecret) {
        const known = opened.get(sealed.ciphertext)
        if (known !== undefined) return known
        const text = Redacted.value(yield* box.open(accountId, sealed))
        const bytes = Option.getSuccess(Base64.decode(text.slice(label.length)))
        if (!text.startsWith(label) || Option.isNone(bytes)) {
          return yield* new SecretBoxError({ reason: "not_authentic", keyId: sealed.keyId })
        }
        const key = yield* Effect.orDie(Mac.key(Mac.hmacSha256, bytes.value))
        opened.set(sealed.ciphertext, key)
        return key
      })

      const alias = Effect.fnUntraced(function*(accountId: AccountId, key: Mac.Key, number: PhoneNumber) {
        const tag = yield* Effect.orDie(mac.sign(key, new TextEncoder().encode(JSON.stringify([accountId, number]))))
        // An alias takes the place of a number in storage, and is not a number: see `PhoneNumber.isErased`.
        return `erased_${Hex.encode(tag.subarray(0, aliasBytes))}` as PhoneNumber
      })

      const aliasUnder = Effect.fnUntraced(function*(accountId: AccountId, sealed: SealedSecret, number: PhoneNumber) {
        return yield* alias(accountId, yield* open(accountId, sealed), number)
      }, orUnavailable)

      /** Repeats sets of keys sealed under other keys until none is left that can be written; returns how many were. */
      const forOthers = Effect.fnUntraced(function*(
        keyIds: ReadonlyArray<string>,
        by: (sealed: SealedErasureKey) => Effect.Effect<SealedSecret, SecretBoxError>
      ) {
        let done = 0
        let after = Option.none<AccountId>()
        while (true) {
          const set = yield* secretStore.listErasureKeysNotUnder({ keyIds, after, limit: setSize })
          for (const sealed of set) {
            if (yield* secretStore.replaceErasureKey({ ...sealed, by: yield* by(sealed) })) done += 1
          }
          if (set.length < setSize) return done
          after = Option.map(Array.last(set), ({ accountId }) => accountId)
        }
      })

      return ErasureAliases.of({
        aliasFor: Effect.fn("ErasureAliases.aliasFor")(function*(accountId, number) {
          const account = yield* accountStore.get(accountId)
          const key = Option.flatMap(account, ({ erasureKey }) => Option.fromUndefinedOr(erasureKey))
          const sealed = Option.isSome(key)
            ? key.value
            : yield* secretStore.keepErasureKey({ accountId, key: yield* orUnavailable(make(accountId)) })
          return yield* aliasUnder(accountId, sealed, number)
        }),
        aliasIfAny: Effect.fn("ErasureAliases.aliasIfAny")(function*(accountId, number) {
          const account = yield* accountStore.get(accountId)
          const key = Option.flatMap(account, ({ erasureKey }) => Option.fromUndefinedOr(erasureKey))
          return Option.isSome(key)
            ? Option.some(yield* aliasUnder(accountId, key.value, number))
            : Option.none()
        }),
        aliasesOf: (accountId) =>
          Effect.fnUntraced(function*(sealed, numbers) {
            const key = yield* orUnavailable(open(accountId, sealed))
            return new Map(
              yield* Effect.forEach(
                numbers,
                (number) => Effect.map(alias(accountId, key, number), (alias) => [number, alias] as const)
              )
            )
          }),
        check: Effect.gen(function*() {
          const keyIds = box.keyIds
          const [lost] = yield* secretStore.listErasureKeysNotUnder({ keyIds, after: Option.none(), limit: 1 })
          if (lost !== undefined) return yield* new SecretBoxError({ reason: "unknown_key", keyId: lost.key.keyId })
        }).pipe(Effect.withSpan("ErasureAliases.check")),
        reencrypt: forOthers([box.keyIds[0]], ({ accountId, key }) =>
          Effect.map(
            Effect.flatMap(box.open(accountId, key), (secret) => box.seal(accountId, secret)),
            (sealed): SealedSecret => ({ ...sealed, hint: key.hint })
          )).pipe(Effect.withSpan("ErasureAliases.reencrypt")),
        replaceLost: forOthers(box.keyIds, ({ accountId }) => make(accountId)).pipe(
          Effect.withSpan("ErasureAliases.replaceLost")
        )
      })
    })
  )
}

/** Without the key the rules cannot recognise erased callees, so no call is started. */
const orUnavailable = <A>(effect: Effect.Effect<A, SecretBoxError | StorageError>): Effect.Effect<A, StorageError> =>
  Effect.catchTag(
    effect,
    "SecretBoxError",
    (cause) => Effect.fail(new StorageError({ reason: "unavailable", cause }))
  )
