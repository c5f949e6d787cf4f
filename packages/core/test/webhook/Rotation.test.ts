import { assert, describe, it } from "@effect/vitest"
import { Webhooks, WebhookTransport } from "@outdial/core"
import { verifyWebhook } from "@outdial/core/webhooks"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect, Exit, Ref } from "effect"
import { TestClock } from "effect/testing"

const url = "https://example.com/hook"

/** Of the secrets, those with which a receiver believes what is sent now. */
const believed = Effect.fnUntraced(function*(secrets: ReadonlyArray<string | undefined>) {
  const { accountId } = yield* TestEngine.Tenant
  yield* (yield* Webhooks.Webhooks).test(accountId)
  const sent = (yield* Ref.get(yield* WebhookTransport.Sent)).at(-1)
  const { body = "", headers = {} } = sent ?? {}
  const now = (yield* DateTime.now).epochMilliseconds
  const verdicts = yield* Effect.forEach(
    secrets,
    (secret = "") => Effect.exit(Effect.tryPromise(() => verifyWebhook({ body, headers, secret, now })))
  )
  return verdicts.map(Exit.isSuccess)
})

const setUp = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  const rotate = (gracePeriodSeconds?: number) =>
    webhooks.rotateSecret(accountId, { ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) })
  const { secret } = yield* webhooks.set(accountId, { url })
  return { accountId, webhooks, rotate, secret }
})

describe("rotation of a webhook's secret", () => {
  it.effect("lets receivers go on with the secret of before for 24 hours, and not a second longer", () =>
    Effect.gen(function*() {
      const { rotate, secret: first } = yield* setUp
      const { previousSecretExpiresAt, secret: second } = yield* rotate()
      assert.strictEqual(previousSecretExpiresAt?.epochMilliseconds, 24 * 60 * 60 * 1000)
      assert.deepStrictEqual(yield* believed([first, second]), [true, true])
      yield* TestClock.adjust("86399 seconds")
      assert.deepStrictEqual(yield* believed([first, second]), [true, true])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* believed([first, second]), [false, true])
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("keeps two previous secrets valid, each until its own end", () =>
    Effect.gen(function*() {
      const { accountId, rotate, secret: first, webhooks } = yield* setUp
      const { secret: second } = yield* rotate(3600)
      const { secret: third } = yield* rotate(60)
      assert.deepStrictEqual(yield* believed([first, second, third]), [true, true, true])
      const refused = yield* Effect.flip(rotate())
      assert.deepInclude(refused, { _tag: "RotationLimitReached", retryAt: DateTime.makeUnsafe(60_000) })
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* believed([first, second, third]), [true, false, true])
      assert.strictEqual((yield* webhooks.get(accountId)).previousSecretExpiresAt?.epochMilliseconds, 3_600_000)
      const { secret: fourth } = yield* rotate()
      assert.deepStrictEqual(yield* believed([first, second, third, fourth]), [true, false, true, true])
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("ends every secret of before at once with a grace of nothing, as after a leak", () =>
    Effect.gen(function*() {
      const { accountId, rotate, secret: first, webhooks } = yield* setUp
      const { secret: second } = yield* rotate()
      const { secret: third } = yield* rotate()
      const { secret: fourth } = yield* rotate(0)
      assert.deepStrictEqual(yield* believed([first, second, third, fourth]), [false, false, false, true])
      assert.notProperty(yield* webhooks.get(accountId), "previousSecretExpiresAt")
    }).pipe(Effect.provide(TestEngine.layer())))

  it.effect("keeps the secret when the address changes, and issues another after the webhook was removed", () =>
    Effect.gen(function*() {
      const { accountId, secret: first, webhooks } = yield* setUp
      const moved = yield* webhooks.set(accountId, { url: "https://example.org/elsewhere" })
      assert.notProperty(moved, "secret")
      assert.deepStrictEqual(yield* believed([first]), [true])
      yield* webhooks.remove(accountId)
      const { secret: anew } = yield* webhooks.set(accountId, { url })
      assert.deepStrictEqual(yield* believed([first, anew]), [false, true])
    }).pipe(Effect.provide(TestEngine.layer())))
})
