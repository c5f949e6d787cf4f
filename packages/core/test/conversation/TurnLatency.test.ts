import { assert, describe, it } from "@effect/vitest"
import { TextAgent } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Metric, Stream } from "effect"
import * as CallSteps from "../support/CallSteps.ts"

/** An agent that thinks for as long before it answers words. */
const thinking = (seconds: number, greeting = "Hello, is that Grace?") =>
  Layer.succeed(TextAgent.TextAgent, {
    open: () =>
      Effect.succeed({
        heard: () => Effect.void,
        reply: ({ _tag }) =>
          _tag === "Opening"
            ? Stream.make({ _tag: "Say", text: greeting } as const)
            : Stream.concat(
              Stream.fromEffect(Effect.as(Effect.sleep(`${seconds} seconds`), { _tag: "Say", text: "Bye." } as const)),
              Stream.make({ _tag: "End" } as const)
            )
      })
  })

/** The sum of a series of the agent, in seconds. */
const sumOf = Effect.fnUntraced(function*(id: string, agent: string) {
  const series = yield* Metric.snapshot
  const found = series.find((one) => one.id === id && one.attributes?.["agent"] === agent)
  return found?.type === "Histogram" ? Math.round(found.state.sum * 10) / 10 : undefined
})

const latencies = Effect.gen(function*() {
  const { agentId } = yield* TestEngine.Tenant
  yield* CallSteps.start("+14155550100")
  yield* TestEngine.advance("2 minutes")
  return {
    part: yield* sumOf("outdial_answer_part_seconds", agentId),
    words: yield* sumOf("outdial_answer_seconds", agentId)
  }
})

/** The ids of agents are the same in every file of tests. */
const ownMetrics = Effect.provideService(Metric.MetricRegistry, new Map())

const contact = () => [{ _tag: "Says", text: "Yes, speaking." }, { _tag: "IsSilent" }] as const

/** The bounds of the bucket that has the only observation of the series, in seconds. */
const bucketOf = Effect.fnUntraced(function*(id: string, agent: string) {
  const series = yield* Metric.snapshot
  const found = series.find((one) => one.id === id && one.attributes?.["agent"] === agent)
  if (found?.type !== "Histogram") return []
  const bounds = found.state.buckets
  const index = bounds.findIndex(([, count]) => count > 0)
  return [bounds[index - 1]?.[0], bounds[index]?.[0]]
})

describe("the latency of a turn", () => {
  it.effect("lasts from the contact's final words to the first part of the answer, and to its first words", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* latencies, { part: 1.2, words: 1.2 })
      // Percentiles are computed from the buckets: with wide ones, 1.2 s and 2.4 s would be the same.
      const { agentId } = yield* TestEngine.Tenant
      for (const id of ["outdial_answer_part_seconds", "outdial_answer_seconds"]) {
        assert.deepStrictEqual(yield* bucketOf(id, agentId), [1, 1.25])
      }
    }).pipe(Effect.provide(TestEngine.layer({ contact, textAgent: thinking(1.2) })), ownMetrics))

  it.effect("ends with a filler, for which the agent has produced nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* latencies, { part: undefined, words: 1.5 })
    }).pipe(Effect.provide(TestEngine.layer({ contact, textAgent: thinking(4) })), ownMetrics))

  it.effect("is not measured for words of attention, which nobody answers", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* latencies, { part: undefined, words: undefined })
    }).pipe(
      Effect.provide(TestEngine.layer({
        contact: () => [{ _tag: "Interrupts", afterWords: 2, text: "Mhm." }, { _tag: "IsSilent" }],
        textAgent: thinking(1, "Hello, this is Ada from the clinic.")
      })),
      ownMetrics
    ))
})
