/**
 * Starts calls of one account in the current transaction, each with its own key and its own plan, which sees the calls before
 * it. Uses a constant number of statements, whatever the size of the set.
 */
import { DialFacts, type Event, type Ids, type PhoneNumber, StartDecision, type Storage } from "@outdial/core"
import { Array, DateTime, Effect, Option } from "effect"
import * as Agents from "../account/AgentStore.ts"
import type { CallWriter } from "./CallWriter.ts"
import type { Database } from "../database/Database.ts"
import * as ReadDialFacts from "../policy/ReadDialFacts.ts"
import * as IdempotencyKeys from "./IdempotencyKeys.ts"
import * as CallRequests from "./CallRequests.ts"

/** Each start is answered by its own plan, so the type of its refusal is unknown here. */
export type Start = Storage.StartOptions<unknown>
export type StartResult = Storage.StartResult<unknown>

/** Starts of one account by the same rules. */
export type Starts = Array.NonEmptyReadonlyArray<Start>

/** Another request has taken a number that a plan counted on. */
export interface NumberTaken {
  readonly _tag: "NumberTaken"
}

/** A start and, later, its result. */
interface Entry {
  readonly start: Start
  result?: StartResult
}

/** A start whose plan has created a call. */
interface Planned {
  readonly entry: Entry
  readonly started: Extract<StartDecision.Planned<unknown>, { readonly _tag: "Started" }>
}

type KeyStates = ReadonlyMap<string, IdempotencyKeys.KeyState<Ids.CallId>>

export const make = (database: Database, writes: CallWriter) => {
  const facts = ReadDialFacts.make(database)
  const keys = IdempotencyKeys.make<Ids.CallId>(database, "calls")

  /** Answers starts whose key is used with the call that the key created. */
  const replay = Effect.fnUntraced(
    function*(accountId: Ids.AccountId, entries: ReadonlyArray<Entry>, states: KeyStates) {
      const ids = [...states.values()].flatMap((key) => key._tag === "Used" ? [key.resourceId] : [])
      if (ids.length === 0) return
      const calls = yield* CallRequests.callsOf(database.sql, accountId, ids)
      for (const entry of entries) {
        const key = stateOf(states, entry)
        const idempotency = Option.getOrUndefined(entry.start.idempotency)
        if (key._tag !== "Used" || idempotency === undefined) continue
        entry.result = StartDecision.ofCallKey(key, idempotency.fingerprint, calls.get(key.resourceId))
      }
    }
  )

  /** Reads what the plans need. */
  const readFacts = Effect.fnUntraced(function*(starts: Starts, lockTimeout?: string) {
    const [first] = starts
    const options = {
      ...first,
      // The earliest: older history than a plan needs does not change it.
      now: starts.map(({ now }) => now).reduce(DateTime.min),
      phoneNumbers: [...new Set(starts.map(({ phoneNumber }) => phoneNumber))],
      forNewCalls: { lockTimeout }
    }
    const { aliases, snapshot } = yield* facts.snapshot(options)
    const agentIds = [...new Set(starts.map(({ agentId }) => agentId))]
    return { aliases, snapshot, agents: yield* Agents.latestOf(database, first.accountId, agentIds) }
  })

  /** Runs the plans in order, and answers those that refuse. */
  const plan = (
    entries: ReadonlyArray<Entry>,
    { agents, snapshot: { numbers, ...account } }: Effect.Success<ReturnType<typeof readFacts>>
  ): ReadonlyArray<Planned> => {
    const waiting = new Map<PhoneNumber.PhoneNumber, Ids.CallId>()
    return entries.flatMap((entry) => {
      const { agentId, now, phoneNumber, plan } = entry.start
      const stored = numbers.get(phoneNumber) ?? DialFacts.unknownNumber
      const earlier = waiting.get(phoneNumber)
      const number = earlier === undefined ? stored : { ...stored, waitingCallId: earlier }
      const agent = Option.fromUndefinedOr(agents.get(agentId))
      const planned = StartDecision.ofPlan(plan, { ...account, now, number }, agent)
      if (planned._tag === "Refused") {
        entry.result = planned
        return []
      }
      const { call } = planned
      if (call.status === "queued" && !call.test) waiting.set(phoneNumber, call.id)
      return [{ entry, started: planned }]
    })
  }

  /** Writes planned calls with their keys and events. */
  const write = Effect.fnUntraced(function*(accountId: Ids.AccountId, planned: ReadonlyArray<Planned>) {
    const calls = planned.map(({ started }) => started.call)
    const added = yield* writes.add(accountId, calls)
    if (added < calls.length) return yield* Effect.fail<NumberTaken>({ _tag: "NumberTaken" })
    yield* keys.save(
      accountId,
      planned.flatMap(({ started: { call }, entry: { start: { idempotency, now } } }) =>
        Option.isSome(idempotency) ? [{ idempotency: idempotency.value, resourceId: call.id, at: now }] : []
      )
    )
    const writers = new Map(planned.map(({ started, entry }) => [started.call.id, entry.start.events]))
    // The events of a call are written by the request that started it.
    const events: Event.EventWriter = (change, kind) => (writers.get(change.after.id) ?? noWriter())(change, kind)
    yield* writes.record({ accountId, changes: calls.map((after) => ({ before: undefined, after })), events })
  })

  /**
   * The results in order; `undefined` if the key is in flight, in another transaction or earlier in this one. With `lockTimeout`
   * the transaction waits no longer than that for any lock.
   */
  return Effect.fnUntraced(function*(starts: Starts, lockTimeout?: string) {
    const [{ accountId }] = starts
    const entries = Array.map(starts, (start): Entry => ({ start }))
    const firsts = firstOfEachKey(entries)
    // Before the keys: if this read sees the call of another request with the key, the read of the keys sees the key.
    const known = yield* readFacts(Array.map(firsts, ({ start }) => start), lockTimeout)
    const states: KeyStates = yield* keys.read(accountId, firsts.flatMap(keyOf))
    yield* replay(accountId, firsts, states)
    const free = firsts.filter((entry) => stateOf(states, entry)._tag === "Free")
    const planned = plan(free, known)
    if (planned.length > 0) {
      const numbers = new Set<string>(planned.map(({ started }) => started.call.phoneNumber))
      const aliases = new Map([...known.aliases].filter(([number]) => numbers.has(number)))
      yield* facts.saveNumbers(known.snapshot.account, aliases)
      yield* write(accountId, planned)
      for (const { started, entry } of planned) entry.result = started
    }
    return entries.map(({ result }) => result)
  })
}

const keyOf = ({ start: { idempotency } }: Entry): ReadonlyArray<string> =>
  Option.isSome(idempotency) ? [idempotency.value.key] : []

/** A start without a key is always free. */
const stateOf = (states: KeyStates, entry: Entry): IdempotencyKeys.KeyState<Ids.CallId> =>
  keyOf(entry).map((key) => states.get(key))[0] ?? { _tag: "Free" }

const firstOfEachKey = (entries: Array.NonEmptyReadonlyArray<Entry>): Array.NonEmptyReadonlyArray<Entry> => {
  const [first, ...others] = entries
  const seen = new Set(keyOf(first))
  return [
    first,
    ...others.filter((entry) => {
      const [key] = keyOf(entry)
      const isFirst = key === undefined || !seen.has(key)
      if (key !== undefined) seen.add(key)
      return isFirst
    })
  ]
}

const noWriter = (): never => {
  throw new Error("Every change must belong to a written call")
}
