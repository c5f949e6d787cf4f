/**
 * Port: wakes sleeping loops when work is due. A lost wake-up only costs time, since every loop also polls. Nothing may
 * depend on a wake-up.
 */
import { Context, Effect, Latch, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"

/** The kinds of work. */
export const topics = ["dial", "outcome", "delivery", "conversation"] as const
export type Topic = typeof topics[number]

/** The loops that wait. A delivery wakes the loop of the webhooks and the loop of the subscribers. */
export type Loop = Topic | "subscription"

/** The accounts whose work may be due; `undefined` for all. */
export type Woken = ReadonlySet<AccountId> | undefined

/** Wakes the loops of one process. */
export interface Local {
  readonly wake: (topic: Topic, accountId?: AccountId) => Effect.Effect<void>
  readonly wait: (loop: Loop) => Effect.Effect<Woken>
  /** A loop is waiting now and will receive a notification. */
  readonly isAwaited: (topic: Topic) => boolean
}

/** The wake-ups within a process, for layers that also bring them from other processes. */
export const makeLocal = (): Local => {
  const loops = {
    dial: makeLoop(),
    outcome: makeLoop(),
    delivery: makeLoop(),
    conversation: makeLoop(),
    subscription: makeLoop()
  }
  return {
    wake: (topic, accountId) =>
      topic === "delivery"
        ? Effect.andThen(loops.delivery.wake(accountId), loops.subscription.wake(accountId))
        : loops[topic].wake(accountId),
    wait: (loop) => loops[loop].wait,
    isAwaited: (topic) => loops[topic].isAwaited()
  }
}

const makeLoop = () => {
  const latch = Latch.makeUnsafe()
  let accounts: Set<AccountId> | undefined = new Set()
  let waiting = 0
  const awaited = Effect.suspend(() => {
    waiting += 1
    return latch.await
  }).pipe(Effect.ensuring(Effect.sync(() => {
    waiting -= 1
  })))
  return {
    wake: (accountId?: AccountId) =>
      Effect.sync(() => {
        if (accountId === undefined) accounts = undefined
        else accounts?.add(accountId)
        latch.openUnsafe()
      }),
    isAwaited: () => waiting > 0,
    wait: Effect.map(awaited, (): Woken => {
      const woken = accounts
      accounts = new Set()
      latch.closeUnsafe()
      return woken
    })
  }
}

export class Wakeups extends Context.Service<Wakeups, {
  /** Work of this account may be due now. */
  readonly notify: (topic: Topic, accountId: AccountId) => Effect.Effect<void>
  /** Notifies this process only: the others need not know. */
  readonly wake: (topic: Topic, accountId: AccountId) => Effect.Effect<void>
  /** Returns when the loop's topic is notified, with the accounts; at once if it was notified since the last wait. */
  readonly wait: (loop: Loop) => Effect.Effect<Woken>
}>()("@outdial/core/loop/Wakeups") {
  /** Within one process. */
  static readonly layerMemory = Layer.sync(Wakeups, () => {
    const { wait, wake } = makeLocal()
    return Wakeups.of({ notify: wake, wake, wait })
  })
}
