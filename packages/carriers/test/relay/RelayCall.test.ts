import { assert, describe, it } from "@effect/vitest"
import { type CarrierEvent, type CarrierRoutes, type Conversations, Ids } from "@outdial/core"
import { type Cause, Deferred, Effect, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as RelayCall from "../../src/relay/RelayCall.ts"
import { telnyx, twilio } from "../../src/relay/RelayFrames.ts"

const call = { accountId: Ids.AccountId.make("acct_1"), callId: Ids.CallId.make("call_1") }

const setup = { type: "setup", sessionId: "1", callSid: "CA1" }

/** A socket whose peer is the test. */
const socket = Effect.gen(function*() {
  const messages = yield* Queue.unbounded<string | Uint8Array, Cause.Done>()
  const closed: Array<number> = []
  const given: CarrierRoutes.Socket = {
    messages: Stream.fromQueue(messages),
    send: () => Effect.void,
    close: (code = 1000) => Effect.sync(() => void closed.push(code))
  }
  return {
    given,
    closed,
    say: (frame: unknown) => Queue.offer(messages, typeof frame === "string" ? frame : JSON.stringify(frame)),
    sayBytes: (bytes: Uint8Array) => Queue.offer(messages, bytes),
    leave: Queue.end(messages)
  }
})

/** The process that holds calls, which binds the first id of a call. */
const host = Effect.gen(function*() {
  const reported: Array<readonly [string, CarrierEvent.CarrierEvent["_tag"]]> = []
  const held: Array<Conversations.TextLine> = []
  const isDone = yield* Deferred.make<void>()
  const options: RelayCall.RelayCallOptions = {
    dialect: telnyx,
    conversations: {
      hold: ({ line }) => {
        if ("speak" in line) held.push(line)
        return Effect.as(Deferred.await(isDone), "over" as const)
      }
    },
    report: (_, id, event) => {
      reported.push([id, event._tag])
      return Effect.succeed(reported[0]?.[0] === id)
    },
    idOf: ({ callSid }) => callSid.startsWith("CA") ? callSid : undefined,
    hangUp: () => Effect.void,
    isOver: () => Effect.succeed(true)
  }
  return { options, reported, held, end: Deferred.succeed(isDone, undefined) }
})

describe("a relay's socket", () => {
  for (const dialect of [twilio, telnyx]) {
    it.effect(`that never speaks is closed after ten seconds (${dialect.reportsPlayed ? "Twilio" : "Telnyx"})`, () =>
      Effect.gen(function*() {
        const { closed, given } = yield* socket
        const { held, options, reported } = yield* host
        const running = yield* Effect.forkChild(RelayCall.hold(call, given, { ...options, dialect }))
        yield* TestClock.adjust("9900 millis")
        assert.isEmpty(closed)
        yield* TestClock.adjust("200 millis")
        yield* Fiber.join(running)
        assert.deepStrictEqual([closed, reported, held], [[1008], [], []])
      }))
  }

  it.effect("opens no conversation when it leaves without a word, or says anything else first", () =>
    Effect.gen(function*() {
      for (
        const first of ["no frame", { type: "prompt", voicePrompt: "Hi" }, { ...setup, callSid: "" }, { type: "setup" }]
      ) {
        const { closed, given, say } = yield* socket
        const { held, options, reported } = yield* host
        yield* say(first)
        yield* say(setup)
        yield* RelayCall.hold(call, given, options)
        assert.deepStrictEqual([closed, reported, held], [[1008], [], []], JSON.stringify(first))
      }
      const { closed, given, leave } = yield* socket
      yield* leave
      yield* RelayCall.hold(call, given, (yield* host).options)
      assert.deepStrictEqual(closed, [1008])
    }))

  it.effect("of another call than the one that is bound is closed, and one that comes twice takes the call over", () =>
    Effect.gen(function*() {
      const { end, held, options, reported } = yield* host
      const open = Effect.fnUntraced(function*(callSid: string) {
        const one = yield* socket
        // Bytes are no frames.
        yield* one.sayBytes(new Uint8Array([1, 2, 3]))
        yield* one.say({ ...setup, callSid })
        const running = yield* Effect.forkChild(RelayCall.hold(call, one.given, options), { startImmediately: true })
        yield* TestClock.adjust("1 millis")
        return { ...one, running }
      })
      const first = yield* open("CA1")
      const twin = yield* open("CA2")
      const second = yield* open("CA1")
      assert.deepStrictEqual(reported, [["CA1", "Answered"], ["CA2", "Answered"], ["CA1", "Answered"]])
      assert.deepStrictEqual([first.closed, twin.closed, second.closed, held.length], [[], [1000], [], 2])
      yield* end
      yield* Effect.forEach([first, twin, second], ({ running }) => Fiber.join(running))
    }))
})
