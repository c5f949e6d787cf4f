/**
 * A storage that counts what it is told: every failure, and every call's end once it is written. An end that is written in a
 * host's transaction is counted when it is written, whatever becomes of the transaction.
 */
import { Effect, Layer } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import { type EventRecord, type EventWriter, isTerminal } from "../domain/Event.ts"
import { Storage, StorageError } from "./Storage.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"

/** Over the storage of the context. One that is metered already is left as it is. */
export const layer: Layer.Layer<Storage, never, Storage> = Layer.effect(Storage, Effect.map(Storage, metered))

const metered$ = Symbol("@outdial/core/engine/MeteredStorage")

function metered(storage: Storage["Service"]): Storage["Service"] {
  if (metered$ in storage) return storage
  return new Proxy(storage, {
    has: (target, key) => key === metered$ || Reflect.has(target, key),
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      if (typeof key === "symbol") return member
      // A storage has nothing but effects that need nothing, and functions that make such.
      if (Effect.isEffect(member)) return counted(key, member as Work)
      return typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => called(key, (args) => Reflect.apply(member, target, args), args)
        : member
    }
  })
}

/** What a member of the storage makes. */
type Work = Effect.Effect<unknown, unknown>

const counted = (method: string, work: Work): Work =>
  Effect.tapError(
    work,
    (error) => error instanceof StorageError ? Metrics.storageFailed(method, error) : Effect.void
  )

const called = (method: string, run: (args: Array<unknown>) => Work, args: ReadonlyArray<unknown>): Work => {
  const [options, ...rest] = args
  if (!writesEvents(options)) return counted(method, run([...args]))
  // By id: a unit of work that storage does again writes its events again.
  const written = new Map<string, { readonly event: EventRecord; readonly call: CallRecord }>()
  const events: EventWriter = (change, kind) => {
    const event = options.events(change, kind)
    written.set(event.id, { event, call: change.after })
    return event
  }
  return Effect.tap(
    counted(method, run([{ ...options, events }, ...rest])),
    () => Effect.forEach(written.values(), told, { discard: true })
  )
}

const writesEvents = (options: unknown): options is { readonly events: EventWriter } =>
  typeof options === "object" && options !== null && "events" in options && typeof options.events === "function"

const told = Effect.fnUntraced(function*(
  { call, event }: { readonly event: EventRecord; readonly call: CallRecord }
) {
  yield* CallTrace.mark(event.id, "Call.event", { "event.id": event.id, "event.type": event.type, status: call.status })
  if (isTerminal(event.type)) yield* Metrics.ended(call)
})
