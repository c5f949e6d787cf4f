/** Asks the configured language model one harmless question. */
import { ModelFailure } from "@outdial/ai"
import { Duration, Effect, Option } from "effect"
import { LanguageModel } from "effect/ai"
import * as ConfiguredModel from "../cli/ConfiguredModel.ts"
import { failed, type Finding, ok } from "./Finding.ts"

/** How long the answer may take: providers that start a model on demand take as long. */
const timeout = "30 seconds"

/** None if agents are scripted. */
export const findings = Effect.gen(function*() {
  const configured = yield* ConfiguredModel.read
  if (Option.isNone(configured)) return []
  const { layer, name } = configured.value
  const answer = LanguageModel.generateText({ prompt: "This is a test of the connection. Answer with the word: ready" })
  return [
    yield* answer.pipe(
      Effect.timed,
      Effect.map(([took]): Finding => ok("model", `${name} answered in ${Math.round(Duration.toMillis(took))} ms`)),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.succeed(failed("model", `${name} did not answer within ${timeout}`))
      }),
      Effect.provide(layer),
      Effect.catchTag(
        "AiError",
        (error) => Effect.succeed(failed("model", `${name} did not answer: ${ModelFailure.explained(error)}`))
      )
    )
  ]
})
