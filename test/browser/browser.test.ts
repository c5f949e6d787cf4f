import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Browser from "./support/Browser.ts"

it.effect("finds what is wrong with a page, so that pages without a finding are accessible", () =>
  Effect.gen(function*() {
    const page = yield* Browser.page()
    yield* Effect.promise(() => page.setContent("<html><title>x</title><main><img src=x></main></html>"))
    const problems = (yield* Browser.accessibilityProblems(page)).join("\n")
    assert.include(problems, "image-alt")
    assert.include(problems, "html-has-lang")
  }))
