/** Recordings over the fake carriers: copied into `Recordings`, in the event, and deleted at the carrier if that was asked for. */
import { assert, describe, it } from "@effect/vitest"
import { TelnyxTelephony } from "@outdial/carriers/telnyx"
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Recordings, type Telephony } from "@outdial/core"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import * as CarrierEngine from "./CarrierEngine.ts"
import * as CheckedTwilio from "../twilio/CheckedTwilio.ts"

/** What the test needs of a fake. */
interface Opened {
  readonly fake: {
    readonly calls: ReadonlyArray<{ readonly id: string; readonly endedAt?: Date }>
    readonly recordings: ReadonlyMap<string, Uint8Array>
    readonly callbacks: ReadonlyArray<{ readonly progress: string; readonly answer: number }>
  }
  readonly layer: (
    publicUrl: string,
    recording: "copy" | "move"
  ) => Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>
}

const { callerId } = CarrierEngine

/** The contact hangs up after its word. */
const behaviour = {
  callee: (): FakeTwilio.Callee => ({ _tag: "Talks", says: ["Hello."], hangsUp: true }),
  timings: { reply: 1_200 }
}

const twilio = (delivery: FakeTwilio.Delivery) =>
  Effect.map(
    Layer.build(
      CheckedTwilio.layer({ ...behaviour, delivery: (_, progress) => progress === "recorded" ? delivery : "sent" })
    ),
    (built): Opened => {
      const fake = Context.get(built, FakeTwilio.FakeTwilio)
      const { accountSid, authToken, url } = fake
      const account = { accountSid, authToken: Redacted.make(authToken), apiUrl: url, callsPerSecond: 100 }
      return {
        fake,
        layer: (publicUrl, recording) => TwilioTelephony.layer({ ...account, callerId, publicUrl, recording })
      }
    }
  )

const telnyx = (delivery: FakeTwilio.Delivery) =>
  Effect.map(
    Layer.build(FakeTelnyx.FakeTelnyx.layer({
      ...behaviour,
      delivery: (_, progress) => progress === "recorded" ? delivery : "sent"
    })),
    (built): Opened => {
      const fake = Context.get(built, FakeTelnyx.FakeTelnyx)
      const { apiKey, connectionId, publicKey, url } = fake
      const account = {
        apiKey: Redacted.make(apiKey),
        connectionId,
        publicKey,
        apiUrl: url,
        charactersPerSecond: 1_000
      }
      return {
        fake,
        layer: (publicUrl, recording) => TelnyxTelephony.layer({ ...account, callerId, publicUrl, recording })
      }
    }
  )

describe.concurrent("a recording", () => {
  it.live("of Telnyx is waited for although Telnyx does not say when the call was answered", () =>
    Effect.gen(function*() {
      const timings = { ...behaviour.timings, recording: 2_000 }
      const built = yield* Layer.build(FakeTelnyx.FakeTelnyx.layer({ ...behaviour, timings }))
      const { account, apiKey, connectionId, publicKey, url } = Context.get(built, FakeTelnyx.FakeTelnyx)
      account.listsEvents = false
      const host = yield* CarrierEngine.open((publicUrl) =>
        TelnyxTelephony.layer({
          apiKey: Redacted.make(apiKey),
          connectionId,
          publicKey,
          apiUrl: url,
          charactersPerSecond: 1_000,
          callerId,
          publicUrl,
          recording: "copy"
        })
      )
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "completed")
      const completed = Effect.promise(async () => (await host.engine.events.list({ type: "call.completed" })).items[0])
      const event = yield* completed.pipe(
        Effect.repeat({ until: (found) => found !== undefined, schedule: Schedule.spaced("50 millis"), times: 2_000 })
      )
      assert.isString(event?.type === "call.completed" ? event.data?.recordingUrl : undefined)
    }))

  it.live("that Twilio has announced and does not have delays no event", () =>
    Effect.gen(function*() {
      const built = yield* Layer.build(CheckedTwilio.layer({ ...behaviour, isSilent: true }))
      const { accountSid, authToken, url } = Context.get(built, FakeTwilio.FakeTwilio)
      const account = { accountSid, authToken: Redacted.make(authToken), apiUrl: url, callsPerSecond: 100 }
      const host = yield* CarrierEngine.open((publicUrl) =>
        TwilioTelephony.layer({ ...account, callerId, publicUrl, recording: "copy" })
      )
      const { id } = yield* CarrierEngine.start(host, "+14155550101")
      assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "completed")
      const endedAt = Date.now()
      const events = yield* Effect.promise(() => host.engine.events.list({ callId: id })).pipe(
        Effect.repeat({ until: ({ items }) => items.length > 0, times: 5_000, schedule: Schedule.spaced("20 millis") })
      )
      assert.deepStrictEqual(events.items.map(({ type }) => type), ["call.completed"])
      // Without the report it comes a minute after the end.
      assert.isBelow(Date.now() - endedAt, 50_000)
      assert.isUndefined((yield* Effect.promise(() => host.engine.calls.get(id))).recordingUrl)
    }))

  for (const [name, opened] of [["Twilio", twilio], ["Telnyx", telnyx]] as const) {
    it.live(`of ${name} is copied although the store fails at first`, () =>
      Effect.gen(function*() {
        const { fake, layer } = yield* opened("sent")
        const kept = new Map<string, Recordings.Recording>()
        let failures = 0
        const recordings = Recordings.Recordings.layerOf({
          put: async ({ callId }, audio) => {
            if (++failures <= 3) throw new Error("The store is away")
            kept.set(callId, audio)
          },
          remove: async () => undefined,
          get: async () => undefined
        })
        const host = yield* CarrierEngine.open((publicUrl) => layer(publicUrl, "copy"), { recordings })
        const { id } = yield* CarrierEngine.start(host, "+14155550101")
        yield* CarrierEngine.ended(host, id)
        yield* CarrierEngine.eventually(() => fake.callbacks.find(({ progress }) => progress === "recorded"))
        assert.strictEqual(Buffer.from(kept.get(id)?.bytes ?? []).toString(), `RIFF recording of ${fake.calls[0]?.id}`)
      }))

    for (
      const [recording, how, delivery] of [
        ["copy", "late", { late: 1_500 }],
        ["move", "doubled", "doubled"]
      ] as const
    ) {
      it.live(`of ${name} is that of the call, with ${recording}, when its callback is ${how}`, () =>
        Effect.gen(function*() {
          const { fake, layer } = yield* opened(delivery)
          const kept = new Map<string, Recordings.Recording>()
          const recordings = Recordings.Recordings.layerOf({
            put: async ({ callId }, audio) => void kept.set(callId, audio),
            remove: async ({ callId }) => void kept.delete(callId),
            get: async ({ callId }) => kept.get(callId)
          })
          const host = yield* CarrierEngine.open((publicUrl) => layer(publicUrl, recording), { recordings })
          const { id } = yield* CarrierEngine.start(host, "+14155550101")
          assert.strictEqual((yield* CarrierEngine.ended(host, id)).status, "completed")
          const [call] = fake.calls
          const answers = () => fake.callbacks.filter(({ progress }) => progress === "recorded")
          yield* CarrierEngine.eventually(() => answers().length === (how === "doubled" ? 2 : 1) ? true : undefined)
          assert.isTrue(answers().every(({ answer }) => answer === 200 || answer === 204))
          assert.strictEqual(Buffer.from(kept.get(id)?.bytes ?? []).toString(), `RIFF recording of ${call?.id}`)
          assert.strictEqual(kept.get(id)?.mediaType, "audio/wav")
          assert.isDefined((yield* Effect.promise(() => host.engine.calls.get(id))).recordingUrl)
          assert.strictEqual(fake.recordings.has(call?.id ?? ""), recording === "copy")
          // The event has waited for it.
          const { items: [completed] } = yield* Effect.promise(() =>
            host.engine.events.list({ type: "call.completed" })
          ).pipe(Effect.repeat({ until: ({ items }) => items.length > 0, schedule: Schedule.spaced("20 millis") }))
          assert.isString(completed?.type === "call.completed" ? completed.data?.recordingUrl : undefined)
        }))
    }
  }
})
