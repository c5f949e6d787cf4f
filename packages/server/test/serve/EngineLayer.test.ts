import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { RecordingLinks, Recordings, SecretBox, SimulatedTelephony, WebCrypto, WebhookTransport } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as EngineLayer from "../../src/serve/EngineLayer.ts"

const keyOf = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))

const publicUrl = "https://calls.example.com"

/** Has a recording of every call. */
const recordings = Recordings.Recordings.layerOf({
  put: () => Promise.resolve(),
  remove: () => Promise.resolve(),
  get: () => Promise.resolve({ mediaType: "audio/wav", bytes: new Uint8Array([1]) })
})

const linksOf = <E>(layer: Layer.Layer<RecordingLinks.RecordingLinks, E>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, RecordingLinks.RecordingLinks))

describe("the engine of a server", () => {
  it.live(
    "opens links to recordings that were signed under a key that is now a previous one",
    () =>
      Effect.gen(function*() {
        const before = yield* linksOf(
          RecordingLinks.RecordingLinks.layer({ publicUrl }).pipe(
            Layer.provide([SecretBox.SecretBox.layer({ key: keyOf(1) }), recordings, WebCrypto.layerWebCrypto])
          )
        )
        const server = yield* linksOf(
          EngineLayer.layer({
            location: { _tag: "Memory" },
            publicUrl,
            secretKeys: { key: keyOf(2), previous: [keyOf(1)] },
            telephony: SimulatedTelephony.layer(),
            recordings,
            transport: WebhookTransport.WebhookTransport.layerNowhere
          }).pipe(Layer.provide(NodeFileSystem.layer))
        )
        const call = {
          ...Factories.queuedCall(Factories.startFacts()),
          status: "completed" as const,
          hasRecording: true
        }
        const { searchParams } = new URL(Option.getOrThrow(yield* before.make(call)).url)
        const param = (name: string) => searchParams.get(name) ?? ""
        const claims = { account: param("account"), expires: param("expires"), signature: param("signature") }
        assert.strictEqual((yield* server.open(call.id, claims)).mediaType, "audio/wav")
      }),
    120_000
  )
})
