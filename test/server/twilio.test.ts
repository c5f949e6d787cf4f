/** `outdial serve` and `outdial doctor` with the settings that docs/guides/twilio.md shows, and a fake Twilio. */
import { assert, describe, it } from "@effect/vitest"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect } from "effect"
import * as CarrierGuide from "../support/CarrierGuide.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const settings = Effect.map(
  FakeTwilio.FakeTwilio,
  ({ accountSid, authToken, url }) =>
    CarrierGuide.settings("docs/guides/twilio.md", "OUTDIAL_CARRIER=twilio", {
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_API_URL: url
    })
)

describe("OUTDIAL_CARRIER=twilio", () => {
  it.live("calls over Twilio, and the transcript has what was said", () =>
    Effect.gen(function*() {
      const { calls } = yield* FakeTwilio.FakeTwilio
      yield* CarrierGuide.call(yield* settings, calls)
    }).pipe(Effect.provide(FakeTwilio.FakeTwilio.layer())), 120_000)

  it.live("is checked by outdial doctor, which says what is wrong", () =>
    Effect.gen(function*() {
      const environment = yield* settings
      const doctor = yield* CarrierGuide.doctor
      const check = (env: Record<string, string>) => doctor({ ...environment, ...env })
      assert.match(yield* check({}), /ok +Twilio +The account is active/)
      assert.match(yield* check({ TWILIO_AUTH_TOKEN: "wrong" }), /failed +Twilio .*20003/)
      assert.match(
        yield* check({ TWILIO_API_URL: `http://127.0.0.1:${ServeProcess.freePort()}` }),
        /failed +Twilio .*ECONNREFUSED/
      )
      assert.match(yield* check({ TWILIO_ACCOUNT_SID: "" }), /failed .*TWILIO_ACCOUNT_SID/)
    }).pipe(Effect.provide(FakeTwilio.FakeTwilio.layer())), 120_000)
})
