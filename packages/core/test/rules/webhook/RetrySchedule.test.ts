import { assert, it } from "@effect/vitest"
import { RetrySchedule } from "@outdial/core"
import { Duration } from "effect"
import { describe } from "vitest"

const seconds = (attempts: number, random: number, retryAfter?: number) => {
  const delay = RetrySchedule.deliveryDelay({
    attempts,
    random,
    ...(retryAfter !== undefined && { retryAfter: Duration.seconds(retryAfter) })
  })
  return delay === undefined ? undefined : Duration.toSeconds(delay)
}

describe("RetrySchedule", () => {
  it("tries ten times over three days and more, as Standard Webhooks advises", () => {
    const delays = Array.from({ length: 11 }, (_, attempts) => seconds(attempts, 0.5))
    assert.deepStrictEqual(delays, [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, undefined])
  })

  it("spreads each delay by a fifth to both sides", () => {
    assert.strictEqual(seconds(1, 0), 4)
    assert.closeTo(seconds(1, 0.999_999) ?? 0, 6, 0.001)
  })

  it("honours Retry-After between one and two times the step", () => {
    assert.strictEqual(seconds(1, 0.5, 1), 5)
    assert.strictEqual(seconds(1, 0.5, 8), 8)
    assert.strictEqual(seconds(1, 0.5, 1_000_000), 10)
  })

  it("hands an event to a subscriber again after a second, doubling to an hour, for three days", () => {
    const delays = Array.from(
      { length: 84 },
      (_, index) => RetrySchedule.subscriberDelay({ attempts: index + 1, random: 0.5 })
    )
    const seconds = delays.map((delay) => delay === undefined ? undefined : Duration.toSeconds(delay))
    assert.deepStrictEqual(seconds.slice(0, 3), [1, 2, 4])
    assert.deepStrictEqual(seconds.slice(11, 14), [2048, 3600, 3600])
    assert.isUndefined(seconds[83])
    const hours = seconds.reduce<number>((sum, delay = 0) => sum + delay, 0) / 3600
    assert.closeTo(hours, 72, 1)
  })

  it("backs off from an unavailable carrier by doubling, to five minutes", () => {
    const delays = [1, 2, 3, 8, 9, 20].map((count) => Duration.toSeconds(RetrySchedule.unavailableDelay(count)))
    assert.deepStrictEqual(delays, [2, 4, 8, 256, 300, 300])
  })

  it("makes an outcome again after as long again, between five seconds and two minutes", () => {
    const delays = [0, 7, 60, 500].map((since) =>
      Duration.toSeconds(RetrySchedule.outcomeDelay(Duration.seconds(since)))
    )
    assert.deepStrictEqual(delays, [5, 7, 60, 120])
  })
})
