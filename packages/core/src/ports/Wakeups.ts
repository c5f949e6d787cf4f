/**
 * Port: tells sleeping loops that work is due. Losing a wake-up only costs time, since every loop also polls; nothing may
 * depend on one arriving.
 */
import { Context, Effect, Latch, Layer } from "effect"
import type { AccountId } from "../domain/Ids.ts"

/** The loops that can be woken. */
export const topics = ["dial", "outcome", "delivery"] as const
export type Topic = typeof topics[number]

/** Wakes the loops of one process. */
export interface Local {
  readonly wake: (topic: Topic) => Effect.Effect<void>
  readonly wait: (topic: Topic) => Effect.Effect<void>
}

/** The part of wake-ups that a process keeps to itself, for layers that bring them from elsewhere, too. */
export const makeLocal = (): Local => {
  const latches = { dial: Latch.makeUnsafe(), outcome: Latch.makeUnsafe(), delivery: Latch.makeUnsafe() }
  return {
    wake: (topic) => Effect.asVoid(latches[topic].open),
    wait: (topic) => Effect.andThen(latches[topic].await, latches[topic].close)
  }
}

export class Wakeups extends Context.Service<Wakeups, {
  /** Work of this account may be due now. */
  readonly notify: (topic: Topic, accountId: AccountId) => Effect.Effect<void>
  /** Returns when the topic is notified; at once if it was since the last wait. */
  readonly wait: (topic: Topic) => Effect.Effect<void>
}>()("@outdial/core/ports/Wakeups") {
  /** Within one process. */
  static readonly layerMemory = Layer.sync(Wakeups, () => {
    const { wait, wake } = makeLocal()
    return Wakeups.of({ notify: wake, wait })
  })
}
