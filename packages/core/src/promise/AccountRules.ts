/** What may be called and when, for one account and hosts that do not use Effect: previews, do-not-call list, settings. */
import * as Page from "../domain/Page.ts"
import type { PageQuery } from "../domain/Queries.ts"
import { Effect } from "effect"
import { InvalidRequest } from "../domain/Errors.ts"
import type { AccountId } from "../domain/Ids.ts"
import type { DayUsage, UsageRange } from "../domain/Usage.ts"
import { Accounts } from "../account/Accounts.ts"
import { Callees, type Erased } from "../privacy/CalleeErasure.ts"
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
  type HostPreview,
  type HostSettings,
  written
} from "./Requests.ts"
import { Rules } from "../policy/Explanations.ts"
import { UsageReport } from "../account/UsageReport.ts"

/** What can be asked and set. Promises reject with `OutdialError`. */
export interface AccountRules {
  readonly rules: {
    /** What every rule would make of a call to the number now. Queues nothing; takes a request for a call as it is. */
    readonly preview: (request: HostPreview) => Promise<HostExplanation>
  }
  readonly doNotCall: {
    /** Adds all, or none when one is no number; cancels the calls that wait for them. Safe to repeat. */
    readonly add: (numbers: ReadonlyArray<string>) => Promise<{ readonly added: number; readonly canceled: number }>
    /** The number may be called again. Safe to repeat. */
    readonly remove: (number: string) => Promise<void>
    readonly get: (number: string) => Promise<HostDoNotCallEntry>
    /** A page, newest first. */
    readonly list: (request?: typeof PageQuery.Encoded) => Promise<HostPage<HostDoNotCallEntry>>
    /**
     * Adds the numbers of a file, one a line or in the first column of a CSV, and says which lines hold none. Empty lines, `#`
     * comments and a header are skipped. Rejects when there are lines and none of them holds a number.
     */
    readonly importLines: (lines: ReadonlyArray<string>) => Promise<Imported>
  }
  readonly callees: {
    /**
     * Erases what is kept of the number and cancels what waits for it; limits and do-not-call list still hold for it. Safe to
     * repeat.
     */
    readonly erase: (number: string) => Promise<Erased>
  }
  readonly usage: {
    /** Each day from the first to the last, both inclusive, by dates such as `2026-12-25` of the account's own zone. */
    readonly perDay: (range: typeof UsageRange.Encoded) => Promise<ReadonlyArray<DayUsage>>
  }
  readonly settings: {
    readonly get: () => Promise<HostAccount>
    /**
     * What is not given stays; a policy takes the place of the whole. From its return on every dial is by them. What a policy
     * says of an agent that is not there is kept, and holds once there is an agent of that id: compare them with `agents.list`.
     */
    readonly set: (settings: HostSettings) => Promise<HostAccount>
  }
}

const noNumbers = ({ line, text }: Imported["rejected"][number]) =>
  new InvalidRequest({
    problems: [{ path: ["lines"], message: `hold no telephone number; line ${line} has ${JSON.stringify(text)}` }]
  })

/** What can be asked and set for the account, by running effects of the engine. */
export const make = (
  run: <A, E>(effect: Effect.Effect<A, E, Engine.Services>) => Promise<A>,
  accountId: AccountId
): AccountRules => ({
  rules: {
    preview: (request) =>
      run(Effect.gen(function*() {
        const rules = yield* Rules
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
        // Off the list is what was asked for, whoever did it.
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
        const imported = yield* doNotCall.importLines(accountId, yield* decodeLines(lines))
        const [first] = imported.rejected
        return first === undefined || imported.read > 0 ? imported : yield* noNumbers(first)
      }))
  },
  callees: {
    erase: (number) =>
      run(Effect.gen(function*() {
        const callees = yield* Callees
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
