/**
 * A storage that counts failures, and every written end of a call. An end written in a host's transaction is counted
 * when it is written, even if the transaction is rolled back.
 */
import { Effect, Layer } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import { type EventRecord, type EventWriter, isTerminal } from "../domain/Event.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"
import { StorageError } from "../storage/StorageError.ts"
import { type AnyStore, layerStores, Storage, stores } from "./Storage.ts"

/** The stores of the storage in the context, metered. */
export const layer: Layer.Layer<AnyStore, never, Storage> = Layer.provide(
  layerStores,
  Layer.effect(
    Storage,
    Effect.map(Storage, (storage) => {
      const metered = Object.keys(stores).map((field) => [field, meter(field, Reflect.get(storage, field))])
      return { ...storage, ...Object.fromEntries(metered) }
    })
  )
)

const meter = (field: string, store: object) =>
  new Proxy(store, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key)
      const name = `${field}.${String(key)}`
      // A store has nothing but effects that need nothing, and functions that make such.
      if (Effect.isEffect(member)) return counted(name, member as Work)
      return typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => called(name, (args) => Reflect.apply(member, target, args), args)
        : member
    }
  })

/** The type of every method's result. */
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
    () => Effect.forEach(written.values(), recordEvent, { discard: true })
  )
}

const writesEvents = (options: unknown): options is { readonly events: EventWriter } =>
  typeof options === "object" && options !== null && "events" in options && typeof options.events === "function"

const recordEvent = Effect.fnUntraced(function*(
  { call, event }: { readonly event: EventRecord; readonly call: CallRecord }
) {
  yield* CallTrace.mark(event.id, "Call.event", { "event.id": event.id, "event.type": event.type, status: call.status })
  if (isTerminal(event.type)) yield* Metrics.ended(call)
})
