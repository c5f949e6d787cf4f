/** Recordings of calls on virtual time: each side is a tone of its own. */
import { assert, describe, it } from "@effect/vitest"
import { type CarrierEvent, type LineReports, Recordings, RecordingSpool, Samples, Storage, Wav } from "@outdial/core"
import { Factories, Tones } from "@outdial/testkit"
import { Clock, Effect, Fiber, Layer, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as AsteriskMedia from "../../src/audio/AsteriskMedia.ts"
import * as CallRecorder from "../../src/audio/CallRecorder.ts"
import * as MediaLine from "../../src/audio/MediaLine.ts"
import * as TwilioMedia from "../../src/audio/TwilioMedia.ts"
import * as MediaPeers from "./MediaPeers.ts"

const pass = (millis: number) => Effect.replicateEffect(TestClock.adjust(20), millis / 20, { discard: true })

const call = { accountId: Factories.accountId(), callId: Factories.callId() }

type Kind = "asterisk" | "twilio"

/** A recorded call, and what was reported of it. */
const recorded = Effect.fnUntraced(
  function*(kind: Kind = "asterisk", instruction: LineReports.Instruction = "continue") {
    const recordings = yield* Recordings.Recordings
    const reported: Array<CarrierEvent.CarrierEvent["_tag"]> = []
    const format = kind === "asterisk" ? "pcm16" : "mulaw"
    const peer = yield* kind === "asterisk" ? MediaPeers.asterisk(format) : MediaPeers.twilio("MZ1")
    const recorder = yield* CallRecorder.make({
      call,
      format,
      recordings,
      reports: {
        isOfAnother: () => Effect.succeed(false),
        uncharged: () => Effect.die("not asked"),
        callToEnd: () => Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "not asked" })),
        report: ({ event }) => {
          reported.push(event._tag)
          return Effect.succeed(instruction)
        }
      }
    })
    const line = yield* MediaLine.make({
      dialect: kind === "asterisk" ? AsteriskMedia.dialect : TwilioMedia.dialect("MZ1"),
      format,
      receive: MediaLine.from(peer.messages),
      send: peer.send,
      close: peer.close,
      hangUp: peer.close,
      press: () => Effect.void,
      ...recorder.listener
    })
    const tone = (hertz: number, millis: number) => Tones.tone({ format, hertz, millis })
    /** Both channels, and their rate. */
    const read = Effect.gen(function*() {
      const { bytes, mediaType } = Option.getOrThrow(yield* recordings.get(call))
      assert.strictEqual(mediaType, "audio/wav")
      const header = Wav.read(bytes)
      if (header._tag !== "Known") return assert.fail("It is no WAV file")
      assert.strictEqual(header.format.channels, 2)
      assert.strictEqual(new DataView(bytes.buffer).getUint32(40, true), bytes.length - 44)
      const samples = Samples.fromLittleEndian(bytes.subarray(header.dataAt))
      const channel = (index: number) => samples.filter((_, at) => at % 2 === index)
      return { contact: channel(0), agent: channel(1), rate: header.format.sampleRate }
    })
    return { ...peer, line, recorder, reported, read, tone }
  }
)

const testing = Effect.provide(Recordings.Recordings.layerMemory)

for (const kind of ["asterisk", "twilio"] as const) {
  describe(`the recording of a call over ${kind}`, () => {
    it.effect("has each voice on its own side, at its time", () =>
      Effect.gen(function*() {
        const { line, read, recorder, reported, says, tone } = yield* recorded(kind)
        yield* pass(1_000)
        yield* line.play(tone(440, 2_000))
        yield* pass(3_000)
        yield* Effect.forkChild(says(tone(880, 1_000)))
        yield* pass(500)
        // The agent interrupts the contact.
        yield* line.play(tone(660, 500))
        yield* pass(8_500)
        yield* Effect.forkChild(says(tone(1_100, 500)))
        yield* pass(1_000)
        yield* line.hangUp
        yield* pass(20)
        yield* recorder.finish
        assert.deepStrictEqual(reported, ["Recorded"])
        const { agent, contact, rate } = yield* read
        for (
          const [side, hertz, from, to] of [
            [agent, 440, 1_000, 3_000],
            [agent, 660, 4_500, 5_000],
            [contact, 880, 4_000, 5_000],
            [contact, 1_100, 13_000, 13_500]
          ] as const
        ) {
          const found = Tones.heard(side, rate, hertz)
          // Twilio is 40 ms away: its sound comes so much later, and so does what is known of ours.
          const tolerance = kind === "twilio" ? 100 : 40
          assert.closeTo(found?.from ?? 0, from, tolerance, `the beginning of ${hertz}`)
          assert.closeTo(found?.to ?? 0, to, tolerance, `the end of ${hertz}`)
          assert.isUndefined(Tones.heard(side === agent ? contact : agent, rate, hertz), "it is not on the other side")
        }
      }).pipe(testing))

    it.effect("has what the contact has heard until the end, when either side hangs up", () =>
      Effect.gen(function*() {
        for (const ends of ["we", "the contact"] as const) {
          const { close, line, read, recorder, tone } = yield* recorded(kind)
          yield* line.play(tone(440, 3_000))
          yield* pass(1_300)
          yield* ends === "we" ? line.hangUp : close
          yield* pass(100)
          yield* recorder.finish
          const { agent, rate } = yield* read
          const { from, to } = Tones.heard(agent, rate, 440) ?? assert.fail("The agent is not recorded")
          // Of Twilio it is known 80 ms later.
          assert.closeTo(to - from, 1_300, kind === "twilio" ? 100 : 20, `${ends} hang up`)
        }
      }).pipe(testing))

    it.effect("has only what the contact has heard", () =>
      Effect.gen(function*() {
        const { line, read, recorder, tone } = yield* recorded(kind)
        yield* line.play(tone(440, 3_000))
        yield* pass(1_000)
        const clearing = yield* Effect.forkChild(line.clear, { startImmediately: true })
        yield* pass(200)
        const played = yield* Fiber.join(clearing)
        yield* line.hangUp
        yield* recorder.finish
        const { agent, rate } = yield* read
        const { from, to } = Tones.heard(agent, rate, 440) ?? assert.fail("The agent is not recorded")
        assert.closeTo(to - from, played, 20)
      }).pipe(testing))
  })
}

describe("the recording of a call", () => {
  it.effect("takes memory for seconds of it, and its file for all of it", () =>
    Effect.gen(function*() {
      let appended = 0
      let open = 0
      const spool = Layer.succeed(RecordingSpool.RecordingSpool, {
        open: Effect.acquireRelease(
          Effect.sync(() => {
            open += 1
            return {
              append: (bytes: Uint8Array) => Effect.sync(() => void (appended += bytes.length)),
              bytes: Stream.fromIterable({
                *[Symbol.iterator]() {
                  for (let left = appended; left > 0; left -= 1_000_000) yield new Uint8Array(Math.min(left, 1_000_000))
                }
              })
            }
          }),
          () => Effect.sync(() => void (open -= 1))
        )
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const { line, recorder, tone } = yield* recorded("twilio")
        const audio = tone(880, 20)
        for (let seconds = 1; seconds <= 120; seconds += 1) {
          for (let at = (seconds - 1) * 1_000; at < seconds * 1_000; at += 20) {
            recorder.listener.onSound("contact", { at, audio })
            recorder.listener.onSound("agent", { at, audio })
          }
          yield* TestClock.adjust("1 second")
          // Two channels of 16 bits at 8 kHz.
          if (seconds > 10) assert.closeTo(appended / 32_000, seconds - 1, 1)
        }
        yield* line.hangUp
        yield* recorder.finish
        assert.closeTo(appended / 32_000, 120, 0.1)
      })).pipe(Effect.provide(spool))
      assert.strictEqual(open, 0)
    }).pipe(testing))

  it.effect("is written while the contact goes on and the agent is silent", () =>
    Effect.gen(function*() {
      let appended = 0
      const spool = Layer.succeed(RecordingSpool.RecordingSpool, {
        open: Effect.succeed({
          append: (bytes: Uint8Array) => Effect.sync(() => void (appended += bytes.length)),
          bytes: Stream.empty
        })
      })
      yield* Effect.scoped(Effect.gen(function*() {
        const { says, tone } = yield* recorded("twilio")
        yield* Effect.forkChild(says(tone(880, 10_000)))
        yield* pass(10_000)
        // Ten seconds, at two channels of 16 bits at 8 kHz.
        assert.closeTo(appended / 32_000, 9, 1)
      })).pipe(Effect.provide(spool))
    }).pipe(testing))

  it.effect("is given up when the disk does not answer, and the call ends", () =>
    Effect.gen(function*() {
      const hanging = Layer.succeed(RecordingSpool.RecordingSpool, {
        open: Effect.succeed({ append: () => Effect.uninterruptible(Effect.never), bytes: Stream.empty })
      })
      const ending = yield* Effect.scoped(Effect.gen(function*() {
        const { line, recorder, reported, says, tone } = yield* recorded().pipe(Effect.provide(hanging))
        yield* Effect.forkChild(says(tone(880, 8_000)))
        yield* pass(8_000)
        yield* line.hangUp
        yield* recorder.finish
        return reported
      })).pipe(Effect.forkChild)
      yield* pass(8_000)
      assert.isUndefined(ending.pollUnsafe())
      yield* pass(5_100)
      assert.deepStrictEqual(yield* Fiber.join(ending), ["NotRecorded"])
    }).pipe(testing))

  for (const what of ["the disk does not open its file", "the storage takes it and never answers"]) {
    it.effect(`is given up when ${what}, and the call ends`, () =>
      Effect.gen(function*() {
        const opens = what.startsWith("the storage")
        let puts = 0
        const hangs = Effect.uninterruptible(Effect.never)
        const storage = yield* Recordings.Recordings
        const hanging = Layer.merge(
          opens ? Layer.empty : Layer.succeed(RecordingSpool.RecordingSpool, { open: hangs }),
          Layer.succeed(Recordings.Recordings, {
            ...storage,
            putStream: () => Effect.andThen(Effect.sync(() => void (puts += 1)), hangs)
          })
        )
        const ending = yield* Effect.scoped(Effect.gen(function*() {
          const { line, recorder, reported, says, tone } = yield* recorded().pipe(Effect.provide(hanging))
          yield* Effect.forkChild(says(tone(880, 1_000)))
          yield* pass(1_000)
          yield* line.hangUp
          yield* recorder.finish
          return reported
        })).pipe(Effect.forkChild)
        yield* pass(1_000)
        yield* pass(4_000)
        assert.isUndefined(ending.pollUnsafe())
        assert.strictEqual(puts, opens ? 1 : 0)
        yield* pass(opens ? 27_000 : 2_000)
        assert.deepStrictEqual(yield* Fiber.join(ending), ["NotRecorded"])
      }).pipe(testing))
  }

  it.effect("is removed when the storage has it after it was given up, and is waited for while it is taken", () =>
    Effect.gen(function*() {
      const storage = yield* Recordings.Recordings
      let isStored = false
      const slow = Layer.succeed(Recordings.Recordings, {
        ...storage,
        // A piece every 10 seconds, and then a minute without a word.
        putStream: (key, recording) =>
          Effect.andThen(
            Stream.runForEach(recording.bytes, () => Effect.sleep("10 seconds")),
            storage.put(key, { mediaType: recording.mediaType, bytes: new Uint8Array(44) }).pipe(
              Effect.andThen(Effect.sync(() => void (isStored = true))),
              Effect.delay("1 minute")
            )
          )
      })
      const ending = yield* Effect.scoped(Effect.gen(function*() {
        const { line, recorder, reported, says, tone } = yield* recorded().pipe(Effect.provide(slow))
        yield* Effect.forkChild(says(tone(880, 3_000)))
        yield* pass(3_000)
        yield* line.hangUp
        yield* recorder.finish
        return reported
      })).pipe(Effect.forkChild)
      yield* pass(3_000)
      // The header and three seconds, in seven pieces or more.
      let seconds = 0
      while (ending.pollUnsafe() === undefined && seconds < 600) {
        yield* TestClock.adjust("10 seconds")
        seconds += 10
      }
      assert.isAtLeast(seconds, 70 + 30)
      assert.deepStrictEqual(yield* Fiber.join(ending), ["NotRecorded"])
      yield* TestClock.adjust("60 seconds")
      assert.isTrue(isStored)
      assert.isFalse(yield* storage.has(call))
    }).pipe(testing))

  it.effect("has no gap when the clock of the machine is set", () =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      let ahead = 0
      const set: Clock.Clock = Object.assign(Object.create(clock), {
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ahead
      })
      const { line, read, recorder, says, tone } = yield* recorded("asterisk").pipe(
        Effect.provideService(Clock.Clock, set)
      )
      yield* Effect.forkChild(says(tone(880, 500)))
      yield* pass(1_000)
      ahead = 3_600_000
      yield* Effect.forkChild(says(tone(880, 500)))
      yield* pass(1_000)
      yield* line.hangUp
      yield* recorder.finish
      const { contact, rate } = yield* read
      assert.isAtMost(contact.length / rate, 2)
    }).pipe(testing))

  it.effect("is removed again when the call must not have one", () =>
    Effect.gen(function*() {
      const { line, recorder, says, tone } = yield* recorded("asterisk", "discard")
      yield* Effect.forkChild(says(tone(880, 300)))
      yield* pass(1_000)
      yield* line.hangUp
      yield* recorder.finish
      const recordings = yield* Recordings.Recordings
      assert.isFalse(yield* recordings.has(call))
    }).pipe(testing))

  it.effect("is reported as none when nothing can be stored", () =>
    Effect.gen(function*() {
      const full = new Recordings.RecordingError({ cause: "full" })
      const broken = [
        Layer.succeed(RecordingSpool.RecordingSpool, { open: Effect.fail(full) }),
        Layer.succeed(RecordingSpool.RecordingSpool, {
          open: Effect.succeed({ append: () => Effect.fail(full), bytes: Stream.empty })
        })
      ]
      for (const spool of broken) {
        const { line, recorder, reported, says, tone } = yield* recorded().pipe(Effect.provide(spool))
        yield* Effect.forkChild(says(tone(880, 1_000)))
        yield* pass(9_000)
        yield* line.hangUp
        yield* recorder.finish
        assert.deepStrictEqual(reported, ["NotRecorded"])
      }
      const { line, recorder, reported } = yield* recorded()
      yield* line.hangUp
      yield* recorder.finish
      assert.deepStrictEqual(reported, ["NotRecorded"], "a call that had no time")
    }).pipe(testing))
})
