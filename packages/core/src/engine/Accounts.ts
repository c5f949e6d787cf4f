/** The accounts of a deployment. Managed by the host and the command line, not over HTTP. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Account, defaultLines } from "../domain/Account.ts"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import { type AccountId, makeAccountId } from "../domain/Ids.ts"
import { Storage } from "../ports/Storage.ts"
import { Wakeups } from "../ports/Wakeups.ts"
import { orUnavailable } from "./Unavailable.ts"

/** What an owner may choose; what is left out stays, or takes its default. */
export interface AccountSettings {
  readonly name?: string
  /** Calls at once. */
  readonly lines?: number
  /** While true no call is dialed. */
  readonly paused?: boolean
}

export class Accounts extends Context.Service<Accounts, {
  readonly create: (settings: AccountSettings & { readonly name: string }) => Effect.Effect<Account, Unavailable>
  readonly set: (id: AccountId, settings: AccountSettings) => Effect.Effect<Account, NotFound | Unavailable>
  readonly get: (id: AccountId) => Effect.Effect<Account, NotFound | Unavailable>
  /** Oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Account>, Unavailable>
}>()("@outdial/core/engine/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function*() {
      const storage = yield* Storage
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const get = Effect.fn("Accounts.get")(function*(id: AccountId) {
        const found = yield* orUnavailable(storage.getAccount(id))
        return Option.isSome(found) ? found.value : yield* noAccount(id)
      })
      return Accounts.of({
        get,
        create: Effect.fn("Accounts.create")(function*(settings) {
          const id = yield* makeAccountId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          const createdAt = yield* DateTime.now
          return yield* orUnavailable(
            storage.putAccount({ lines: defaultLines, paused: false, ...settings, id, createdAt })
          )
        }),
        set: Effect.fn("Accounts.set")(function*(id, settings) {
          const account = yield* orUnavailable(storage.updateAccount(id, settings))
          if (Option.isNone(account)) return yield* noAccount(id)
          // More lines, or an end of the pause, may set calls free.
          yield* wakeups.notify("dial", id)
          return account.value
        }),
        list: orUnavailable(storage.listAccounts)
      })
    })
  )
}

const noAccount = (id: AccountId) => new NotFound({ what: `account ${id}` })
