import { assert, it } from "@effect/vitest"
import { Engine, Events, SecretBox, WebhookSigner, WebhookTransport } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Layer, Option, Ref } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Steps from "../support/EventSteps.ts"
import * as Instant from "../support/Instant.ts"
import * as Receiver from "../support/Receiver.ts"

type Reason = SecretBox.SecretBoxError["reason"]

/** Runs the test over a receiver, and secrets of which those that `fails` gives a reason for cannot be opened. */
const onReceiver = <A, E, R>(
  test: (options: {
    readonly receiver: Effect.Success<typeof Receiver.make>
    readonly breaks: (fails: (ciphertext: string) => Reason | undefined) => Effect.Effect<void>
  }) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function*() {
    const receiver = yield* Receiver.make
    const fails = yield* Ref.make<(ciphertext: string) => Reason | undefined>(() => undefined)
    const secretBox = Layer.effect(
      SecretBox.SecretBox,
      Effect.map(SecretBox.SecretBox, (box) => ({
        ...box,
        open: Effect.fnUntraced(function*(owner, sealed) {
          const reason = (yield* Ref.get(fails))(sealed.ciphertext)
          if (reason !== undefined) return yield* new SecretBox.SecretBoxError({ reason, keyId: sealed.keyId })
          return yield* box.open(owner, sealed)
        })
      }))
    ).pipe(Layer.provide(Instant.options.secretBox))
    const layer = TestEngine.layer({ ...Instant.options, secretBox, transport: receiver.layer })
    return yield* Effect.provide(test({ receiver, breaks: (next) => Ref.set(fails, next) }), layer)
  })

/** Of the only delivery there is. */
const log = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const events = yield* Events.Events
  const { items: [delivery] } = yield* events.listDeliveries(accountId, {}, { limit: 10, after: Option.none() })
  return delivery?.attempts.map(({ errorCode }) => errorCode)
})

describe("a delivery that cannot be sent", () => {
  const [thrown, silent] = [Effect.die(new Error("a bug in the host")), Effect.never]
  const hosts: ReadonlyArray<readonly [string, Effect.Effect<never>, "signing_failed" | "timeout"]> = [
    ["signer throws", thrown, "signing_failed"],
    ["signer never answers", silent, "timeout"]
  ]
  it.effect.each(hosts)(
    "because the host's %s is tried again, and is in the log",
    ([_, fails, errorCode]) =>
      Effect.gen(function*() {
        const receiver = yield* Receiver.make
        const isBroken = yield* Ref.make(true)
        const signer = Layer.succeed(WebhookSigner.WebhookSigner, {
          sign: (_, { id }) =>
            Effect.flatMap(Ref.get(isBroken), (broken) => broken ? fails : Effect.succeed({ "webhook-id": id }))
        })
        yield* Effect.gen(function*() {
          yield* Steps.setWebhook()
          const id = yield* Steps.event
          yield* Effect.flatMap(Engine.Engine, ({ run }) => Effect.forkScoped(run))
          yield* TestClock.adjust("16 seconds")
          yield* Ref.set(isBroken, false)
          yield* TestClock.adjust("10 minutes")
          assert.deepStrictEqual((yield* log)?.[0], errorCode)
          assert.deepStrictEqual(yield* receiver.count([id]), { lost: 0, duplicated: 0 })
        }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, signer, transport: receiver.layer })))
      })
  )

  it.effect("because the host's key service throws is tried again, and is in the log", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make
      const isBroken = yield* Ref.make(true)
      const secretBox = Layer.effect(
        SecretBox.SecretBox,
        Effect.map(SecretBox.SecretBox, (box) => ({
          ...box,
          open: (...secret) => Effect.flatMap(Ref.get(isBroken), (broken) => broken ? thrown : box.open(...secret))
        }))
      ).pipe(Layer.provide(Instant.options.secretBox))
      yield* Effect.gen(function*() {
        yield* Steps.setWebhook()
        const id = yield* Steps.event
        yield* TestEngine.advance("1 second")
        yield* Ref.set(isBroken, false)
        yield* TestEngine.advance("1 hour")
        assert.deepStrictEqual(yield* log, ["signing_failed", undefined])
        assert.deepStrictEqual(yield* receiver.count([id]), { lost: 0, duplicated: 0 })
      }).pipe(Effect.provide(TestEngine.layer({ ...Instant.options, secretBox, transport: receiver.layer })))
    }))

  it.effect("for a key service that is away is tried a few times an hour, logged three times, and goes out then", () =>
    onReceiver(({ breaks, receiver }) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* breaks(() => "unavailable")
        const id = yield* Steps.event
        yield* TestEngine.advance("10 days")
        assert.deepStrictEqual(yield* log, ["signing_failed", "signing_failed", "signing_failed"])
        assert.isTrue((yield* Steps.getWebhook).enabled)
        assert.lengthOf(yield* receiver.attempts, 0)
        yield* breaks(() => undefined)
        yield* TestEngine.advance("15 minutes")
        assert.deepStrictEqual(yield* receiver.count([id]), { lost: 0, duplicated: 0 })
        assert.deepStrictEqual((yield* log)?.at(-1), undefined)
      })
    ))

  it.effect("because this process has no sockets left uses up no attempt and does not count against the receiver", () =>
    onReceiver(({ receiver }) =>
      Effect.gen(function*() {
        yield* Steps.setWebhook()
        yield* receiver.behave(() =>
          Effect.fail(new WebhookTransport.TransportFailed({ errorCode: "sender_exhausted", cause: "EMFILE" }))
        )
        const startedAt = yield* DateTime.now
        const id = yield* Steps.event
        yield* TestEngine.advance("1 day")
        const times = (yield* receiver.attempts).map(({ at }) => Duration.toMinutes(DateTime.distance(startedAt, at)))
        assert.deepStrictEqual(times.slice(0, 6), [0, 1, 3, 7, 15, 30])
        assert.isTrue((yield* Steps.getWebhook).enabled)
        yield* receiver.behave(Receiver.answering(200))
        yield* TestEngine.advance("15 minutes")
        assert.deepStrictEqual(yield* receiver.count([id]), { lost: 0, duplicated: 0 })
      })
    ))

  it.effect("is none when only an earlier secret in its grace cannot be opened", () =>
    onReceiver(({ breaks, receiver }) =>
      Effect.gen(function*() {
        const { secret: before } = yield* Steps.setWebhook()
        yield* Steps.rotateSecret
        yield* breaks((ciphertext) => ciphertext === before ? "unknown_key" : undefined)
        const id = yield* Steps.event
        yield* TestEngine.drain
        assert.deepStrictEqual(yield* receiver.count([id]), { lost: 0, duplicated: 0 })
      })
    ))
})
