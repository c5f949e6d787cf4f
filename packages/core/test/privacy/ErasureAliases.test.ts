import { assert, it } from "@effect/vitest"
import {
  CalleeErasure,
  DoNotCallList,
  ErasureAliases,
  KeyRotation,
  MemoryStorage,
  SecretBox,
  Storage,
  WebCrypto
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Option, Redacted } from "effect"
import { describe } from "vitest"
import * as Steps from "../support/CallSteps.ts"

const number = "+14155550105"

const key = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))

const box = (byte: number, ...previous: ReadonlyArray<number>) =>
  Layer.orDie(SecretBox.SecretBox.layer({ key: key(byte), previous: previous.map(key) }))

/** The secrets of the storage under other keys, as the command line has them. */
const secrets = (boxed: Layer.Layer<SecretBox.SecretBox>) =>
  Effect.provide(
    KeyRotation.KeyRotation,
    KeyRotation.KeyRotation.layer.pipe(Layer.provide([boxed, WebCrypto.layerWebCrypto, Storage.layerStores])),
    { local: true }
  )

/** Whether an engine with these keys still refuses the number. */
const isRefused = (boxed: Layer.Layer<SecretBox.SecretBox>) =>
  Effect.gen(function*() {
    const { accountId } = yield* TestEngine.Tenant
    const list = yield* DoNotCallList.DoNotCallList
    return yield* Effect.match(list.get(accountId, number), { onFailure: () => false, onSuccess: () => true })
  }).pipe(Effect.provide(
    DoNotCallList.DoNotCallList.layer.pipe(
      Layer.provide(ErasureAliases.ErasureAliases.layer),
      Layer.provide([boxed, WebCrypto.layerWebCrypto, Storage.layerStores])
    ),
    { local: true }
  ))

/** An account that has erased a number which is on its do-not-call list. */
const erased = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const list = yield* DoNotCallList.DoNotCallList
  const callees = yield* CalleeErasure.CalleeErasure
  yield* list.add(accountId, [number])
  yield* callees.erase(accountId, number)
})

const engine = TestEngine.layer({ storage: MemoryStorage.layer, secretBox: box(1) })

describe("the keys of erasures", () => {
  it.effect("are sealed again with the other secrets, and the rules still know the number", () =>
    Effect.gen(function*() {
      yield* erased
      yield* (yield* secrets(box(2, 1))).reencrypt
      assert.isTrue(yield* isRefused(box(2)))
      yield* (yield* secrets(box(2))).check
      assert.strictEqual((yield* Effect.flip((yield* secrets(box(1))).check))._tag, "SecretBoxError")
    }).pipe(Effect.provide(engine)))

  it.effect("are replaced when they are lost, and what the rules knew is lost with them", () =>
    Effect.gen(function*() {
      yield* erased
      const lost = yield* secrets(box(3))
      assert.strictEqual((yield* Effect.flip(lost.check))._tag, "SecretBoxError")
      yield* lost.reissueLost(() => Effect.void)
      yield* lost.check
      assert.isFalse(yield* isRefused(box(3)))
    }).pipe(Effect.provide(engine)))

  it.effect("differ by account and are made once, so that a number has one alias", () =>
    Effect.gen(function*() {
      yield* erased
      const { accountId } = yield* TestEngine.Tenant
      const storage = yield* Storage.Storage
      const first = yield* storage.accounts.get(accountId)
      yield* Steps.start("+14155550115")
      yield* TestEngine.advance("1 minute")
      const callees = yield* CalleeErasure.CalleeErasure
      assert.strictEqual((yield* callees.erase(accountId, "+1 (415) 555-0115")).calls, 1)
      assert.deepStrictEqual(
        Option.map(yield* storage.accounts.get(accountId), ({ erasureKey }) => erasureKey),
        Option.map(first, ({ erasureKey }) => erasureKey)
      )
    }).pipe(Effect.provide(engine)))

  it.effect("are not computed for accounts that have erased no callee", () =>
    Effect.gen(function*() {
      const { id } = yield* Steps.start(number)
      assert.strictEqual((yield* Steps.get(id)).status, "queued")
    }).pipe(Effect.provide(TestEngine.layer({ secretBox: SecretBox.SecretBox.layerClosed }))))
})
