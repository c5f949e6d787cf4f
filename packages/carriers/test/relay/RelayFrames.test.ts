import { assert, describe, it } from "@effect/vitest"
import { decode, encode, telnyx, twilio } from "../../src/relay/RelayFrames.ts"

describe("frames of a relay", () => {
  it("are read in both dialects", () => {
    const setup = {
      type: "setup",
      sessionId: "VX1",
      accountSid: "AC1",
      parentCallSid: "",
      callSid: "CA1",
      callStatus: "RINGING",
      customParameters: { token: "t" }
    }
    assert.deepStrictEqual(decode(JSON.stringify(setup)), {
      type: "setup",
      sessionId: "VX1",
      accountSid: "AC1",
      callSid: "CA1",
      customParameters: { token: "t" }
    })
    const telnyxSetup = { ...setup, callSid: "v2:abc", callControlId: "v2:abc", callLegId: "l", callStatus: "active" }
    assert.deepInclude(decode(JSON.stringify(telnyxSetup)), { type: "setup", callSid: "v2:abc" })
    assert.deepStrictEqual(
      decode("{\"type\":\"prompt\",\"voicePrompt\":\"Yes.\",\"lang\":\"en\",\"last\":true,\"new\":{}}"),
      { type: "prompt", voicePrompt: "Yes.", lang: "en", last: true }
    )
    assert.deepStrictEqual(decode("{\"type\":\"dtmf\",\"digit\":\"#\"}"), { type: "dtmf", digit: "#" })
  })

  it("may have a duration as a number or as its digits, or none", () => {
    for (const durationUntilInterruptMs of [460, "460"]) {
      assert.deepStrictEqual(
        decode(JSON.stringify({ type: "interrupt", utteranceUntilInterrupt: "Hello", durationUntilInterruptMs })),
        { type: "interrupt", utteranceUntilInterrupt: "Hello", durationUntilInterruptMs: 460 }
      )
    }
    assert.deepStrictEqual(decode("{\"type\":\"interrupt\"}"), { type: "interrupt" })
  })

  it("are unknown when they are of a new type, of another form, or no JSON", () => {
    for (
      const frame of [
        "",
        "{",
        "null",
        "[]",
        "{}",
        "{\"type\":\"new\"}",
        "{\"type\":\"prompt\"}",
        "{\"type\":\"setup\",\"sessionId\":\"VX1\"}",
        "{\"type\":\"dtmf\",\"digit\":1}",
        "{\"type\":\"interrupt\",\"durationUntilInterruptMs\":\"soon\"}"
      ]
    ) assert.deepStrictEqual(decode(frame), { type: "unknown" }, frame)
  })

  it("are written with what the dialect knows", () => {
    const written = (command: Parameters<typeof encode>[1]) =>
      [twilio, telnyx].map((dialect): unknown => JSON.parse(encode(dialect, command)))
    assert.deepStrictEqual(written({ type: "text", token: "Hi \"you\"", interruptible: false }), [
      { type: "text", token: "Hi \"you\"", last: true, interruptible: false, preemptible: false },
      { type: "text", token: "Hi \"you\"", last: true }
    ])
    assert.deepStrictEqual(written({ type: "end", handoffData: "moved" }), [
      { type: "end", handoffData: "moved" },
      { type: "end" }
    ])
    assert.deepStrictEqual(written({ type: "sendDigits", digits: "1wA#" }), [
      { type: "sendDigits", digits: "1w#" },
      { type: "sendDigits", digits: "1w#" }
    ])
    const language = { type: "language", ttsLanguage: "es-ES", transcriptionLanguage: "es-ES" } as const
    assert.deepStrictEqual(written(language), [language, language])
  })
})
