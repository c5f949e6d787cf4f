/** `outdial serve` and `outdial doctor` with the settings that docs/guides/telnyx.md shows, and a fake Telnyx. */
import { assert, describe, it } from "@effect/vitest"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { Effect } from "effect"
import * as CarrierGuide from "../support/CarrierGuide.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const settings = Effect.map(
  FakeTelnyx.FakeTelnyx,
  ({ apiKey, connectionId, publicKey, url }) =>
    CarrierGuide.settings("docs/guides/telnyx.md", "OUTDIAL_CARRIER=telnyx", {
      TELNYX_API_KEY: apiKey,
      TELNYX_CONNECTION_ID: connectionId,
      TELNYX_PUBLIC_KEY: publicKey,
      TELNYX_API_URL: url
    })
)

describe("OUTDIAL_CARRIER=telnyx", () => {
  it.live("calls over Telnyx, and the transcript has what was said", () =>
    Effect.gen(function*() {
      const { calls } = yield* FakeTelnyx.FakeTelnyx
      yield* CarrierGuide.call(yield* settings, calls)
    }).pipe(
      // The contact hangs up after its words. The voice speaks at its own pace, of which the server knows.
      Effect.provide(FakeTelnyx.FakeTelnyx.layer({
        timings: FakeTelnyx.lifelike(),
        callee: () => ({ _tag: "Talks", says: ["Hello."], hangsUp: true })
      }))
    ), 120_000)

  it.live("is checked by outdial doctor, which says what is wrong", () =>
    Effect.gen(function*() {
      const environment = yield* settings
      const doctor = yield* CarrierGuide.doctor
      const check = (env: Record<string, string>) => doctor({ ...environment, ...env })
      const { account } = yield* FakeTelnyx.FakeTelnyx
      const well = yield* check({})
      for (
        const [level, name] of [["ok", "Telnyx"], ["ok", "Telnyx time"], ["ok", "Telnyx caller ids"], [
          "ok",
          "Telnyx rate"
        ]]
      ) {
        assert.match(well, new RegExp(`^${level} +${name} `, "m"))
      }
      assert.match(well, /ok +Telnyx +The application outdial is active/)
      // It runs before the server does.
      assert.match(well, /warning +Telnyx callbacks .*Start outdial serve/)
      // The database has no accounts yet, and no lines.
      account.concurrentCalls = -1
      account.credit = "0.00"
      const wrong = yield* check({ TELNYX_CALLER_ID: "+14155550199", TELNYX_CALLS_PER_SECOND: "50" })
      assert.match(wrong, /failed +Telnyx caller ids .*\+14155550199/)
      assert.match(wrong, /failed +Telnyx .*no credit/)
      assert.match(wrong, /warning +Telnyx lines .*takes -1 calls at once/)
      assert.match(wrong, /warning +Telnyx rate .*rejects more than 30/)
      account.credit = "100.00"
      assert.match(yield* check({ TELNYX_API_KEY: "wrong" }), /failed +Telnyx .*10009/)
      assert.match(yield* check({ TELNYX_CONNECTION_ID: "1" }), /failed +Telnyx .*TELNYX_CONNECTION_ID/)
      assert.match(
        yield* check({ TELNYX_API_URL: `http://127.0.0.1:${ServeProcess.freePort()}` }),
        /failed +Telnyx .*ECONNREFUSED/
      )
      assert.match(yield* check({ TELNYX_API_KEY: "" }), /failed .*TELNYX_API_KEY/)
      assert.match(yield* check({ TELNYX_PUBLIC_KEY: "short" }), /failed .*TELNYX_PUBLIC_KEY/)
    }).pipe(Effect.provide(FakeTelnyx.FakeTelnyx.layer({ callerIds: ["+14155550100"] }))), 120_000)
})
