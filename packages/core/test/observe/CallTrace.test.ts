import { assert, it } from "@effect/vitest"
import { CallTrace, Ids } from "@outdial/core"
import { Effect, Option, Tracer } from "effect"
import { describe } from "vitest"

const callId = Ids.CallId.make("call_01KTESTTESTTESTTESTTESTT00")

describe("the trace of a call", () => {
  it("has the id of the call in hex, which events of it share", () => {
    assert.strictEqual(CallTrace.traceId(Ids.CallId.make("call_00000000000000000000000001")), `${"0".repeat(31)}1`)
    assert.strictEqual(CallTrace.traceId(Ids.CallId.make("call_7ZZZZZZZZZZZZZZZZZZZZZZZZZ")), "f".repeat(32))
    assert.strictEqual(CallTrace.traceId(Ids.terminalEventId(callId)), CallTrace.traceId(callId))
    assert.strictEqual(
      CallTrace.traceId(Ids.EventId.make(`${Ids.terminalEventId(callId)}Dmfx3k2a1`)),
      CallTrace.traceId(callId)
    )
  })

  it.effect("is made only with a tracer", () =>
    Effect.gen(function*() {
      const spans: Array<string> = []
      const tracer = Tracer.make({
        span: (options) => {
          spans.push(options.name)
          return new Tracer.NativeSpan(options)
        }
      })
      const steps = Effect.andThen(
        CallTrace.step(callId, "step")(Effect.option(Effect.currentSpan)),
        (span) => Effect.as(CallTrace.markAll([callId, callId], "mark"), span)
      )
      assert.strictEqual((yield* steps)._tag, "None")
      const traced = steps.pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.strictEqual((yield* traced).pipe(Option.getOrThrow).traceId, CallTrace.traceId(callId))
      assert.strictEqual((yield* Effect.withTracerEnabled(traced, false))._tag, "None")
      assert.deepStrictEqual(spans, ["step", "mark", "mark"])
    }))

  it("is an id of 32 digits for any call's id", () => {
    for (const id of ["call_0", "call_z", "call_ilou", `call_${"Z".repeat(60)}`]) {
      assert.match(CallTrace.traceId(Ids.CallId.make(id)), /^[\da-f]{32}$/)
    }
  })
})
