import { assert, describe, it } from "@effect/vitest"
import { MemoryStorage, Outdial, Recordings, WebhookTransport } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { Context, Effect, Layer, Queue } from "effect"

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")

const publicUrl = "https://calls.example.com"

const open = (options: Outdial.Options) =>
  Effect.acquireRelease(
    Effect.promise(() => Outdial.open({ policy: { callingHours: null }, publicUrl, speed: 1000, ...options })),
    (engine) => Effect.promise(() => engine.close())
  )

/** The link in the event of a call that a worker has dialed, and what all processes share. */
const linkFromWorker = Effect.gen(function*() {
  const shared = yield* Layer.build(Layer.merge(MemoryStorage.layer, Recordings.Recordings.layerMemory))
  const bodies = yield* Queue.unbounded<string>()
  const transport = Layer.effect(
    WebhookTransport.WebhookTransport,
    Effect.map(WebhookTransport.WebhookTransport, (nowhere) => ({
      ...nowhere,
      send: (request: WebhookTransport.Request) =>
        Effect.andThen(Queue.offer(bodies, request.body), nowhere.send(request))
    }))
  ).pipe(Layer.provide(WebhookTransport.WebhookTransport.layerNowhere))
  const recordings = Layer.succeed(Recordings.Recordings, Context.get(shared, Recordings.Recordings))
  const places = { storage: Layer.succeedContext(shared), recordings, transport }
  const worker = yield* open({
    ...places,
    secretKey: keyOf(1),
    agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
  })
  yield* Effect.promise(async () => {
    await worker.webhook.set({ url: "https://example.com/hook" })
    const [agent] = await worker.agents.list()
    await worker.calls.start({ agentId: agent?.id ?? "", phoneNumber: "+14155550100" })
  })
  const event = JSON.parse(yield* Queue.take(bodies))
  assert.strictEqual(event.type, "call.completed")
  const link: string = event.data.recording_url
  assert.isTrue(link.startsWith(publicUrl), link)
  return { link, places }
})

/** How an API process with these options answers the link. */
const answer = Effect.fnUntraced(function*(link: string, options: Outdial.Options) {
  const engine = yield* open({ ...options, workers: false })
  const { status } = yield* Effect.promise(async () => (await WebHandler.over(engine))(new Request(link)))
  return status
})

describe("a link to a recording in an event that a worker sent", () => {
  it.live(
    "opens at an API process with the same secret key, or with that key as a previous one, and at no other",
    () =>
      Effect.gen(function*() {
        const { link, places } = yield* linkFromWorker
        assert.strictEqual(yield* answer(link, { ...places, secretKey: keyOf(1) }), 200)
        const rotated = { secretKey: keyOf(2), previousSecretKeys: [keyOf(3), keyOf(1)] }
        assert.strictEqual(yield* answer(link, { ...places, ...rotated }), 200)
        const { storage: _, ...apart } = places
        assert.strictEqual(yield* answer(link, { ...apart, secretKey: keyOf(2) }), 404)
      }),
    120_000
  )
})
