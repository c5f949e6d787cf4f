/**
 * What the agent of a language model adds to the stream of the AI SDK: from the first piece of the model's answer to the first words, and
 * from the contact's final words to the first words, beside a server that passes on the first piece of the same stream. The model is a
 * server on this machine that answers at once.
 */
import { Effect } from "effect"
import { answers, latencies } from "../conversations/Answers.ts"
import * as Conversing from "../conversations/Conversing.ts"
import * as Fixture from "../Fixture.ts"

const peer = "@ai-sdk/openai-compatible, the stream alone"

/** Our time less that of the peer, whose share `ratio` gives. */
const overhead = {
  text: "≤ 2 ms more than the stream alone",
  isReached: (value: number, ratio: number) => value - value / ratio <= 2
}

const many = 200

export const modelAnswers = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_model_answers")
  const modelUrl = yield* Conversing.model
  const measured = (name: string, count: number, talk: Parameters<typeof answers>[1]["talk"]) =>
    answers(fixture, {
      count,
      // In the order of `times`.
      figures: [...latencies(`model-piece${name}`, { p50: overhead }), ...latencies(`model-answer${name}`, {})],
      times: ({ p50, p99, piece }) => [piece.p50, piece.p99, p50, p99],
      modelUrl,
      peer,
      talk
    })
  return [
    ...yield* measured("", 1, { every: 500, speech: 0, turns: 30 }),
    ...yield* measured(`-${many}`, many, { every: 4000, speech: 1000, turns: 1 })
  ]
})
