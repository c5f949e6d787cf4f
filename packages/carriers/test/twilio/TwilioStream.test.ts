import { assert, describe, it } from "@effect/vitest"
import { type CarrierEvent, type CarrierRoutes, type Conversations, Ids } from "@outdial/core"
import { type Cause, Effect, Fiber, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as TwilioStream from "../../src/twilio/TwilioStream.ts"

const call = { accountId: Ids.AccountId.make("acct_1"), callId: Ids.CallId.make("call_1") }

const startOf = (callSid: string) => ({
  event: "start",
  streamSid: "MZ1",
  start: { accountSid: "AC1", callSid, mediaFormat: { encoding: "audio/x-mulaw", sampleRate: 8_000 } }
})

/** The end of a socket that says these messages, and then nothing. */
const opened = Effect.fnUntraced(function*(...said: ReadonlyArray<unknown>) {
  const messages = yield* Queue.unbounded<string | Uint8Array, Cause.Done>()
  const closed: Array<number> = []
  const reported: Array<CarrierEvent.CarrierEvent["_tag"]> = []
  let held = 0
  const socket: CarrierRoutes.Socket = {
    messages: Stream.fromQueue(messages),
    send: () => Effect.void,
    close: (code = 1000) => Effect.sync(() => void closed.push(code))
  }
  const conversations: Conversations.Conversations["Service"] = {
    hold: () => Effect.sync(() => (held += 1, "over" as const)),
    holding: () => Effect.succeed("none")
  }
  yield* Effect.forEach(said, (one) => Queue.offer(messages, typeof one === "string" ? one : JSON.stringify(one)))
  const running = yield* Effect.forkChild(TwilioStream.hold(call, socket, {
    conversations,
    report: (_, id, event) => Effect.sync(() => (reported.push(event._tag), id === "CA1")),
    idOf: ({ accountSid, callSid }) => accountSid === "AC1" ? callSid : undefined,
    hangUp: () => Effect.void,
    isOver: () => Effect.succeed(true),
    transfer: () => Effect.succeed(false)
  }))
  return { running, seen: () => ({ closed, reported, held }) }
})

describe("a socket of Media Streams", () => {
  it.effect("that never says which call it is is closed after ten seconds", () =>
    Effect.gen(function*() {
      for (const said of [[], [{ event: "connected" }]]) {
        const { running, seen } = yield* opened(...said)
        yield* TestClock.adjust("9900 millis")
        assert.isEmpty(seen().closed)
        yield* TestClock.adjust("200 millis")
        yield* Fiber.join(running)
        assert.deepStrictEqual(seen(), { closed: [1008], reported: [], held: 0 })
      }
    }))

  it.effect("opens no conversation when it says anything else first, or is of another call", () =>
    Effect.gen(function*() {
      const media = { event: "media", media: { payload: "" } }
      for (const said of [["no message", "no message"], [media, media, startOf("CA1")]]) {
        const { running, seen } = yield* opened(...said)
        yield* Fiber.join(running)
        assert.deepStrictEqual(seen(), { closed: [1008], reported: [], held: 0 })
      }
      const twin = yield* opened({ event: "connected" }, startOf("CA2"))
      yield* Fiber.join(twin.running)
      assert.deepStrictEqual(twin.seen(), { closed: [1000], reported: ["Answered"], held: 0 })
      const ours = yield* opened({ event: "connected" }, startOf("CA1"))
      yield* Fiber.join(ours.running)
      assert.deepStrictEqual(ours.seen(), { closed: [], reported: ["Answered"], held: 1 })
    }))
})
