/**
 * One trace per call, across processes and transactions. Its id is the call's id in hex, so that nothing is stored and
 * anyone can find it. Each step is a span of its own, because no span can stay open from the request to the last
 * delivery.
 */
import { Effect, Exit, Tracer } from "effect"
import type { CallId, EventId } from "../domain/Ids.ts"
import { whereTraced } from "./LazySpan.ts"

export { whereTraced } from "./LazySpan.ts"

/** Crockford's base 32, in which ULIDs are written. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const length = 26

/** The trace that the call belongs to: the 128 bits of its ULID as 32 hexadecimal digits. An event's id has its call's. */
export const traceId = (id: CallId | EventId): string => {
  let value = 0n
  for (const character of id.slice(id.indexOf("_") + 1).slice(0, length).toUpperCase()) {
    value = value * 32n + BigInt(Math.max(0, digits.indexOf(character)))
  }
  return BigInt.asUintN(128, value).toString(16).padStart(32, "0")
}

type Attributes = Readonly<Record<string, string>>

/** The parent of the steps' spans: the trace without a span. */
const root = (id: CallId | EventId) => Tracer.externalSpan({ traceId: traceId(id), spanId: "" })

/** Wraps the effect in a span of the call's trace. */
export const step =
  (id: CallId | EventId, name: string, attributes: Attributes = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    whereTraced(() => Effect.withSpan(effect, name, { parent: root(id), attributes }), () => effect)

/** Notes in the trace of the call that something has happened; linked with the span that it happened in, such as a request's. */
export const mark = (id: CallId | EventId, name: string, attributes: Attributes = {}): Effect.Effect<void> =>
  whereTraced(() => noted(id, name, attributes), () => Effect.void)

/** Notes the same for several calls. */
export const markAll = (ids: ReadonlyArray<CallId>, name: string, attributes: Attributes = {}): Effect.Effect<void> =>
  whereTraced(() => Effect.forEach(ids, (id) => noted(id, name, attributes), { discard: true }), () => Effect.void)

const noted = Effect.fnUntraced(function*(id: CallId | EventId, name: string, attributes: Attributes) {
  const around = yield* Effect.option(Effect.currentSpan)
  const span = yield* Effect.makeSpan(name, { parent: root(id), attributes })
  if (around._tag === "Some" && around.value.traceId !== span.traceId) {
    span.addLinks([{ span: around.value, attributes: {} }])
    around.value.addLinks([{ span, attributes: {} }])
  }
  const endedAt = span.status.startTime
  span.end(endedAt, Exit.void)
})
