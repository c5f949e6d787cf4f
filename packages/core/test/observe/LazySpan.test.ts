import { assert, it } from "@effect/vitest"
import { LazySpan } from "@outdial/core"
import { Effect, Option, Tracer } from "effect"
import { describe } from "vitest"

/** Answers with what it was given, and the span that it finds itself in. */
const asked = LazySpan.fn("Asked")((question: string) =>
  Effect.map(Effect.option(Effect.currentSpan), (span) => ({ question, span: Option.map(span, ({ name }) => name) }))
)

/** Like the runtime's own tracer, but another object. */
const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })

describe("LazySpan", () => {
  it.effect("wrap a function when there is a tracer, and return its result unchanged", () =>
    Effect.gen(function*() {
      const traced = asked("why")
      assert.deepStrictEqual(yield* Effect.withTracer(traced, tracer), { question: "why", span: Option.some("Asked") })
      assert.deepStrictEqual(yield* traced, { question: "why", span: Option.none() })
      const off = Effect.withTracer(Effect.withTracerEnabled(traced, false), tracer)
      assert.deepStrictEqual(yield* off, { question: "why", span: Option.none() })
    }))
})
