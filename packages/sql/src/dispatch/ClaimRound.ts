/** One claim's way through its candidates: decides them in their order, each with what those before it have left. */
import { CallLife, DialFacts } from "@outdial/core"
import type { Account, Call, DialDecision, Event, PhoneNumber, Storage } from "@outdial/core"

type Waits = Extract<DialDecision.DialDecision, { readonly _tag: "wait" }>

export interface ClaimRound {
  readonly account: Account.Account
  /** What has changed so far, in order. */
  readonly changes: ReadonlyArray<Event.CallChange>
  readonly decide: (
    calls: ReadonlyArray<Call.CallRecord>,
    numbers: ReadonlyMap<PhoneNumber.PhoneNumber, DialFacts.NumberFacts>
  ) => void
  /** Enough is claimed, or what stands behind the last candidate would wait for the same. */
  readonly isOver: () => boolean
  /** How many calls were claimed. */
  readonly placed: () => number
  readonly waitsFor: () => Waits | undefined
}

export const make = (options: Storage.ClaimOptions, start: DialFacts.AccountFacts): ClaimRound => {
  const { limit, now, rules, token } = options
  const { account } = start
  const terms = { now, token, epoch: account.epoch, carrier: options.carrier }
  const changes: Array<Event.CallChange> = []
  let facts = start
  let placed = 0
  let waits: Waits | undefined

  const isOver = () => waits !== undefined || placed >= limit

  const decideOne = (before: Call.CallRecord, number: DialFacts.NumberFacts) => {
    const decision = rules.decide(before, { ...facts, number })
    if (decision._tag === "wait") waits = decision
    const after = CallLife.decided(before, decision, terms)
    if (after === undefined) return
    changes.push({ before, after })
    if (after.status !== "dialing") return
    placed += 1
    facts = DialFacts.afterDial(facts)
  }

  return {
    account,
    changes,
    isOver,
    decide: (calls, numbers) => {
      for (const call of calls) {
        if (!isOver()) decideOne(call, numbers.get(call.phoneNumber) ?? DialFacts.unknownNumber)
      }
    },
    placed: () => placed,
    waitsFor: () => waits
  }
}
