/** The accounts of a deployment. Managed by the host and the command line, not over HTTP. */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Account, defaultLines } from "../domain/Account.ts"
import { InvalidRequest, NotFound, type Problem, type Unavailable } from "../domain/Errors.ts"
import { type AccountId, makeAccountId } from "../domain/Ids.ts"
import type { PolicyDocument } from "../domain/Policy.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import * as PolicyDecoding from "../policy/PolicyDecoding.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { AccountStore } from "./AccountStore.ts"

/** The settings that an owner may choose. An absent field is unchanged, or takes its default. */
export interface AccountSettings {
  readonly name?: string
  /** Calls at once. */
  readonly lines?: number
  /** While true no call is dialed. */
  readonly paused?: boolean
  /** The whole policy: what the document leaves out takes its default. */
  readonly policy?: PolicyDocument
}

export class Accounts extends Context.Service<Accounts, {
  /** Creates an account, with the given id or a random one. An existing account with that id is returned unchanged. */
  readonly create: (
    settings: AccountSettings & { readonly name: string; readonly id?: AccountId }
  ) => Effect.Effect<Account, InvalidRequest | Unavailable>
  /** Changes the settings. After it returns, every dial follows the new settings, and waiting calls are replanned. */
  readonly set: (
    id: AccountId,
    settings: AccountSettings
  ) => Effect.Effect<Account, InvalidRequest | NotFound | Unavailable>
  readonly get: (id: AccountId) => Effect.Effect<Account, NotFound | Unavailable>
  /** Oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Account>, Unavailable>
  /** Stops or allows the calling of all accounts. From its return on no phone rings while paused; calls that go on, go on. */
  readonly pauseAll: (paused: boolean) => Effect.Effect<void, Unavailable>
  readonly allPaused: Effect.Effect<boolean, Unavailable>
}>()("@outdial/core/account/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const { isKnown } = yield* TimeZones

      /** The settings after strict validation of the policy. */
      const checked = Effect.fnUntraced(function*<A extends AccountSettings>(settings: A) {
        const { policy } = settings
        if (policy === undefined) return settings
        const read = PolicyDecoding.decode(policy, isKnown)
        return { ...settings, policy: yield* Effect.mapError(read, inPolicy) }
      })

      const get = Effect.fn("Accounts.get")(function*(id: AccountId) {
        const found = yield* orUnavailable(accountStore.get(id))
        return Option.isSome(found) ? found.value : yield* noAccount(id)
      })
      return Accounts.of({
        get,
        create: Effect.fn("Accounts.create")(function*(settings) {
          const id = yield* makeAccountId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          const createdAt = yield* DateTime.now
          return yield* orUnavailable(
            accountStore.put({
              lines: defaultLines,
              paused: false,
              policy: {},
              id,
              ...(yield* checked(settings)),
              createdAt
            }, { ifExists: settings.id === undefined ? "replace" : "keep" })
          )
        }),
        set: Effect.fn("Accounts.set")(function*(id, settings) {
          const account = yield* orUnavailable(accountStore.update(id, yield* checked(settings)))
          if (Option.isNone(account)) return yield* noAccount(id)
          // More lines, or an end of the pause, may set calls free.
          yield* wakeups.notify("dial", id)
          return account.value
        }),
        list: orUnavailable(accountStore.list),
        pauseAll: Effect.fn("Accounts.pauseAll")(function*(paused) {
          yield* orUnavailable(accountStore.updateDeployment({ paused: paused }))
          if (paused) return
          for (const { id } of yield* orUnavailable(accountStore.list)) yield* wakeups.notify("dial", id)
        }),
        allPaused: orUnavailable(Effect.map(accountStore.getDeployment, ({ paused }) => paused))
      })
    })
  )
}

/** The problems, with their paths inside the settings. */
const inPolicy = ({ problems: [first, ...others] }: InvalidRequest): InvalidRequest => {
  const inside = ({ message, path }: Problem): Problem => ({ path: ["policy", ...path], message })
  return new InvalidRequest({ problems: [inside(first), ...others.map(inside)] })
}

const noAccount = (id: AccountId) => new NotFound({ what: `account ${id}` })
