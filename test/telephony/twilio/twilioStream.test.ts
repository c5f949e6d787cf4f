/** Calls that exchange sound with a fake Twilio in real time: the agent's words are tones, and so are the contact's. */
import { assert, describe, it } from "@effect/vitest"
import { Recordings, Samples, SpokenAgent, Wav } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Cause, Effect, Exit, Layer } from "effect"
import * as ToneSpeech from "../../../packages/carriers/test/audio/ToneSpeech.ts"
import * as CarrierEngine from "../fake/CarrierEngine.ts"
import { eventually, wordsOf } from "../fake/CarrierEngine.ts"
import * as TransferCases from "../fake/TransferCases.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"
import * as TwilioEngine from "./TwilioEngine.ts"

/** The frequency of each line of the contact. */
const lines = { 300: "Hello.", 400: "Yes, I will." }
const pitch = (text: string) => Number(Object.entries(lines).find(([, line]) => line === text)?.[0] ?? 0)

const speech = Layer.merge(ToneSpeech.voiceAt(4), ToneSpeech.recognition(lines))
const voiceAgent = SpokenAgent.layer.pipe(Layer.provide(speech))

/** A pause in what the agent says is not its end: sound may come late from a busy machine. */
const timings = { reply: 1_500 }

const fakeWith = (timings: FakeTwilio.FakeTwilioOptions["timings"]) =>
  Effect.provide(CheckedTwilio.layer({
    timings,
    callee: () => ({ _tag: "Talks", says: Object.values(lines) }),
    voice: (text) => Tones.tone({ format: "mulaw", hertz: pitch(text), millis: 400 })
  }))
const fake = fakeWith(timings)

const heardBy = ({ heard }: FakeTwilio.FakeCall) => Samples.samplesOf("mulaw", Buffer.concat(heard))

describe.concurrent("a call that exchanges sound with Twilio", () => {
  it.live("is heard by both sides, and recorded in two channels", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const kept = new Map<string, Recordings.Recording>()
      const recordings = Recordings.Recordings.layerOf({
        put: async ({ callId }, recording) => void kept.set(callId, recording),
        remove: async ({ callId }) => void kept.delete(callId),
        get: async ({ callId }) => kept.get(callId)
      })
      const host = yield* TwilioEngine.openWith({ media: "stream", recording: "own", recordings, voiceAgent })
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const { outcome, status } = yield* CarrierEngine.ended(host, id)
      assert.strictEqual(status, "completed")
      const said = outcome?.transcript.map(wordsOf) ?? []
      assert.deepStrictEqual(said.slice(0, 4), [
        { speaker: "agent", text: "Hello, this is Ada about your visit." },
        { speaker: "contact", text: "Hello." },
        { speaker: "agent", text: "Will you come on Tuesday?" },
        { speaker: "contact", text: "Yes, I will." }
      ])
      const [call] = twilio.calls
      const question = Tones.heard(
        heardBy(call ?? assert.fail()),
        8_000,
        ToneSpeech.pitchOf("Will you come on Tuesday?")
      )
      // It may have pauses on a busy machine.
      const millis = ToneSpeech.millisOf("Will you come on Tuesday?", 4)
      assert.isAtLeast((question?.to ?? 0) - (question?.from ?? 0), millis - 40)
      assert.isBelow((question?.to ?? 0) - (question?.from ?? 0), millis + timings.reply)
      const { bytes } = kept.get(id) ?? assert.fail("There is no recording")
      const samples = Samples.fromLittleEndian(bytes.subarray(Wav.headerBytes))
      const [contact, agent] = [0, 1].map((channel) => samples.filter((_, at) => at % 2 === channel))
      assert.isDefined(Tones.heard(contact ?? samples, 8_000, 400))
      assert.isDefined(Tones.heard(agent ?? samples, 8_000, ToneSpeech.pitchOf("Will you come on Tuesday?")))
    }).pipe(fake))

  it.live("goes on when its socket is lost", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.openWith({ media: "stream", voiceAgent })
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      // While it hears the question.
      const call = yield* eventually(() =>
        twilio.calls.find(({ words: [first] }) => first !== undefined && Date.now() > first.at + 1_100)
      )
      twilio.cutSocket(call.id)
      const { outcome, status } = yield* CarrierEngine.ended(host, id)
      assert.strictEqual(status, "completed")
      const words = outcome?.transcript.filter(({ speaker }) => speaker === "contact").map(({ text }) => text) ?? []
      assert.include(words, "Yes, I will.", JSON.stringify(outcome?.transcript))
      // What the contact began to say before its socket was lost it would not say again: time for a machine that stands still.
    }).pipe(fakeWith({ reply: 5_000 })))

  it.live("is transferred by other instructions, and goes on when nobody takes that call", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.openWith({
        media: "stream",
        voiceAgent,
        textAgent: TransferCases.transferring,
        transferNumbers: [{ name: "reception", number: "+14155550195" }]
      })
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      const { outcome, status } = yield* CarrierEngine.ended(host, id)
      assert.strictEqual(status, "completed")
      assert.deepStrictEqual(twilio.calls[0]?.transfers, [
        { to: "+14155550195", from: CarrierEngine.callerId, status: "busy" }
      ])
      assert.strictEqual(outcome?.transcript.at(-1)?.text, "Nobody is there. Goodbye.")
    }).pipe(
      Effect.provide(CheckedTwilio.layer({
        timings,
        callee: (to) => to.endsWith("5") ? { _tag: "Busy" } : { _tag: "Talks", says: ["Hello."] },
        voice: (text) => Tones.tone({ format: "mulaw", hertz: pitch(text), millis: 400 })
      }))
    ))

  it.live("is not dialed where no voice agent is: the engine does not open", () =>
    Effect.gen(function*() {
      const opened = yield* Effect.exit(TwilioEngine.openWith({ media: "stream" }))
      assert.isTrue(Exit.isFailure(opened))
      assert.include(Exit.isFailure(opened) ? Cause.pretty(opened.cause) : "", "give a voiceAgent")
    }).pipe(fake))

  it.live("takes the socket of a call only with its signature, and only of its own account", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const host = yield* TwilioEngine.openWith({ media: "stream", voiceAgent })
      yield* CarrierEngine.start(host, "+14155550102")
      const call = yield* eventually(() => twilio.calls[0])
      const url = /<Stream url="([^"]*)"/.exec(call.request.get("Twiml") ?? "")?.[1] ?? ""
      const start = (accountSid: string) => ({
        event: "start",
        streamSid: "MZ1",
        start: {
          accountSid,
          callSid: call.id,
          mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000, channels: 1 }
        }
      })
      const code = (headers: Record<string, string>, ...frames: ReadonlyArray<unknown>) =>
        CarrierEngine.closedWith(url, headers, ...frames)
      assert.strictEqual(yield* code({}), 1006, "without a signature there is no connection")
      const signed = { "x-twilio-signature": twilio.sign(url) }
      assert.strictEqual(yield* code(signed, { event: "connected" }, start("AC2")), 1008)
      assert.strictEqual(yield* code(signed, { event: "media" }, { event: "media" }), 1008)
    }).pipe(fake))
})
