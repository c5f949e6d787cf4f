/** Conversations in sound on virtual time: the agent's words are tones, and so are the contact's. */
import { assert, describe, it } from "@effect/vitest"
import {
  type AudioLine,
  Calls,
  Conversations,
  Ids,
  LineReports,
  Phrases,
  Samples,
  SpeechToText,
  SpokenAgent,
  Storage,
  Telephony,
  TextAgent,
  TextToSpeech,
  VoiceAgent
} from "@outdial/core"
import { Factories, TestEngine, Tones } from "@outdial/testkit"
import { TextLineContract } from "@outdial/testkit/contracts"
import { DateTime, Duration, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as AsteriskMedia from "../../src/audio/AsteriskMedia.ts"
import * as MediaLine from "../../src/audio/MediaLine.ts"
import * as TwilioMedia from "../../src/audio/TwilioMedia.ts"
import * as MediaPeers from "./MediaPeers.ts"
import * as ToneSpeech from "./ToneSpeech.ts"

const pass = (millis: number) => Effect.replicateEffect(TestClock.adjust(20), millis / 20, { discard: true })

const opened = Effect.fnUntraced(
  function*(kind: "asterisk" | "twilio" = "asterisk", lost: Effect.Effect<void> = Effect.void) {
    const peer = yield* kind === "asterisk" ? MediaPeers.asterisk("mulaw") : MediaPeers.twilio("MZ1")
    const line = yield* MediaLine.make({
      dialect: kind === "asterisk" ? AsteriskMedia.dialect : TwilioMedia.dialect("MZ1"),
      format: "mulaw",
      receive: MediaLine.from(peer.messages),
      send: peer.send,
      close: peer.close,
      hangUp: peer.close,
      press: () => Effect.void,
      transfer: () => Effect.succeed(true),
      lost
    })
    const heard = () => Samples.samplesOf("mulaw", peer.heard())
    return { ...peer, line, heard, hearsTone: (hertz: number) => Tones.heard(heard(), 8_000, hertz) }
  }
)

const speech = Layer.merge(
  ToneSpeech.voice,
  ToneSpeech.recognition({ 300: "Yes, I will.", 400: "Do not call me again." })
)

/** The text line that the voice agent makes. */
const spoken = Effect.fnUntraced(function*(line: AudioLine.AudioLine) {
  const agent = yield* VoiceAgent.VoiceAgent
  return (yield* agent.open({
    line,
    entries: [],
    brief: {
      accountId: Factories.accountId(),
      callId: Factories.callId(),
      agent: Factories.agentBrief({}),
      contact: { name: "Grace" }
    }
  })).line
})

const silentAgent = TextAgent.TextAgent.layerOfAnswers(() => Stream.empty)

const voiceAgent = SpokenAgent.layer.pipe(Layer.provide([speech, silentAgent]))

for (const kind of ["asterisk", "twilio"] as const) {
  TextLineContract.contract(
    `spoken over ${kind}`,
    Effect.gen(function*() {
      const { close, line } = yield* opened(kind)
      return { hangsUp: close, line: yield* spoken(line) }
    }).pipe(Effect.provide(voiceAgent))
  )
}

const tone = (hertz: number, millis: number) => Tones.tone({ format: "mulaw", hertz, millis, amplitude: 0.1 })

const carrier = Layer.succeed(Telephony.Telephony, {
  name: Ids.CarrierName.make("test"),
  dial: ({ callId }) => Effect.succeed(Ids.CarrierCallId.make(callId)),
  lookUp: () => Effect.succeed({ _tag: "Live" }),
  hangUp: () => Effect.void,
  notFoundLag: Duration.seconds(5)
})

const script = "Hello, this is Ada from the Riverside Clinic. I call about your visit on Tuesday."

const testing = (services: Layer.Layer<SpeechToText.SpeechToText | TextToSpeech.TextToSpeech> = speech) =>
  Effect.provide(TestEngine.layer({
    telephony: carrier,
    agent: { script, questions: ["Will you come?"], variables: [] },
    voiceAgent: SpokenAgent.layer.pipe(Layer.provide(services))
  }))

/** An answered call, and what its contact hears and says. */
const conversation = Effect.fnUntraced(function*(kind: "asterisk" | "twilio" = "asterisk") {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const { start, get } = yield* Calls.Calls
  const { id: callId } = yield* start(accountId, {
    agentId,
    phoneNumber: "+14155550100",
    variables: {},
    contact: {}
  } as never)
  yield* TestEngine.drain
  const { report } = yield* LineReports.LineReports
  yield* report({ accountId, callId, event: { _tag: "Answered", at: yield* DateTime.now, by: "human" } })
  const contact = yield* opened(kind)
  const { hold } = yield* Conversations.Conversations
  const held = yield* Effect.forkChild(hold({ accountId, callId, takesOver: false, line: contact.line }))
  const ended = Effect.gen(function*() {
    yield* report({
      accountId,
      callId,
      event: { _tag: "Ended", at: yield* DateTime.now, result: "hung_up", recorded: false }
    })
    const storage = yield* Storage.Storage
    const { transcript = [] } = yield* Effect.flatMap(storage.calls.get(accountId, callId), Effect.fromOption)
    return { status: (yield* get(accountId, callId)).status, transcript }
  })
  return { ...contact, ended, held }
})

const { fallback } = Phrases.phrasesOf("en")

const failed = new TextToSpeech.SpeechFailed({ cause: new Error("no credit") })

/** Fails after three seconds. */
const failingRecognition = Layer.succeed(SpeechToText.SpeechToText, {
  open: () =>
    Effect.succeed({
      hear: () => Effect.void,
      events: Stream.fromEffect(Effect.delay(Effect.fail(failed), "3 seconds"))
    })
})

/** Fails for every second text, and says nothing of the others. */
const failingVoice = Layer.sync(TextToSpeech.TextToSpeech, () => {
  let texts = 0
  return {
    open: () =>
      Effect.succeed({ speak: () => Stream.suspend(() => texts++ % 2 === 0 ? Stream.fail(failed) : Stream.never) })
  }
})

describe("a conversation in sound", () => {
  it.effect("is heard by both sides, and its transcript has what was heard", () =>
    Effect.gen(function*() {
      const { ended, hearsTone, held, says } = yield* conversation()
      yield* pass(7_000)
      const question = hearsTone(ToneSpeech.pitchOf("Will you come?"))
      assert.isUndefined(question)
      yield* Effect.forkChild(says(tone(300, 600)))
      yield* pass(3_000)
      const asked = hearsTone(ToneSpeech.pitchOf("Will you come?")) ?? assert.fail("The question is not heard")
      assert.closeTo(asked.to - asked.from, ToneSpeech.millisOf("Will you come?"), 40)
      yield* Effect.forkChild(says(tone(400, 600)))
      yield* pass(12_000)
      assert.strictEqual(yield* Fiber.join(held), "over")
      const { status, transcript } = yield* ended
      assert.strictEqual(status, "completed")
      assert.deepStrictEqual(transcript.filter(({ speaker }) => speaker === "contact").map(({ text }) => text), [
        "Yes, I will.",
        "Do not call me again."
      ])
      assert.isTrue(transcript.every(({ interrupted }) => interrupted !== true), JSON.stringify(transcript))
    }).pipe(testing()))

  it.effect("is silent within 150 ms when the contact interrupts, and cuts the turn where that was", () =>
    Effect.gen(function*() {
      const { close, ended, heard, says } = yield* conversation()
      const delays: Array<number> = []
      // The agent goes on when no words follow. The contact speaks at another place within a frame each time.
      for (let round = 0; round < 3; round++) {
        yield* pass(1_500)
        yield* TestClock.adjust(3 + 5 * round)
        const before = heard().length / 8
        yield* Effect.forkChild(says(tone(1_900, 200)))
        yield* pass(1_000)
        const loud = heard().subarray(before * 8).findLastIndex((sample) => Math.abs(sample) > 100)
        delays.push(loud / 8)
        yield* pass(2_000)
      }
      for (const delay of delays) assert.isTrue(delay > 40 && delay < 150, delays.join(" "))
      yield* close
      yield* pass(1_000)
      const { transcript } = yield* ended
      assert.isTrue(transcript.some(({ interrupted }) => interrupted === true), JSON.stringify(transcript))
    }).pipe(testing()))

  it.effect("ends with the fallback when the recognition fails", () =>
    Effect.gen(function*() {
      const { ended, hearsTone, held } = yield* conversation("twilio")
      yield* pass(20_000)
      assert.strictEqual(yield* Fiber.join(held), "over")
      assert.isDefined(hearsTone(ToneSpeech.pitchOf(fallback)), "the fallback is heard")
      assert.strictEqual((yield* ended).status, "no_answer")
    }).pipe(testing(Layer.merge(ToneSpeech.voice, failingRecognition))))

  it.effect("ends when the voice fails, and when it falls silent", () =>
    Effect.gen(function*() {
      for (const kind of ["asterisk", "twilio"] as const) {
        const { ended, held } = yield* conversation(kind)
        yield* pass(30_000)
        assert.strictEqual(yield* Fiber.join(held), "over")
        assert.deepStrictEqual((yield* ended).transcript, [])
      }
    }).pipe(testing(Layer.merge(failingVoice, ToneSpeech.recognition({})))))
})
