/** Sound over a real Asterisk, with the engine's own conversations: how soon the agent is silent, and that all of its words are heard. */
import { assert, describe, it } from "@effect/vitest"
import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import { AudioFormat, Samples, SpokenAgent, TextAgent, TextToSpeech, type VoiceAgent, Wav } from "@outdial/core"
import { CommandVoice } from "@outdial/node"
import { Tones } from "@outdial/testkit"
import { Effect, Layer, Option, Stream } from "effect"
import { spawnSync } from "node:child_process"
import * as ToneSpeech from "../../packages/carriers/test/audio/ToneSpeech.ts"
import * as CarrierEngine from "../telephony/fake/CarrierEngine.ts"
import * as Calls from "./Calls.ts"
import * as Pbx from "./Pbx.ts"
import * as SipPhone from "./SipPhone.ts"

interface Talking {
  /** What the phone says, over and over. */
  readonly says: Uint8Array
  readonly textAgent: Layer.Layer<TextAgent.TextAgent>
  readonly voiceAgent: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent>
}

/** The phone of a call that has ended. */
const talked = Effect.fnUntraced(function*({ says, textAgent, voiceAgent }: Talking) {
  const phones = yield* SipPhone.make
  phones.behave(() => ({ answersAfter: 100, says }))
  const pbx = yield* Pbx.make({ phones: phones.port })
  const host = yield* CarrierEngine.open(
    () =>
      AsteriskTelephony.layer({
        ariUrl: pbx.ariUrl,
        user: pbx.user,
        password: pbx.password,
        endpoint: "PJSIP/{number}@trunk"
      }),
    { textAgent, voiceAgent }
  )
  const { id } = yield* CarrierEngine.start(host, "+15551230101")
  yield* CarrierEngine.ended(host, id)
  return phones.calls[0] ?? assert.fail("It has not rung")
})

const heardBy = ({ heard }: SipPhone.PhoneCall) => Samples.samplesOf("mulaw", Buffer.concat(heard))

const rate = 16_000

/** From when to when there is sound, in milliseconds: pieces with less than 500 ms of silence between them. */
const loudParts = (sound: Int16Array) => {
  const parts: Array<{ readonly from: number; to: number }> = []
  for (const [index, sample] of sound.entries()) {
    if (Math.abs(sample) < 500) continue
    const at = (index * 1_000) / rate
    const last = parts.at(-1)
    if (last !== undefined && at - last.to < 500) last.to = at
    else parts.push({ from: at, to: at })
  }
  return parts
}

const isLoud = (audio: Uint8Array) => Samples.samplesOf("mulaw", audio).some((sample) => Math.abs(sample) > 3_000)

const silence = (millis: number) => new Uint8Array(8 * millis).fill(0xff)

/** All of its figures are asserted at night: on a busy machine, each process may stand still for longer than what is measured. */
const isNight = process.env["OUTDIAL_ASTERISK_STEP"] === "1"

/** Of this process or of Asterisk, the longest time in which nothing came that should come every 20 ms. */
const longestStall = ({ heardAt }: Pick<SipPhone.PhoneCall, "heardAt">, from = 0, to = Infinity) => {
  const within = heardAt.filter((at) => at >= from && at <= to)
  return Math.max(0, ...within.slice(1).map((at, index) => at - (within[index] ?? at) - 20))
}

// They mostly wait for phones that talk.
describe.concurrent("Sound over Asterisk", () => {
  it.live("stops within 150 ms at the callee when the contact speaks", () =>
    Effect.gen(function*() {
      const rounds = isNight ? 20 : 5
      let answers = 0
      const [quiet, words] = [silence(2_400), Tones.tone({ format: "mulaw", hertz: 440, millis: 300 })]
      const phone = yield* talked({
        says: Buffer.concat([quiet, words]),
        textAgent: TextAgent.TextAgent.layerOf(async function*() {
          answers += 1
          yield { _tag: "Say", text: answers > rounds ? "Goodbye." : "This goes on and on. ".repeat(5) }
          if (answers > rounds) yield { _tag: "End" }
        }),
        voiceAgent: SpokenAgent.layer.pipe(
          Layer.provide([ToneSpeech.voice, ToneSpeech.recognition({ 440: "What does it cost?" })])
        )
      })
      const { heard, heardAt, spokenAt } = phone
      const loudAt = heardAt.filter((_, index) => isLoud(heard[index] ?? quiet))
      const firstOfWords = spokenAt.filter((_, frame) => frame % 135 === 120)
      // From the first sample that the contact says to the last one that it hears. A packet has the 20 ms before it, or after it.
      const delays = firstOfWords.flatMap((sentAt) => {
        const last = loudAt.find((at, index) => at > sentAt && (loudAt[index + 1] ?? Infinity) - at > 200)
        const spoke = loudAt.some((at) => at > sentAt - 100 && at <= sentAt)
        if (!spoke || last === undefined) return []
        // What stood still meanwhile is not the agent's.
        return [last + 20 - (sentAt - 20) - longestStall(phone, sentAt - 100, last)]
      }).toSorted((a, b) => a - b)
      assert.isAtLeast(delays.length, isNight ? rounds - 1 : 1)
      const measured = isNight ? delays[Math.ceil(0.95 * delays.length) - 1] : delays[0]
      assert.isBelow(measured ?? Infinity, 150, delays.map(Math.round).join(" "))
    }), 120_000)

  it.live("is recorded with each voice on its own side, aligned to 40 ms", () =>
    Effect.gen(function*() {
      const [agentHertz, contactHertz, rounds] = [1_000, 450, 4]
      const phones = yield* SipPhone.make
      // A tone for as long as it hears one.
      const answer = Tones.tone({ format: "mulaw", hertz: contactHertz, millis: 20 })
      phones.behave(() => ({
        answersAfter: 50,
        replies: (heard) => isLoud(heard) ? answer : silence(20)
      }))
      const pbx = yield* Pbx.make({ phones: phones.port })
      const cameAt: Array<number> = []
      const node = yield* Calls.node(pbx, { recording: "own" }, (_, event) =>
        Effect.sync(() => {
          if (event._tag === "Audio") cameAt.push(performance.now())
        }))
      const call = yield* Calls.dialUntilTaken(node, "+15551230001")
      const { heard, line } = yield* Calls.eventually(Effect.sync(() => node.held[0]))
      for (let round = 0; round < rounds; round++) {
        yield* line.play(Tones.tone({ format: line.format, hertz: agentHertz, millis: 400 }))
        yield* line.play(AudioFormat.silence(line.format, 900))
      }
      const phone = phones.calls[0] ?? assert.fail("It has not rung")
      const partsOf = (pieces: ReadonlyArray<Uint8Array>) =>
        loudParts(Samples.samplesOf("pcm16", Buffer.concat(pieces)))
      yield* Calls.eventually(
        Effect.sync(() =>
          partsOf(heard).reduce((sum, { from, to }) => sum + to - from, 0) >= (rounds - 1) * 360 ? true : undefined
        )
          .pipe(Effect.delay("200 millis"))
      )
      // The last of them may go on.
      yield* Effect.sleep("2 seconds")
      phones.hangUp(phone.id)
      const recording = yield* Calls.eventually(Effect.map(node.recordings.get(call), Option.getOrUndefined))
      const samples = Samples.fromLittleEndian(recording.bytes.subarray(Wav.headerBytes))
      const [contact = samples, agent = samples] = [0, 1].map((side) => samples.filter((_, at) => at % 2 === side))
      for (
        const [side, own, other] of [[contact, contactHertz, agentHertz], [agent, agentHertz, contactHertz]] as const
      ) {
        assert.isDefined(Tones.heard(side, rate, own), `${own} Hz is on its side`)
        assert.isUndefined(Tones.heard(side, rate, other), `${other} Hz is on the other side alone`)
      }
      // What stood still has moved the sound by as much. Where that is as long as a tone, there is nothing to compare.
      const stall = Math.max(longestStall(phone), longestStall({ heardAt: cameAt }))
      if (stall > 200 && !isNight) {
        return yield* Effect.logWarning(`The alignment is not tested: ${stall} ms of standstill`)
      }
      const tolerance = 40 + stall
      const [said, spoken] = [loudParts(contact), loudParts(agent)]
      const seen = JSON.stringify({ said, spoken, tolerance })
      assert.lengthOf(said, rounds, seen)
      assert.lengthOf(spoken, rounds, seen)
      for (const [index, { from, to }] of spoken.entries()) {
        // The first is heard while the conversation begins.
        if (index === 0) continue
        assert.closeTo(to - from, 400, tolerance, seen)
        // The phone replies to a packet, which is what it hears next, with what it has said before.
        assert.closeTo((said[index]?.from ?? 0) - from, -20, tolerance, seen)
        assert.closeTo((said[index]?.to ?? 0) - to, -20, tolerance, seen)
      }
    }).pipe(Effect.timeout("110 seconds")), 120_000)

  it.live.skipIf(spawnSync("espeak-ng", ["--version"]).error !== undefined)(
    "has every word that espeak-ng speaks, from the first to the last",
    () =>
      Effect.gen(function*() {
        const text = "Hello Grace, this is Ada from the Riverside Clinic. Your visit is on Tuesday at ten. Goodbye."
        const voice = CommandVoice.layer({ command: ["espeak-ng", "--stdin", "--stdout"] })
        const heard = heardBy(
          yield* talked({
            says: new Uint8Array(8_000).fill(0xff),
            textAgent: TextAgent.TextAgent.layerOf(async function*() {
              yield { _tag: "Say", text }
              yield { _tag: "End" }
            }),
            voiceAgent: SpokenAgent.layer.pipe(Layer.provide([voice, ToneSpeech.recognition({})]))
          })
        )
        const spoken = yield* Effect.gen(function*() {
          const { open } = yield* TextToSpeech.TextToSpeech
          const { speak } = yield* open({ format: "mulaw" })
          return Samples.samplesOf("mulaw", Buffer.concat(yield* Stream.runCollect(speak(text))))
        }).pipe(Effect.provide(voice))
        // In each second what was heard is what was spoken, at the same distance.
        const first = lagOf(heard, spoken.subarray(0, 8_000), 0, heard.length - 8_000)
        assert.isAbove(first.likeness, 0.8, "the beginning")
        for (let at = 0; at + 8_000 <= spoken.length; at += 8_000) {
          const near = lagOf(heard, spoken.subarray(at, at + 8_000), first.lag + at - 400, first.lag + at + 400)
          assert.isAbove(near.likeness, 0.8, `second ${at / 8_000}`)
        }
        const end = lagOf(
          heard,
          spoken.subarray(-8_000),
          first.lag + spoken.length - 8_400,
          first.lag + spoken.length - 7_600
        )
        assert.isAbove(end.likeness, 0.8, "the end")
      }),
    120_000
  )
})

/** Where in the sound the piece is, from one place to another, and how alike they are there, from 0 to 1. */
const lagOf = (sound: Int16Array, piece: Int16Array, from: number, to: number) => {
  let best = { lag: from, likeness: 0 }
  const power = piece.reduce((sum, sample) => sum + sample * sample, 0)
  for (let lag = Math.max(0, from); lag <= Math.min(to, sound.length - piece.length); lag++) {
    let [product, energy] = [0, 0]
    for (let index = 0; index < piece.length; index += 4) {
      const [one, other] = [sound[lag + index] ?? 0, piece[index] ?? 0]
      product += one * other
      energy += one * one
    }
    const likeness = energy === 0 ? 0 : (4 * product) / Math.sqrt(4 * energy * power)
    if (likeness > best.likeness) best = { lag, likeness }
  }
  return best
}
