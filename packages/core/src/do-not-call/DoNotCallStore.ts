/** What the rules' own data take and give: the do-not-call list, and the facts that rules are asked with. */
import type { DateTime } from "effect"
import type { DoNotCallEntry } from "../domain/DoNotCall.ts"
import type { EventWriter } from "../domain/Event.ts"
import type { AccountId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { DialRules } from "../rules/policy/DialDecision.ts"
import type { AliasesOf } from "../privacy/ErasureStore.ts"
import type { AccountFacts, NumberFacts } from "../rules/policy/DialFacts.ts"

export interface AddDoNotCallOptions {
  readonly accountId: AccountId
  /** At most `Limits.doNotCallSet` of them. */
  readonly entries: ReadonlyArray<DoNotCallEntry>
  readonly now: DateTime.Utc
  readonly events: EventWriter
}

export interface DoNotCallAdded {
  /** How many numbers were not on the list before. */
  readonly added: number
  /** How many waiting calls were canceled. */
  readonly canceled: number
}

export interface DialFactsOptions {
  readonly accountId: AccountId
  readonly phoneNumbers: ReadonlyArray<PhoneNumber>
  readonly now: DateTime.Utc
  readonly rules: Pick<DialRules, "dayStart">
  /** For numbers that no call of the account is to; what calls were accepted for is known without. */
  readonly aliasesOf?: AliasesOf
}

/** What the rules are asked with, as it is at one moment. */
export interface Standing extends AccountFacts {
  /** Of all the numbers that were asked about. */
  readonly numbers: ReadonlyMap<PhoneNumber, NumberFacts>
}
