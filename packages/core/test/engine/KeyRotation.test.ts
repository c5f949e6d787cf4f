import { assert, describe, it } from "@effect/vitest"
import {
  KeyRotation,
  MemoryStorage,
  Outdial,
  SecretBox,
  Storage,
  WebCrypto,
  Webhooks,
  WebhookTransport
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Context, Effect, Fiber, Layer, Option, Redacted, Ref } from "effect"
import { TestClock } from "effect/testing"

const keyOf = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))

/** Boxes under these keys, the first of which seals. */
const boxOf = (key: number, ...previous: ReadonlyArray<number>) =>
  SecretBox.SecretBox.layer({ key: keyOf(key), previous: previous.map(keyOf) }).pipe(Layer.orDie)

/** The secrets as an operator with these keys has them, over the same storage. */
const under = (...keys: readonly [number, ...ReadonlyArray<number>]) =>
  Effect.gen(function*() {
    const layer = KeyRotation.KeyRotation.layer.pipe(
      Layer.provideMerge(boxOf(...keys)),
      Layer.provide([WebCrypto.layerWebCrypto, Storage.layerStores])
    )
    return yield* Effect.all({ secrets: KeyRotation.KeyRotation, box: SecretBox.SecretBox }).pipe(
      Effect.provide(layer, { local: true })
    )
  })

const testing = Effect.provide(TestEngine.layer({ secretBox: boxOf(1) }))

const setUp = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  const first = yield* webhooks.set(accountId, { url: "https://example.com/hook" })
  const second = yield* webhooks.rotateSecret(accountId, {})
  return { accountId, webhooks, shown: [second.secret ?? "", first.secret ?? ""] }
})

/** What storage holds, opened with these keys. */
const opened = Effect.fnUntraced(function*(...keys: readonly [number, ...ReadonlyArray<number>]) {
  const { accountId } = yield* TestEngine.Tenant
  const storage = yield* Storage.Storage
  const endpoint = Option.getOrThrow(yield* storage.webhooks.get(accountId))
  const { box } = yield* under(...keys)
  return yield* Effect.forEach(
    [endpoint.secret, ...endpoint.previousSecrets.map(({ secret }) => secret)],
    (sealed) => Effect.map(box.open(accountId, sealed), Redacted.value)
  )
})

describe("webhook secrets at rest", () => {
  it.effect("are sealed: storage holds none in plain text", () =>
    Effect.gen(function*() {
      const { accountId, shown } = yield* setUp
      const storage = yield* Storage.Storage
      const kept = JSON.stringify(Option.getOrThrow(yield* storage.webhooks.get(accountId)))
      for (const secret of shown) assert.notInclude(kept, secret.slice("whsec_".length, -4))
      assert.deepStrictEqual(yield* opened(1), shown)
    }).pipe(testing))

  it.effect("are identified by their hint without a key", () =>
    Effect.gen(function*() {
      const { accountId, shown, webhooks } = yield* setUp
      assert.strictEqual((yield* webhooks.get(accountId)).secretHint, `whsec_…${shown[0]?.slice(-4)}`)
    }).pipe(testing))

  it.effect("are checked without being opened: an unknown key is named", () =>
    Effect.gen(function*() {
      yield* setUp
      yield* (yield* under(1)).secrets.check
      yield* (yield* under(2, 1)).secrets.check
      const error = yield* Effect.flip((yield* under(2)).secrets.check)
      assert.strictEqual(error._tag, "SecretBoxError")
      assert.deepInclude(error, { reason: "unknown_key", keyId: (yield* under(1)).box.keyIds[0] })
    }).pipe(testing))

  it.effect("are re-encrypted under the current key, earlier ones of a rotation too, and stay the same secrets", () =>
    Effect.gen(function*() {
      const { accountId, shown, webhooks } = yield* setUp
      const before = yield* webhooks.get(accountId)
      const { secrets } = yield* under(2, 1)
      assert.strictEqual(yield* secrets.reencrypt, 1)
      assert.strictEqual(yield* secrets.reencrypt, 0)
      assert.deepStrictEqual(yield* opened(2), shown)
      assert.deepStrictEqual(yield* webhooks.get(accountId), before)
    }).pipe(testing))

  it.effect("are re-encrypted in small sets, however many accounts there are", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const { accountId, webhooks } = yield* setUp
      const account = Option.getOrThrow(yield* storage.accounts.get(accountId))
      yield* Effect.forEach(Array.from({ length: 250 }, (_, index) => index), (index) =>
        Effect.gen(function*() {
          const { id } = yield* storage.accounts.put({ ...account, id: `${accountId}x${index}` as typeof accountId })
          yield* webhooks.set(id, { url: "https://example.com/hook" })
        }))
      const { secrets } = yield* under(2, 1)
      assert.strictEqual(yield* secrets.reencrypt, 251)
      yield* (yield* under(2)).secrets.check
    }).pipe(testing))

  it.effect("stay as they are when one cannot be opened", () =>
    Effect.gen(function*() {
      const { shown } = yield* setUp
      const error = yield* Effect.flip((yield* under(2)).secrets.reencrypt)
      assert.deepInclude(error, { _tag: "SecretBoxError", reason: "unknown_key" })
      assert.deepStrictEqual(yield* opened(1), shown)
    }).pipe(testing))

  /** What an operator with these keys learns about new secrets. */
  const reissued = Effect.fnUntraced(function*(...keys: readonly [number, ...ReadonlyArray<number>]) {
    const told: Array<unknown> = []
    const { secrets } = yield* under(...keys)
    yield* secrets.reissueLost(({ accountId, secret, url }) =>
      Effect.sync(() => told.push({ accountId, url, secret: Redacted.value(secret) }))
    )
    yield* secrets.check
    return told
  })

  it.effect("are replaced when their key is lost, returned once, and others are unchanged", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const { accountId, shown, webhooks } = yield* setUp
      const account = Option.getOrThrow(yield* storage.accounts.get(accountId))
      const { id: other } = yield* storage.accounts.put({ ...account, id: `${accountId}x` as typeof accountId })
      const { secret: kept } = yield* webhooks.set(other, { url: "https://example.org/hook" })
      assert.deepStrictEqual(yield* reissued(2, 1), [])
      assert.deepStrictEqual(yield* opened(1), shown)
      const endpoint = Option.getOrThrow(yield* storage.webhooks.get(other))
      const { box } = yield* under(2, 1)
      const resealed = yield* box.seal(other, Redacted.make(kept ?? ""))
      yield* storage.secrets.replaceWebhookSecrets({
        from: endpoint,
        secret: { ...resealed, hint: "" },
        previousSecrets: []
      })

      const [secret] = yield* reissued(2)
      assert.deepStrictEqual(secret, {
        accountId,
        url: "https://example.com/hook",
        secret: (yield* opened(2))[0]
      })
      assert.lengthOf(yield* opened(2), 1)
      const now = Option.getOrThrow(yield* storage.webhooks.get(other))
      assert.strictEqual(Redacted.value(yield* box.open(other, now.secret)), kept)
      assert.deepStrictEqual(yield* reissued(2), [])
    }).pipe(testing))

  it.effect("stay when only an earlier one is under a key that is lost, which is forgotten", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const { accountId, shown } = yield* setUp
      const from = Option.getOrThrow(yield* storage.webhooks.get(accountId))
      const { box } = yield* under(2)
      const secret = { ...(yield* box.seal(accountId, Redacted.make(shown[0] ?? ""))), hint: "" }
      yield* storage.secrets.replaceWebhookSecrets({ from, secret, previousSecrets: from.previousSecrets })
      assert.deepStrictEqual(yield* reissued(2), [])
      assert.deepStrictEqual(yield* opened(2), shown.slice(0, 1))
    }).pipe(testing))
})

/** Whether the key service is away. */
class Away extends Context.Service<Away, Ref.Ref<boolean>>()("Away") {
  static readonly layer = Layer.effect(Away, Ref.make(false))
}

describe("an engine whose key is missing", () => {
  const broken = Layer.effect(
    SecretBox.SecretBox,
    Effect.gen(function*() {
      const box = yield* SecretBox.SecretBox
      const away = yield* Away
      const unlessAway = <A>(effect: Effect.Effect<A, SecretBox.SecretBoxError>) =>
        Effect.flatMap(Ref.get(away), (isAway) =>
          isAway
            ? Effect.fail(new SecretBox.SecretBoxError({ reason: "unavailable", keyId: box.keyIds[0] }))
            : effect)
      return SecretBox.SecretBox.of({
        ...box,
        seal: (owner, secret) => unlessAway(box.seal(owner, secret)),
        open: (owner, sealed) => unlessAway(box.open(owner, sealed))
      })
    })
  ).pipe(Layer.provide([boxOf(1), Away.layer]))

  it.effect("issues no secret, sends nothing unsigned, and delivers once the key is back", () =>
    Effect.gen(function*() {
      const { accountId, shown, webhooks } = yield* setUp
      const away = yield* Away
      yield* Ref.set(away, true)
      assert.strictEqual((yield* Effect.flip(webhooks.rotateSecret(accountId, {})))._tag, "Unavailable")
      const failed = yield* webhooks.test(accountId)
      assert.deepInclude(failed, { delivered: false, errorCode: "signing_failed" })
      const sent = yield* WebhookTransport.Sent
      assert.deepStrictEqual(yield* Ref.get(sent), [])
      yield* Ref.set(away, false)
      assert.isTrue((yield* webhooks.test(accountId)).delivered)
      assert.lengthOf(yield* Ref.get(sent), 1)
      assert.lengthOf(shown, 2)
    }).pipe(Effect.provide([TestEngine.layer({ secretBox: broken }), Away.layer])))
})

describe("a key service", () => {
  /** How often a secret was opened. */
  class Opened extends Context.Service<Opened, Ref.Ref<number>>()("Opened") {
    static readonly layer = Layer.effect(Opened, Ref.make(0))
  }

  const serviceOf = (open: (box: SecretBox.SecretBox["Service"]) => SecretBox.SecretBox["Service"]["open"]) =>
    Layer.effect(
      SecretBox.SecretBox,
      Effect.gen(function*() {
        const box = yield* SecretBox.SecretBox
        const opened = yield* Opened
        const counted: typeof box.open = (owner, sealed) =>
          Effect.andThen(Ref.update(opened, (n) => n + 1), open(box)(owner, sealed))
        return SecretBox.SecretBox.of({ ...box, open: counted })
      })
    ).pipe(Layer.provide([boxOf(1), Opened.layer]))

  it.effect("is called about once a minute, however many deliveries there are", () =>
    Effect.gen(function*() {
      const { accountId, webhooks } = yield* setUp
      const opened = yield* Opened
      for (let n = 0; n < 5; n++) yield* webhooks.test(accountId)
      assert.strictEqual(yield* Ref.get(opened), 2)
      yield* TestClock.adjust("61 seconds")
      yield* webhooks.test(accountId)
      assert.strictEqual(yield* Ref.get(opened), 4)
      yield* webhooks.rotateSecret(accountId, { gracePeriodSeconds: 0 })
      assert.isTrue((yield* webhooks.test(accountId)).delivered)
      assert.strictEqual(yield* Ref.get(opened), 5)
    }).pipe(Effect.provide([TestEngine.layer({ secretBox: serviceOf((box) => box.open) }), Opened.layer])))

  it.effect("that never answers is not waited for until the lease of a delivery is lost", () =>
    Effect.gen(function*() {
      const { accountId, webhooks } = yield* setUp
      const test = yield* Effect.forkChild(webhooks.test(accountId))
      yield* TestClock.adjust("4 seconds")
      assert.deepInclude(yield* Fiber.join(test), { delivered: false, errorCode: "signing_failed" })
    }).pipe(Effect.provide([TestEngine.layer({ secretBox: serviceOf(() => () => Effect.never) }), Opened.layer])))
})

describe("Outdial.open", () => {
  const ada = { name: "Ada", script: "Hello", questions: [], dispositions: ["yes"] }

  it.live("wants a key when it is given a storage, and none in memory", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Effect.tryPromise(() => Outdial.open({ storage: MemoryStorage.layer })))
      assert.deepInclude(error.cause, { code: "secret_key_missing" })
      const invalid = yield* Effect.flip(Effect.tryPromise(() => Outdial.open({ secretKey: "short" })))
      assert.deepInclude(invalid.cause, { code: "secret_key_invalid" })
      const engine = yield* Effect.promise(() => Outdial.open({ agents: [ada] }))
      assert.strictEqual(yield* Effect.promise(() => engine.reencryptSecrets()), 0)
      yield* Effect.promise(() => engine.close())
    }))

  it.live("refuses to start over secrets whose key it lacks, and re-encrypts those whose key it has", () =>
    Effect.gen(function*() {
      const storage = yield* Storage.Storage
      const options = { agents: [ada], storage: Layer.succeed(Storage.Storage, storage) }
      const open = (more: Partial<Outdial.Options>) => Effect.tryPromise(() => Outdial.open({ ...options, ...more }))
      const [one, two] = [Redacted.value(keyOf(1)), Redacted.value(keyOf(2))]

      const first = yield* open({ secretKey: one })
      const { secret = "" } = yield* Effect.promise(() => first.webhook.set({ url: "https://example.com/hook" }))
      yield* Effect.promise(() => first.close())

      const refused = yield* Effect.flip(open({ secretKey: two }))
      assert.deepInclude(refused.cause, { code: "secret_key_unknown" })

      const second = yield* open({ secretKey: two, previousSecretKeys: [one] })
      assert.strictEqual(yield* Effect.promise(() => second.reencryptSecrets()), 1)
      yield* Effect.promise(() => second.close())

      const third = yield* open({ secretKey: two })
      const hint = (yield* Effect.promise(() => third.webhook.get())).secretHint
      assert.strictEqual(hint, `whsec_…${secret.slice(-4)}`)
      yield* Effect.promise(() => third.close())
    }).pipe(Effect.provide(MemoryStorage.layer)))
})
