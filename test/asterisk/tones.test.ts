/** Sound and digits over a real Asterisk, both ways, to phones of several kinds. */
import { assert, describe, it } from "@effect/vitest"
import { AudioFormat, Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { Effect } from "effect"
import * as Calls from "./Calls.ts"
import * as Pbx from "./Pbx.ts"
import * as SipPhone from "./SipPhone.ts"

const soon = <A>(find: () => A | undefined) => Calls.eventually(Effect.sync(find))

const tone = (hertz: number, millis: number) => Tones.tone({ hertz, millis, format: "mulaw" })

const silence = (millis: number) => new Uint8Array(millis * 8).fill(0xff)

/** The agent's tone, and its length. */
const [agentHertz, agentMillis] = [1_000, 2_000]

/** The contact's. */
const [contactHertz, contactMillis] = [440, 1_000]

/** Before anyone listens. */
const early = Uint8Array.from([...tone(contactHertz, contactMillis), ...silence(60_000)])

const behaviours = {
  "of the usual kind": { answersAfter: 50 },
  "with early media": { hasEarlyMedia: true, says: early, answersAfter: 1_500 },
  "that sends nothing": { answersAfter: 50 },
  "that sends its sound five times too fast": { answersAfter: 50, haste: 5 }
} satisfies Readonly<Record<string, SipPhone.Behaviour>>

/** For how many milliseconds there is the tone. */
const millisOf = (sound: Int16Array, rate: number, hertz: number) => {
  const length = rate / 50
  let millis = 0
  for (let at = 0; at + length <= sound.length; at += length) {
    if (Tones.share(sound.subarray(at, at + length), rate, hertz) > 0.5) millis += 20
  }
  return millis
}

/** The same of a code of telephony or of samples. */
const millisIn = (format: AudioFormat.AudioFormat, heard: ReadonlyArray<Uint8Array> = [], hertz: number) =>
  millisOf(Samples.samplesOf(format, Buffer.concat(heard)), AudioFormat.sampleRate(format), hertz)

/** Two frames: a tone begins and ends within one. */
const tolerance = 40

describe("A call over Asterisk", () => {
  it.live(
    "exchanges sound and digits, also with phones that send early media, nothing, or too much",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        const kinds = Object.keys(behaviours)
        phones.behave((number) => Object.values(behaviours)[Number(number.slice(-1))] ?? {})
        const pbx = yield* Pbx.make({ phones: phones.port })
        const node = yield* Calls.node(pbx)
        const calls = yield* Effect.forEach(kinds, (_, index) => Calls.dialUntilTaken(node, `+1555123000${index}`))
        yield* soon(() => node.held.length === kinds.length ? true : undefined)
        const lineOf = (index: number) => node.held.find(({ callId }) => callId === calls[index]?.callId)
        const phoneOf = (index: number) => phones.calls.find(({ callId }) => callId === calls[index]?.callId)

        yield* Effect.forEach(
          node.held,
          ({ line }) =>
            Effect.andThen(
              line.play(Tones.tone({ hertz: agentHertz, millis: agentMillis, format: line.format })),
              line.mark("end")
            ),
          { concurrency: "unbounded" }
        )
        const heardByPhone = (index: number) => millisIn("mulaw", phoneOf(index)?.heard, agentHertz)
        const heardByUs = (index: number) => millisIn("pcm16", lineOf(index)?.heard, contactHertz)
        for (const [index, kind] of kinds.entries()) {
          yield* soon(() => heardByPhone(index) >= agentMillis - tolerance ? true : undefined)
          assert.closeTo(heardByPhone(index), agentMillis, tolerance, `heard by a phone ${kind}`)
        }
        // Once it is heard: what a phone says before there is a line for it is lost.
        for (const index of [0, 3]) phones.say(phoneOf(index)?.id ?? "", tone(contactHertz, contactMillis))
        yield* soon(() => heardByUs(0) >= contactMillis - tolerance ? true : undefined)
        assert.closeTo(heardByUs(0), contactMillis, tolerance, `said by a phone ${kinds[0]}`)
        // It spoke before it answered.
        assert.isBelow(heardByUs(1), contactMillis / 2, `said by a phone ${kinds[1]}`)
        assert.strictEqual(heardByUs(2), 0, `said by a phone ${kinds[2]}`)
        // Asterisk, too, may drop what is too much.
        yield* soon(() => heardByUs(3) > 0 ? true : undefined)
        assert.isAtMost(heardByUs(3), contactMillis + tolerance, `said by a phone ${kinds[3]}`)

        const first = phoneOf(0) ?? assert.fail("It has not rung")
        for (const key of "5#0") {
          const before = lineOf(0)?.digits ?? ""
          phones.press(first.id, key)
          yield* soon(() => lineOf(0)?.digits === before + key ? true : undefined)
        }
        yield* lineOf(0)?.line.press("1*") ?? Effect.void
        yield* soon(() => first.events.includes(10) ? true : undefined)
        assert.deepStrictEqual([...new Set(first.events)], [1, 10])

        for (const { id } of phones.calls) phones.hangUp(id)
        for (const { callId } of calls) assert.strictEqual((yield* Calls.endOf(node, callId)).result, "hung_up")
        assert.strictEqual(lineOf(0)?.digits, "5#0")
        assert.lengthOf(phones.calls, kinds.length)
      }).pipe(Effect.timeout("110 seconds")),
    120_000
  )

  it.live(
    "exchanges sound as it is in telephony, or at 16 kHz",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        phones.behave(() => ({ answersAfter: 50 }))
        const pbx = yield* Pbx.make({ phones: phones.port })
        yield* Effect.forEach(["mulaw", "alaw", "pcm16"] as const, (format) =>
          Effect.gen(function*() {
            const node = yield* Calls.node(pbx, { format })
            const { callId } = yield* Calls.dialUntilTaken(node, "+15551230001")
            const { heard, line } = yield* soon(() => node.held[0])
            const phone = yield* soon(() => phones.calls.find((one) => one.callId === callId))
            assert.strictEqual(line.format, format)
            yield* line.play(Tones.tone({ hertz: agentHertz, millis: agentMillis, format }))
            phones.say(phone.id, tone(contactHertz, contactMillis))
            const heardByPhone = () => millisIn("mulaw", phone.heard, agentHertz)
            const heardByUs = () => millisIn(format, heard, contactHertz)
            yield* soon(() =>
              heardByPhone() >= agentMillis - tolerance && heardByUs() >= contactMillis - tolerance ? true : undefined
            )
            assert.closeTo(heardByPhone(), agentMillis, tolerance, `heard by a phone as ${format}`)
            assert.closeTo(heardByUs(), contactMillis, tolerance, `said by a phone as ${format}`)
          }), { concurrency: "unbounded" })
      }).pipe(Effect.timeout("110 seconds")),
    120_000
  )
})
