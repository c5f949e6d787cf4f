import { assert, describe, it } from "@effect/vitest"
import { type AudioFormat, type AudioLine, Samples } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { AudioLineContract } from "@outdial/testkit/contracts"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as AsteriskMedia from "../../src/audio/AsteriskMedia.ts"
import * as MediaLine from "../../src/audio/MediaLine.ts"
import * as TwilioMedia from "../../src/audio/TwilioMedia.ts"
import * as MediaPeers from "./MediaPeers.ts"

const open = Effect.fnUntraced(function*(
  peer: MediaPeers.MediaPeer,
  options: Pick<MediaLine.MediaLineOptions, "dialect" | "format"> & Partial<MediaLine.MediaLineOptions>
) {
  const line = yield* MediaLine.make({
    receive: MediaLine.from(peer.messages),
    send: peer.send,
    close: peer.close,
    hangUp: peer.close,
    press: () => Effect.void,
    ...options
  })
  return { ...peer, line, hangsUp: peer.close }
})

const asterisk = (format: AudioFormat.AudioFormat, options: Partial<MediaLine.MediaLineOptions> = {}) =>
  Effect.flatMap(
    MediaPeers.asterisk(format),
    (peer) => open(peer, { dialect: AsteriskMedia.dialect, format, ...options })
  )

/** So many milliseconds away. */
const twilio = (delay: number) =>
  Effect.flatMap(
    MediaPeers.twilio("MZ1", delay),
    (peer) => open(peer, { dialect: TwilioMedia.dialect("MZ1"), format: "mulaw" })
  )

for (const format of ["mulaw", "alaw", "pcm16"] as const) {
  AudioLineContract.contract(`Asterisk, ${format}`, asterisk(format))
}
AudioLineContract.contract("Twilio", twilio(40))

const tone = (millis: number) => Tones.tone({ format: "mulaw", hertz: 440, millis })

const toneIn = (heard: Uint8Array) =>
  Tones.heard(Samples.samplesOf("mulaw", heard), 8_000, 440) ?? assert.fail("The tone is not heard")

const pass = (millis: number) => Effect.replicateEffect(TestClock.adjust(20), millis / 20, { discard: true })

const marksOf = Effect.fnUntraced(function*(line: AudioLine.AudioLine) {
  const reported: Array<unknown> = []
  yield* line.events.pipe(
    Stream.runForEach((event) => Effect.sync(() => event._tag === "Audio" ? undefined : reported.push(event))),
    Effect.forkScoped
  )
  return reported
})

describe("a line for sound", () => {
  for (const delay of [0, 100, 250]) {
    it.effect(`knows what was played when Twilio is ${delay} ms away, whenever it is cleared`, () =>
      Effect.gen(function*() {
        const { heard, line } = yield* twilio(delay)
        const played = () => heard().filter((byte) => byte === 0x10).length / 8
        let before = 0
        // Before the first mark has come back, just after a mark, after a pause shorter and longer than the way, and at the end.
        for (
          const [first, pause, second, until] of [
            [1_500, 0, 0, 100],
            [1_500, 0, 1_000, 1_620],
            [500, 560, 1_000, 200],
            [500, 700, 1_000, 640],
            [500, 1_500, 1_000, 540],
            [400, 0, 0, 380],
            [300, 800, 1_400, 980]
          ] as const
        ) {
          yield* line.play(new Uint8Array(first * 8).fill(0x10))
          yield* line.mark("first")
          yield* pass(pause)
          yield* line.play(new Uint8Array(second * 8).fill(0x10))
          yield* line.mark("second")
          yield* pass(until)
          const clearing = yield* Effect.forkChild(line.clear, { startImmediately: true })
          yield* pass(1_000)
          assert.closeTo(yield* Fiber.join(clearing), played() - before, 20, `${first} ${pause} ${second} ${until}`)
          before = played()
        }
      }))
  }

  it.effect("sends silence when the agent is quiet, where the carrier sends nothing by itself", () =>
    Effect.gen(function*() {
      const { line, longest, mute } = yield* asterisk("mulaw")
      yield* pass(5_000)
      yield* line.play(tone(1_000))
      yield* pass(5_000)
      assert.isAtMost(mute(), 100)
      assert.isAtMost(longest(), 2_000)
    }))

  it.effect("gives the carrier at most two seconds ahead, and messages of at most 128 bytes of text", () =>
    Effect.gen(function*() {
      const { line, longest, texts } = yield* asterisk("pcm16")
      yield* Effect.forkChild(line.play(Tones.tone({ format: "pcm16", hertz: 440, millis: 20_000 })))
      yield* line.mark("long ".repeat(100))
      yield* pass(10_000)
      assert.isAtMost(longest(), 2_040)
      assert.isNotEmpty(texts)
      for (const text of texts) assert.isAtMost(JSON.stringify(text).length, 128)
    }))

  it.effect("waits for a carrier that stands still, and loses nothing", () =>
    Effect.gen(function*() {
      const { heard, line, longest, suspend } = yield* asterisk("mulaw")
      yield* Effect.forkChild(line.play(tone(10_000)))
      yield* pass(1_000)
      suspend(true)
      yield* pass(4_000)
      suspend(false)
      yield* pass(12_000)
      assert.isAtMost(longest(), 5_000)
      const { from, to } = toneIn(heard())
      assert.closeTo(to - from, 10_000, 20)
    }))

  it.effect("waits while Asterisk takes no more", () =>
    Effect.gen(function*() {
      const peer = yield* MediaPeers.asterisk("mulaw")
      const { line } = yield* open(peer, { dialect: AsteriskMedia.dialect, format: "mulaw" })
      yield* pass(100)
      yield* peer.sends({ event: "MEDIA_XOFF" })
      yield* pass(20)
      yield* line.play(tone(1_000))
      yield* pass(1_000)
      assert.isUndefined(Tones.heard(Samples.samplesOf("mulaw", peer.heard()), 8_000, 440))
      yield* peer.sends({ event: "MEDIA_XON" })
      yield* pass(1_200)
      const { from, to } = toneIn(peer.heard())
      assert.closeTo(to - from, 1_000, 20)
    }))

  it.effect("says what was played when its connection is lost, and plays nothing afterwards", () =>
    Effect.gen(function*() {
      const { close, line } = yield* asterisk("mulaw", { lost: Effect.sleep("10 seconds") })
      const reported = yield* marksOf(line)
      yield* line.play(tone(2_000))
      yield* line.mark("1")
      yield* pass(500)
      yield* close
      yield* pass(600)
      const [silenced] = reported as ReadonlyArray<AudioLine.AudioEvent>
      assert.closeTo(silenced?._tag === "Silenced" ? silenced.played : 0, 500, 20)
      yield* line.play(tone(10_000))
      yield* line.mark("2")
      yield* pass(1_000)
      assert.deepStrictEqual(reported.slice(1), [{ _tag: "Silenced", played: 0 }])
      assert.strictEqual(yield* line.clear, 0)
    }))

  it.effect("reports words that were given while it was cleared and then lost", () =>
    Effect.gen(function*() {
      const { close, line } = yield* asterisk("mulaw", {
        lost: Effect.sleep("10 seconds"),
        send: () => Effect.void
      })
      const reported = yield* marksOf(line)
      yield* line.play(tone(2_000))
      yield* line.mark("1")
      yield* pass(500)
      const clearing = yield* Effect.forkChild(line.clear, { startImmediately: true })
      yield* line.play(tone(1_000))
      yield* line.mark("2")
      yield* pass(200)
      yield* close
      yield* pass(1_000)
      assert.isAtMost(yield* Fiber.join(clearing), 520)
      assert.deepStrictEqual(reported, [{ _tag: "Silenced", played: 0 }])
    }))

  it.effect("knows what was played also when the carrier does not say it", () =>
    Effect.gen(function*() {
      const peer = yield* MediaPeers.asterisk("mulaw")
      const { line } = yield* open({
        ...peer,
        send: (message) => String(message).includes("GET_STATUS") ? Effect.void : peer.send(message)
      }, {
        dialect: AsteriskMedia.dialect,
        format: "mulaw"
      })
      yield* line.play(tone(2_000))
      yield* pass(1_000)
      const clearing = yield* Effect.forkChild(line.clear, { startImmediately: true })
      yield* pass(600)
      assert.closeTo(yield* Fiber.join(clearing), 1_000, 20)
    }))

  it.effect("ignores messages that it does not understand", () =>
    Effect.gen(function*() {
      const { dialect } = { dialect: AsteriskMedia.dialect }
      for (
        const message of ["", "{", "[]", `{"event":"QUEUE_DRAINED"}`, `{"event":"MEDIA_MARK_PROCESSED"}`, "MEDIA_XON"]
      ) {
        assert.isUndefined(dialect.decode(message), message)
        assert.isUndefined(TwilioMedia.dialect("MZ1").decode(message), message)
      }
      assert.isUndefined(TwilioMedia.dialect("MZ1").decode(new Uint8Array(160)))
      assert.isUndefined(TwilioMedia.dialect("MZ1").decode(`{"event":"media","media":{"payload":"*"}}`))
    }))
})

describe("the first message of Asterisk", () => {
  it("says which channel it is, and in which format", () => {
    const message = (format: string) =>
      JSON.stringify({
        event: "MEDIA_START",
        connection_id: "agent",
        channel: "WebSocket/agent-0x7f",
        channel_id: "media-1",
        format,
        optimal_frame_size: 160,
        ptime: 20,
        channel_variables: { call: "call_1" }
      })
    for (const format of ["mulaw", "alaw", "pcm16"] as const) {
      assert.deepStrictEqual(AsteriskMedia.start(message(AsteriskMedia.formatName(format))), {
        channelId: "media-1",
        format
      })
    }
    assert.deepStrictEqual(AsteriskMedia.start(message("g722")), { channelId: "media-1", format: undefined })
    assert.isUndefined(AsteriskMedia.start(`{"event":"MEDIA_XON"}`))
    assert.isUndefined(AsteriskMedia.start(new Uint8Array(3)))
  })
})
