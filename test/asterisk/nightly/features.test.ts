/** What an answered call can do over a real Asterisk: digits, transfers, early media, the detection of machines; and trunks that are full or down. */
import { assert, describe, it } from "@effect/vitest"
import { PhoneNumber, Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { Effect, Redacted } from "effect"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

const soon = <A>(find: () => A | undefined) => Calls.eventually(Effect.sync(find))

const tone = (hertz: number, millis: number) => Tones.tone({ hertz, millis, format: "mulaw" })

const silence = (millis: number) => new Uint8Array(millis * 8).fill(0xff)

const heardOf = (chunks: ReadonlyArray<Uint8Array>) => Buffer.concat(chunks)

describe("A call over Asterisk", () => {
  it.live(
    "exchanges sound, with a phone that sends early media, none at all, or too much",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        const behaviours: ReadonlyArray<SipPhone.Behaviour> = [
          { hasEarlyMedia: true, says: tone(700, 1_000), answersAfter: 1_500 },
          { answersAfter: 50 },
          { answersAfter: 50, says: tone(440, 1_000), haste: 5 },
          { answersAfter: 50, says: tone(440, 1_000) }
        ]
        phones.behave((number) => behaviours[Number(number.slice(-1))] ?? {})
        const pbx = yield* Pbx.make({ phones: phones.port })
        const node = yield* Calls.node(pbx)
        const calls = yield* Effect.forEach(behaviours, (_, index) => Calls.dial(node, `+1555123000${index}`))
        assert.deepStrictEqual(calls.map(({ verdict }) => verdict), ["taken", "taken", "taken", "taken"])
        yield* soon(() => node.held.length === 4 ? true : undefined)
        const ofNumber = (index: number) => node.held.find(({ callId }) => callId === calls[index]?.callId)
        yield* Effect.forEach(
          node.held,
          ({ line }) => line.play(Tones.tone({ hertz: 1_000, millis: 2_000, format: "pcm16" }))
        )
        yield* Effect.sleep("2500 millis")
        for (const [index, { number, heard }] of phones.calls.entries()) {
          const played = Tones.heard(Samples.samplesOf("mulaw", heardOf(heard)), 8_000, 1_000)
          assert.isTrue(played !== undefined && played.to - played.from > 1_500, `${number} ${index} has not heard it`)
        }
        const heardBy = (index: number, hertz: number) =>
          Tones.heard(Samples.samplesOf("pcm16", heardOf(ofNumber(index)?.heard ?? [])), 16_000, hertz)
        assert.isDefined(heardBy(3, 440))
        assert.isDefined(heardBy(2, 440))
        assert.isUndefined(heardBy(1, 440))
        for (const { id } of phones.calls) phones.hangUp(id)
        for (const { callId } of calls) assert.strictEqual((yield* Calls.endOf(node, callId)).result, "hung_up")
        assert.lengthOf(phones.calls, 4)
      }).pipe(Effect.timeout("60 seconds")),
    70_000
  )

  it.live(
    "presses digits, and is transferred to another number, or goes on if that does not answer",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        phones.behave((number) => number === "+15551230009" ? { refuses: "486 Busy Here" } : { answersAfter: 50 })
        const pbx = yield* Pbx.make({ phones: phones.port })
        const node = yield* Calls.node(pbx)
        const call = yield* Calls.dial(node, "+15551230001")
        const { line } = yield* soon(() => node.held[0])
        yield* line.press("1#")
        yield* Effect.sleep("1 second")
        const events = phones.calls[0]?.events ?? []
        assert.deepStrictEqual([...new Set(events)], [1, 11])

        const transfer = line.transfer ?? (() => Effect.succeed(false))
        assert.isTrue(yield* transfer(PhoneNumber.PhoneNumber.make("+15551230009")))
        const again = yield* soon(() => node.held[1])
        assert.isTrue(again.takesOver)
        const other = again.line.transfer ?? (() => Effect.succeed(false))
        assert.isTrue(yield* other(PhoneNumber.PhoneNumber.make("+15551230008")))
        const second = yield* soon(() =>
          phones.calls.find(({ number, state }) => number === "+15551230008" && state === "answered")
        )
        assert.strictEqual(second.from, "+15550009999")
        yield* soon(() => node.held[1]?.isOver)
        assert.deepStrictEqual(phones.calls.map(({ state }) => state), ["answered", "over", "answered"])
        phones.hangUp(second.id)
        assert.strictEqual((yield* Calls.endOf(node, call.callId)).result, "hung_up")
        yield* soon(() => phones.calls[0]?.state === "over" ? true : undefined)
        assert.lengthOf(node.held, 2)
        yield* Calls.untilClean(pbx)
      }).pipe(Effect.timeout("60 seconds")),
    70_000
  )

  it.live("tells a machine from a person beside the conversation, if asked to", () =>
    Effect.gen(function*() {
      const phones = yield* SipPhone.make
      phones.behave((number) => ({
        answersAfter: 50,
        says: number.endsWith("1")
          ? tone(440, 8_000)
          : Uint8Array.from([...silence(300), ...tone(440, 500), ...silence(9_000)])
      }))
      const pbx = yield* Pbx.make({ phones: phones.port })
      const node = yield* Calls.node(pbx, { detectsMachines: true })
      const [machine, person] = [yield* Calls.dial(node, "+15551230001"), yield* Calls.dial(node, "+15551230002")]
      const verdictOn = (callId: string) =>
        soon(() => Calls.eventsOf(node, callId).find((event) => event._tag === "Verdict"))
      assert.strictEqual((yield* verdictOn(machine.callId)).by, "voicemail")
      assert.strictEqual((yield* verdictOn(person.callId)).by, "human")
      for (const { id } of phones.calls) phones.hangUp(id)
      yield* Calls.untilClean(pbx)
    }).pipe(Effect.timeout("60 seconds")), 70_000)
})

describe("A trunk", () => {
  it.live("that is full or down takes no call, and nothing is sent", () =>
    Effect.gen(function*() {
      const phones = yield* SipPhone.make
      const pbx = yield* Pbx.make({ phones: phones.port, qualifySeconds: 1 })
      const node = yield* Calls.node(pbx, { channels: 2 })
      yield* Effect.sleep("1500 millis")
      const verdicts = yield* Effect.forEach(["1", "2", "3"], (digit) =>
        Effect.map(Calls.dial(node, `+1555123000${digit}`), ({ verdict }) => verdict))
      assert.deepStrictEqual(verdicts, ["taken", "taken", "unavailable"])
      yield* soon(() =>
        phones.calls.length === 2 ? true : undefined
      )
      for (const { id } of phones.calls) phones.hangUp(id)
      phones.setCut(true)
      yield* Effect.sleep("6 seconds")
      assert.strictEqual((yield* Calls.dial(node, "+15551230004")).verdict, "unavailable")
      phones.setCut(false)
      yield* Calls.eventually(
        Effect.map(Calls.dial(node, "+15551230005"), ({ verdict }) => verdict === "taken" ? true : undefined)
      )
      yield* soon(() => phones.calls.length === 3 ? true : undefined)
    }).pipe(Effect.timeout("60 seconds")), 70_000)

  it.live("is not dialed over by a user whom Asterisk refuses", () =>
    Effect.gen(function*() {
      const phones = yield* SipPhone.make
      const pbx = yield* Pbx.make({ phones: phones.port })
      const node = yield* Calls.node({ ...pbx, password: Redacted.make("wrong") })
      assert.strictEqual((yield* Calls.dial(node, "+15551230001")).verdict, "not_authorized")
      assert.isFalse(yield* node.telephony.check ?? Effect.succeed(true))
      assert.lengthOf(phones.calls, 0)
    }).pipe(Effect.timeout("60 seconds")), 70_000)
})
