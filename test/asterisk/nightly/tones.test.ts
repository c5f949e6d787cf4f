/** Sound and digits over a real Asterisk, both ways, to phones of several kinds. */
import { assert, describe, it } from "@effect/vitest"
import { Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { Effect } from "effect"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

const soon = <A>(find: () => A | undefined) => Calls.eventually(Effect.sync(find))

const tone = (hertz: number, millis: number) => Tones.tone({ hertz, millis, format: "mulaw" })

const silence = (millis: number) => new Uint8Array(millis * 8).fill(0xff)

/** The agent's tone, and its length. */
const [agentHertz, agentMillis] = [1_000, 2_000]

/** The contact's, which each phone says once. */
const [contactHertz, contactMillis] = [440, 1_000]

const says = Uint8Array.from([...tone(contactHertz, contactMillis), ...silence(60_000)])

const behaviours = {
  "of the usual kind": { answersAfter: 50, says },
  "with early media": { hasEarlyMedia: true, says, answersAfter: 1_500 },
  "that sends nothing": { answersAfter: 50 },
  "that sends its sound five times too fast": { answersAfter: 50, says, haste: 5 }
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
        const heardByPhone = (index: number) =>
          millisOf(Samples.samplesOf("mulaw", Buffer.concat(phoneOf(index)?.heard ?? [])), 8_000, agentHertz)
        const heardByUs = (index: number) =>
          millisOf(Samples.samplesOf("pcm16", Buffer.concat(lineOf(index)?.heard ?? [])), 16_000, contactHertz)
        for (const [index, kind] of kinds.entries()) {
          yield* soon(() => heardByPhone(index) >= agentMillis - tolerance ? true : undefined)
          assert.closeTo(heardByPhone(index), agentMillis, tolerance, `heard by a phone ${kind}`)
        }
        yield* soon(() => heardByUs(0) >= contactMillis - tolerance ? true : undefined)
        assert.closeTo(heardByUs(0), contactMillis, tolerance, `said by a phone ${kinds[0]}`)
        // Nobody listened yet when it spoke.
        assert.isBelow(heardByUs(1), contactMillis, `said by a phone ${kinds[1]}`)
        assert.strictEqual(heardByUs(2), 0, `said by a phone ${kinds[2]}`)
        // Asterisk, too, may drop what is too much.
        assert.isAbove(heardByUs(3), 0, `said by a phone ${kinds[3]}`)

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
        yield* Calls.untilClean(pbx)
      }).pipe(Effect.timeout("60 seconds")),
    70_000
  )
})
