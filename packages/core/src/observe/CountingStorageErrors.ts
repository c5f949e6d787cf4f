/** Counts the failures of a store, whichever storage it belongs to, by the method that the engine called. */
import { Effect } from "effect"
import { StorageError } from "../storage/StorageError.ts"
import * as Metrics from "./Metrics.ts"

/** A store with the same methods, which are effects and functions that return effects. */
export const countingStorageErrors = <Store extends object>(name: string, store: Store): Store =>
  // Each member has the type of the one that it wraps.
  Object.fromEntries(
    keysOf(store).map((key) => [key, counting(`${name}.${key}`, store, Reflect.get(store, key))])
  ) as Store

const counting = (method: string, store: object, member: unknown): unknown => {
  if (Effect.isEffect(member)) return countErrors(method, member)
  return typeof member === "function"
    ? (...args: ReadonlyArray<unknown>) => counting(method, store, Reflect.apply(member, store, args))
    : member
}

const countErrors = <A, E, R>(method: string, effect: Effect.Effect<A, E, R>) =>
  Effect.tapError(effect, (error) => error instanceof StorageError ? Metrics.storageFailed(method, error) : Effect.void)

/** The methods of a class are on its prototypes. */
const keysOf = (store: object): ReadonlyArray<string> => {
  const own = Object.getOwnPropertyNames(store).filter((key) => key !== "constructor")
  const prototype: unknown = Object.getPrototypeOf(store)
  return typeof prototype === "object" && prototype !== null && prototype !== Object.prototype
    ? [...own, ...keysOf(prototype)]
    : own
}
