import { assert, it } from "@effect/vitest"
import { EventBodies, Ids, WebCrypto, WebhookSigner } from "@outdial/core"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { describe } from "vitest"
import { handled } from "../../examples/receive-webhooks/handle.ts"
import { receivers } from "../../examples/receive-webhooks/serve.ts"

const secret = `whsec_${"aB3d".repeat(12)}`

/** A delivery of the event, signed now. */
const delivery = Effect.fnUntraced(function*(id: string, signedWith = secret) {
  const signer = yield* WebhookSigner.WebhookSigner
  const body = EventBodies.testEventBody(Ids.EventId.make(id), yield* DateTime.now)
  return { body, headers: yield* signer.sign([Redacted.make(signedWith)], { id, body }) }
})

const post = (url: string, { body, headers }: { readonly body: string; readonly headers: Record<string, string> }) =>
  Effect.promise(() =>
    fetch(url, { method: "POST", body, headers: { ...headers, "content-type": "application/json" } })
  )
    .pipe(Effect.map(({ status }) => status))

const started = (start: (typeof receivers)[keyof typeof receivers]) =>
  Effect.acquireRelease(
    Effect.promise(() => start(secret)),
    ({ close }) => Effect.promise(async () => await close())
  )

describe("a receiver of ten lines", () => {
  for (const [name, start] of Object.entries(receivers)) {
    it.live(`with ${name} handles a genuine event once, however often it comes, and no other`, () =>
      Effect.gen(function*() {
        const { url } = yield* started(start)
        const ours = [`evt_${name}1`, `evt_${name}2`]
        const [first = "", second = ""] = ours
        const statuses = [
          yield* post(url, yield* delivery(first)),
          // Later attempts of the same event have a new signature.
          yield* post(url, yield* delivery(first)),
          yield* post(url, yield* delivery(second)),
          yield* post(url, { ...(yield* delivery(`evt_${name}3`)), body: (yield* delivery(second)).body }),
          yield* post(url, yield* delivery(`evt_${name}4`, `whsec_${"x".repeat(48)}`)),
          yield* post(url, { ...(yield* delivery(`evt_${name}5`)), headers: {} })
        ]
        assert.deepStrictEqual(statuses, [204, 204, 204, 400, 400, 400])
        assert.deepStrictEqual(handled.filter((id) => id.startsWith(`evt_${name}`)), ours)
      }).pipe(Effect.provide(WebhookSigner.WebhookSigner.layer.pipe(Layer.provide(WebCrypto.layerWebCrypto)))))
  }
})
