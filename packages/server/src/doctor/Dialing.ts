/** What the accounts of the database ask of a carrier. */
import { type PhoneNumber, Storage } from "@outdial/core"
import { Effect } from "effect"

export interface Dialing {
  /** The numbers that agents call from, each once. */
  readonly callerIds: ReadonlyArray<PhoneNumber.PhoneNumber>
  /** How many calls all accounts may have at once. */
  readonly lines: number
}

export const none: Dialing = { callerIds: [], lines: 0 }

export const read = Effect.gen(function*() {
  const accounts = yield* (yield* Storage.AccountStore).list
  const { list } = yield* Storage.AgentStore
  const agents = yield* Effect.forEach(accounts, ({ id }) => list(id))
  return {
    callerIds: [...new Set(agents.flat().flatMap(({ callerId }) => callerId === undefined ? [] : [callerId]))],
    lines: accounts.reduce((sum, { lines }) => sum + lines, 0)
  } satisfies Dialing
})
