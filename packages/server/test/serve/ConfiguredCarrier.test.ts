import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as ConfiguredCarrier from "../../src/serve/ConfiguredCarrier.ts"

/** The options of Twilio by these variables. */
const optionsBy = (variables: Record<string, string>) =>
  Effect.flatMap(
    Config.twilio,
    (twilio) => ConfiguredCarrier.twilioOptions({ publicUrl: Option.some("https://calls.example.com"), twilio })
  ).pipe(Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({
    TWILIO_ACCOUNT_SID: `AC${"1".repeat(32)}`,
    TWILIO_AUTH_TOKEN: "token",
    ...variables
  }))))

describe("the settings of Twilio", () => {
  it.effect("exchange text by default, and sound by TWILIO_MEDIA, which may be recorded here", () =>
    Effect.gen(function*() {
      const shown = Effect.map(optionsBy({}), ({ media, recording }) => ({ media, recording }))
      assert.deepStrictEqual(yield* shown, { media: "relay", recording: "off" })
      const { media, recording } = yield* optionsBy({ TWILIO_MEDIA: "stream", TWILIO_RECORDING: "own" })
      assert.deepStrictEqual([media, recording], ["stream", "own"])
      const error = yield* Effect.flip(optionsBy({ TWILIO_RECORDING: "own" }))
      assert.include(String(error.message), "TWILIO_RECORDING=own needs TWILIO_MEDIA=stream")
    }))

  it.effect("take an API key for requests, beside the auth token, and only as a whole", () =>
    Effect.gen(function*() {
      const [TWILIO_API_KEY_SID, TWILIO_API_KEY_SECRET] = [`SK${"1".repeat(32)}`, "secret"]
      assert.isUndefined((yield* optionsBy({})).apiKey)
      const { apiKey, authToken } = yield* optionsBy({ TWILIO_API_KEY_SID, TWILIO_API_KEY_SECRET })
      assert.deepStrictEqual(
        [apiKey?.sid, apiKey && Redacted.value(apiKey.secret), Redacted.value(authToken)],
        [TWILIO_API_KEY_SID, TWILIO_API_KEY_SECRET, "token"]
      )
      for (const half of [{ TWILIO_API_KEY_SID }, { TWILIO_API_KEY_SECRET }]) {
        assert.include(String((yield* Effect.flip(optionsBy(half))).message), "belong together")
      }
      const without = { TWILIO_API_KEY_SID, TWILIO_API_KEY_SECRET, TWILIO_AUTH_TOKEN: "" }
      assert.include(String((yield* Effect.flip(optionsBy(without))).message), "needs TWILIO_AUTH_TOKEN")
    }))
})
