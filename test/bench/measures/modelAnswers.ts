/**
 * What the agent of a language model adds to the stream of the AI SDK: from the contact's final words to the first words of the answer,
 * beside a server that passes on the first piece of the same stream. The model is a server on this machine that answers at once.
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
  return [
    ...yield* answers(fixture, {
      count: 1,
      figures: latencies("model-answer", { p50: overhead }),
      modelUrl,
      peer,
      talk: { every: 500, speech: 0, turns: 30 }
    }),
    ...yield* answers(fixture, {
      count: many,
      figures: latencies(`model-answer-${many}`, { p50: overhead }),
      modelUrl,
      peer,
      talk: { every: 4000, speech: 1000, turns: 1 }
    })
  ]
})
