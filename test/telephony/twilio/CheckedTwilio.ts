/** The fake Twilio, with all requests and answers checked against Twilio's OpenAPI document: the test fails if one of them is not as described. */
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Layer } from "effect"
import * as TwilioDocument from "../../support/TwilioDocument.ts"

export const layer = (options: FakeTwilio.FakeTwilioOptions = {}): Layer.Layer<FakeTwilio.FakeTwilio> =>
  Layer.unwrap(Effect.gen(function*() {
    const problems = new Set<string>()
    yield* Effect.addFinalizer(() =>
      problems.size === 0
        ? Effect.void
        : Effect.die(new Error(`Not as in Twilio's OpenAPI document:\n${[...problems].join("\n")}`))
    )
    return FakeTwilio.FakeTwilio.layer({
      ...options,
      observe: (exchange) => {
        for (const problem of TwilioDocument.problems(exchange)) problems.add(problem)
        options.observe?.(exchange)
      }
    })
  }))
