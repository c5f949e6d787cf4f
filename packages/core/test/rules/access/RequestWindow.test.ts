import { assert, it } from "@effect/vitest"
import { RequestWindow } from "@outdial/core"
import { Schema } from "effect"
import { describe } from "vitest"

const limit = 10

/** Takes one request at each second, in order; answers the seconds of those that were allowed. */
const allowedAt = (seconds: ReadonlyArray<number>) => {
  let window: RequestWindow.RequestWindow | undefined
  return seconds.filter((second) => {
    const taken = RequestWindow.take(window, { limit, second })
    window = taken.window
    return taken.verdict.allowed
  })
}

const Steps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))

describe("RequestWindow", () => {
  it.prop("never lets more than the limit through in any 60 consecutive seconds", [Steps], ([steps]) => {
    let at = 0
    const seconds = [...steps, ...steps, ...steps].map((step) => at += step)
    const allowed = allowedAt(seconds)
    for (const from of allowed) {
      assert.isAtMost(allowed.filter((second) => second >= from && second < from + 60).length, limit)
    }
  })

  it.prop("takes the next request exactly when it said it would", [Steps], ([steps]) => {
    let window: RequestWindow.RequestWindow | undefined
    let second = 0
    for (const step of [...steps, ...steps]) {
      second += step
      const taken = RequestWindow.take(window, { limit, second })
      window = taken.window
      if (taken.verdict.allowed) continue
      const { retryAfter } = taken.verdict
      assert.isFalse(RequestWindow.take(window, { limit, second: second + retryAfter - 1 }).verdict.allowed)
      assert.isTrue(RequestWindow.take(window, { limit, second: second + retryAfter }).verdict.allowed)
    }
  })

  it("does not refuse clients at exactly the rate", () => {
    const seconds = Array.from({ length: 300 }, (_, n) => n * 6)
    assert.deepStrictEqual(allowedAt(seconds), seconds)
  })
})
