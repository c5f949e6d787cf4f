/** What an answered call can do over a real Asterisk: digits, transfers, the detection of machines; and trunks that are full or down. */
import { assert, describe, it } from "@effect/vitest"
import { PhoneNumber } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { Effect, Redacted } from "effect"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

const soon = <A>(find: () => A | undefined) => Calls.eventually(Effect.sync(find))

const tone = (hertz: number, millis: number) => Tones.tone({ hertz, millis, format: "mulaw" })

const silence = (millis: number) => new Uint8Array(millis * 8).fill(0xff)

describe("A call over Asterisk", () => {
  it.live(
    "presses digits, and is transferred to another number, or goes on if that does not answer",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        phones.behave((number) => number === "+15551230009" ? { refuses: "486 Busy Here" } : { answersAfter: 50 })
        const pbx = yield* Pbx.make({ phones: phones.port })
        const node = yield* Calls.node(pbx)
        const call = yield* Calls.dialUntilTaken(node, "+15551230001")
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
      const [machine, person] = [
        yield* Calls.dialUntilTaken(node, "+15551230001"),
        yield* Calls.dialUntilTaken(node, "+15551230002")
      ]
      const verdictOn = (callId: string) =>
        soon(() => Calls.eventsOf(node, callId).find((event) => event._tag === "Verdict"))
      assert.strictEqual((yield* verdictOn(machine.callId)).by, "voicemail")
      assert.strictEqual((yield* verdictOn(person.callId)).by, "human")
      for (const { id } of phones.calls) phones.hangUp(id)
      yield* Calls.untilClean(pbx)
    }).pipe(Effect.timeout("120 seconds")), 130_000)
})

describe("A trunk", () => {
  it.live("that is full or down takes no call, and nothing is sent", () =>
    Effect.gen(function*() {
      const phones = yield* SipPhone.make
      const pbx = yield* Pbx.make({ phones: phones.port, qualifySeconds: 1 })
      const node = yield* Calls.node(pbx, { channels: 2 })
      yield* Effect.sleep("1500 millis")
      for (const digit of ["1", "2"]) yield* Calls.dialUntilTaken(node, `+1555123000${digit}`)
      assert.strictEqual((yield* Calls.dial(node, "+15551230003")).verdict, "unavailable")
      yield* soon(() => phones.calls.length === 2 ? true : undefined)
      for (const { id } of phones.calls) phones.hangUp(id)
      phones.setCut(true)
      yield* Effect.sleep("6 seconds")
      assert.strictEqual((yield* Calls.dial(node, "+15551230004")).verdict, "unavailable")
      phones.setCut(false)
      yield* Calls.eventually(
        Effect.map(Calls.dial(node, "+15551230005"), ({ verdict }) => verdict === "taken" ? true : undefined)
      )
      yield* soon(() => phones.calls.length === 3 ? true : undefined)
    }).pipe(Effect.timeout("120 seconds")), 130_000)

  it.live("is not dialed over by a user whom Asterisk refuses", () =>
    Effect.gen(function*() {
      const phones = yield* SipPhone.make
      const pbx = yield* Pbx.make({ phones: phones.port })
      const node = yield* Calls.node({ ...pbx, password: Redacted.make("wrong") })
      assert.strictEqual((yield* Calls.dial(node, "+15551230001")).verdict, "not_authorized")
      assert.isFalse(yield* node.telephony.check ?? Effect.succeed(true))
      assert.lengthOf(phones.calls, 0)
    }).pipe(Effect.timeout("120 seconds")), 130_000)
})
