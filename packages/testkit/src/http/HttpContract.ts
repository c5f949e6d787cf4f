/**
 * The contract of everything that serves `/v1`, such as handlers of any framework and servers. It only sends requests, in real
 * time. Its calls stay queued or are test calls, so that no phone rings.
 */
import { it } from "@effect/vitest"
import { ApiKey } from "@outdial/core"
import { Duration, Effect, type Layer, Record } from "effect"
import { describe } from "vitest"
import * as AccountCases from "./AccountCases.ts"
import * as BatchCases from "./BatchCases.ts"
import * as CallCases from "./CallCases.ts"
import * as ErrorCases from "./ErrorCases.ts"
import * as KeyCases from "./KeyCases.ts"
import * as RuleCases from "./RuleCases.ts"
import { type Cases, Keys, Target } from "./Target.ts"

export { Keys, Target } from "./Target.ts"

/** The cases that need one key. */
const chapters: Readonly<Record<string, Cases>> = {
  calls: CallCases.cases,
  batches: BatchCases.cases,
  "agents, webhook and events": AccountCases.cases,
  "do-not-call, previews and explanations": RuleCases.cases,
  errors: ErrorCases.cases
}

/** The test with its own key, so that all tests together may exceed the limit of one key. */
const withFreshKey = <E, R>(test: Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const keys = yield* Keys
    const target = yield* Target
    return yield* Effect.provideService(test, Target, { ...target, key: yield* keys.make(ApiKey.Scope.literals) })
  })

/** The test with requests that wait for the limit of the key, which all tests share. A request over the limit does nothing. */
const withinLimit = <E, R>(test: Effect.Effect<void, E, R>) =>
  Effect.flatMap(Target, (target) => {
    const fetch = async (request: Request): Promise<Response> => {
      const response = await target.fetch(request.clone())
      // The limits of endpoints also answer 429, and some tests check them.
      if (response.status !== 429 || response.headers.get("ratelimit")?.includes(";r=0;") !== true) return response
      await Effect.runPromise(Effect.sleep(Duration.seconds(Number(response.headers.get("retry-after")))))
      return fetch(request)
    }
    return Effect.provideService(test, Target, { ...target, fetch })
  })

/** Runs the whole contract against the target, which is built once. */
export const contract = <E>(name: string, layer: Layer.Layer<Target | Keys, E>): void => {
  const all: Readonly<Record<string, Cases<Target | Keys>>> = { ...chapters, "keys and limits": KeyCases.cases }
  run(name, Record.map(all, (cases) => Record.map(cases, withFreshKey)), layer)
}

/** Runs the cases that need one key, for targets without further keys. May wait up to a minute for the limit of the key. */
export const contractWithOneKey = <E>(name: string, layer: Layer.Layer<Target, E>): void => {
  run(name, Record.map(chapters, (cases) => Record.map(cases, withinLimit)), layer, 120_000)
}

const run = <R, E>(
  name: string,
  chapters: Readonly<Record<string, Cases<R>>>,
  layer: Layer.Layer<R, E>,
  timeout?: number
) => {
  describe(`HTTP contract: ${name}`, () => {
    // Servers need real time, which a test clock would stop.
    it.layer(layer, { excludeTestServices: true, timeout: "180 seconds" })((it) => {
      for (const [chapter, cases] of Object.entries(chapters)) {
        describe(chapter, () => {
          for (const [promise, test] of Object.entries(cases)) it.effect(promise, () => test, timeout)
        })
      }
    })
  })
}
