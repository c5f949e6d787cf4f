/** The calling rules of one account for hosts that do not use Effect: previews, do-not-call list, settings. */
import * as Page from "../domain/Page.ts"
import { Effect } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import type { DayUsage } from "../domain/Usage.ts"
import { Accounts } from "../account/Accounts.ts"
import { CalleeErasure, type Erased } from "../privacy/CalleeErasure.ts"
import { DoNotCallList, type Imported } from "../do-not-call/DoNotCallList.ts"
import type * as Engine from "../engine/Engine.ts"
import {
  type HostAccount,
  hostAccount,
  type HostDoNotCallEntry,
  hostDoNotCallEntry,
  type HostExplanation,
  hostExplanation
} from "./Types.ts"
import { type HostPage, hostPage } from "./Pages.ts"
import {
  decodeLines,
  decodeNumber,
  decodeNumbers,
  decodePage,
  decodePreview,
  decodeSettings,
  decodeUsageRange,
  type HostPageQuery,
  type HostPreview,
  type HostSettings,
  type HostUsageRange,
  written
} from "./Requests.ts"
import { Explanations } from "../call/Explanations.ts"
import { UsageReport } from "../account/UsageReport.ts"

/** The calling rules and the settings of one account. */
export interface AccountRules {
  readonly rules: {
    /** Explains what every calling rule would decide about a call to the number now. Queues nothing. Accepts a call request. */
    readonly preview: (request: HostPreview) => Promise<HostExplanation>
  }
  readonly doNotCall: {
    /** Adds all the numbers, or none when one is invalid, and cancels the calls that wait for them. Safe to repeat. */
    readonly add: (numbers: ReadonlyArray<string>) => Promise<{ readonly added: number; readonly canceled: number }>
    /** Removes the number from the list. Safe to repeat. */
    readonly remove: (number: string) => Promise<void>
    readonly get: (number: string) => Promise<HostDoNotCallEntry>
    /** Lists entries page by page, newest first. */
    readonly list: (request?: HostPageQuery) => Promise<HostPage<HostDoNotCallEntry>>
    /**
     * Adds the numbers of a file, one per line or in the first column of a CSV, and returns the lines without a number. Skips empty lines,
     * `#` comments and a header. Rejects when there are lines and none has a number.
     */
    readonly importLines: (lines: ReadonlyArray<string>) => Promise<Imported>
  }
  readonly callees: {
    /**
     * Erases the stored data of a number and cancels its waiting calls. Number limits and the do-not-call list still apply to it. Safe
     * to repeat.
     */
    readonly erase: (number: string) => Promise<Erased>
  }
  readonly usage: {
    /** Usage of each day from `from` to `to`, both inclusive. Days begin in the time zone of the account's policy. */
    readonly perDay: (range: HostUsageRange) => Promise<ReadonlyArray<DayUsage>>
  }
  readonly settings: {
    /** Gets the account with its settings. */
    readonly get: () => Promise<HostAccount>
    /**
     * Changes the given settings; a `policy` replaces the whole policy. Once it has resolved, every dial follows them. Rules for an unknown
     * agent id are stored and apply once there is such an agent: compare the ids with `agents.list`.
     */
    readonly set: (settings: HostSettings) => Promise<HostAccount>
  }
}

/** The methods for the account, as effects of the engine. */
export const make = (
  run: <A, E>(effect: Effect.Effect<A, E, Engine.Services>) => Promise<A>,
  accountId: AccountId
): AccountRules => ({
  rules: {
    preview: (request) =>
      run(Effect.gen(function*() {
        const rules = yield* Explanations
        return hostExplanation(yield* rules.preview(accountId, yield* decodePreview(request)))
      }))
  },
  doNotCall: {
    add: (numbers) =>
      run(Effect.gen(function*() {
        const doNotCall = yield* DoNotCallList
        return yield* doNotCall.add(accountId, yield* decodeNumbers(numbers))
      })),
    remove: (number) =>
      run(Effect.gen(function*() {
        const doNotCall = yield* DoNotCallList
        // Whether or not this request removed it, the number is off the list.
        yield* Effect.catchTag(doNotCall.remove(accountId, yield* decodeNumber(number)), "NotFound", () => Effect.void)
      })),
    get: (number) =>
      run(Effect.gen(function*() {
        const doNotCall = yield* DoNotCallList
        return hostDoNotCallEntry(yield* doNotCall.get(accountId, yield* decodeNumber(number)))
      })),
    list: (request = {}) =>
      run(Effect.gen(function*() {
        const doNotCall = yield* DoNotCallList
        const { hasMore, items } = yield* doNotCall.list(accountId, Page.pageRequest(yield* decodePage(request)))
        const placed = items.map((entry) => ({ id: entry.phoneNumber, createdAt: entry.createdAt, entry }))
        return hostPage({ hasMore, items: placed }, ({ entry }) => hostDoNotCallEntry(entry))
      })),
    importLines: (lines) =>
      run(Effect.gen(function*() {
        const doNotCall = yield* DoNotCallList
        return yield* doNotCall.importLines(accountId, yield* decodeLines(lines))
      }))
  },
  callees: {
    erase: (number) =>
      run(Effect.gen(function*() {
        const callees = yield* CalleeErasure
        return yield* callees.erase(accountId, yield* decodeNumber(number))
      }))
  },
  usage: {
    perDay: (range) =>
      run(Effect.gen(function*() {
        const usage = yield* UsageReport
        return yield* usage.perDay(accountId, yield* decodeUsageRange(range))
      }))
  },
  settings: {
    get: () => run(Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.get(accountId), hostAccount))),
    set: (settings) =>
      run(Effect.gen(function*() {
        const accounts = yield* Accounts
        const { policy, ...others } = yield* decodeSettings(settings)
        return hostAccount(
          yield* accounts.set(accountId, { ...others, ...written(policy) })
        )
      }))
  }
})
