import { assert, describe, it } from "@effect/vitest"
import { type Call, RecordingLinks, Recordings, SecretBox, WebCrypto } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Context, DateTime, Effect, Layer, Logger, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createHmac, hkdfSync } from "node:crypto"

const bytesOf = (byte: number) => Buffer.alloc(32, byte)
const keyOf = (byte: number) => Redacted.make(bytesOf(byte).toString("base64"))

/** The box under these keys, the first of which seals. */
const boxOf = (key: number, ...previous: ReadonlyArray<number>) =>
  SecretBox.SecretBox.layer({ key: keyOf(key), previous: previous.map(keyOf) }).pipe(Layer.orDie)

/** A box whose keys do not leave it. */
const closed = SecretBox.SecretBox.layerClosed

const audio = { mediaType: "audio/wav", bytes: new Uint8Array([1]) }

/** Links as a process with this box has them; it has a recording of every call. */
const linksOf = (box: Layer.Layer<SecretBox.SecretBox>, signingKey?: string) =>
  Effect.map(
    Layer.build(
      RecordingLinks.RecordingLinks.layer({
        publicUrl: "https://outdial.test",
        ...(signingKey !== undefined && { signingKey: Redacted.make(signingKey) })
      }).pipe(Layer.provide([
        box,
        WebCrypto.layerWebCrypto,
        Recordings.Recordings.layerOf({
          put: () => Promise.resolve(),
          remove: () => Promise.resolve(),
          get: () => Promise.resolve(audio)
        })
      ]))
    ),
    (context) => Context.get(context, RecordingLinks.RecordingLinks)
  )

const ended: Call.CallRecord = {
  ...Factories.queuedCall(Factories.startFacts()),
  status: "completed",
  hasRecording: true
}

/** What a link to the recording of `ended` carries. */
const claimsOf = (links: RecordingLinks.RecordingLinks["Service"]) =>
  Effect.map(links.make(ended), (link) => {
    const { searchParams } = new URL(Option.getOrThrow(link).url)
    const param = (name: string) => searchParams.get(name) ?? ""
    return { account: param("account"), expires: param("expires"), signature: param("signature") }
  })

/** Whether links of the one open at the other. */
const opens = Effect.fnUntraced(function*(
  from: RecordingLinks.RecordingLinks["Service"],
  at: RecordingLinks.RecordingLinks["Service"]
) {
  const recording = yield* Effect.option(at.open(ended.id, yield* claimsOf(from)))
  return Option.isSome(recording)
})

describe("links to recordings", () => {
  it.effect("open in every process that has the secret key, and in no other", () =>
    Effect.gen(function*() {
      const [one, same, other] = [
        yield* linksOf(boxOf(1)),
        yield* linksOf(boxOf(1)),
        yield* linksOf(boxOf(2))
      ]
      assert.deepStrictEqual([yield* opens(one, same), yield* opens(one, other)], [true, false])
    }))

  it.effect("are signed under the current key, and stay valid under a previous one for their 24 hours", () =>
    Effect.gen(function*() {
      const [before, after, fresh] = [
        yield* linksOf(boxOf(1)),
        yield* linksOf(boxOf(3, 2, 1)),
        yield* linksOf(boxOf(3))
      ]
      assert.isTrue(yield* opens(after, fresh))
      const claims = yield* claimsOf(before)
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* after.open(ended.id, claims), audio)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* Effect.flip(after.open(ended.id, claims)))._tag, "NotFound")
    }))

  it.effect("are signed by a key of their own, which HKDF makes from the secret key", () =>
    Effect.gen(function*() {
      const { account, expires, signature } = yield* claimsOf(yield* linksOf(boxOf(1)))
      const key = Buffer.from(hkdfSync("sha256", bytesOf(1), "", "outdial recording links", 32))
      const signed = `recording.${account}.${ended.id}.${expires}`
      assert.strictEqual(signature, createHmac("sha256", key).update(signed).digest("base64url"))
    }))

  it.effect("are signed by a key that the host gives, when it gives one", () =>
    Effect.gen(function*() {
      const [one, same, derived] = [
        yield* linksOf(boxOf(1), "ours"),
        yield* linksOf(closed, "ours"),
        yield* linksOf(boxOf(1))
      ]
      assert.deepStrictEqual([yield* opens(one, same), yield* opens(one, derived)], [true, false])
    }))

  it.effect("end with their process, with a warning, when keys do not leave the secret box and none is given", () =>
    Effect.gen(function*() {
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const [one, other] = yield* Effect.provide(Effect.all([linksOf(closed), linksOf(closed)]), logger)
      assert.deepStrictEqual([yield* opens(one, one), yield* opens(one, other)], [true, false])
      assert.lengthOf(said.filter((text) => text.includes("Give signingKey")), 2)
    }))

  it.effect("open with no other spelling of what they carry", () =>
    Effect.gen(function*() {
      const links = yield* linksOf(boxOf(1))
      const claims = yield* claimsOf(links)
      const { expires, signature } = claims
      const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/".split("")
        .map((letter) => signature.slice(0, -1) + letter)
        .filter((other) => other !== signature)
      const others = [
        ...[...last, `${signature}=`, signature.replaceAll("-", "+").replaceAll("_", "/") + "=", ` ${signature}`]
          .map((signature) => ({ ...claims, signature })),
        ...[`0${expires}`, `+${expires}`, ` ${expires}`, `${expires}.0`, "Infinity", "NaN", ""]
          .map((expires) => ({ ...claims, expires }))
      ]
      for (const other of others) {
        assert.strictEqual((yield* Effect.flip(links.open(ended.id, other)))._tag, "NotFound", JSON.stringify(other))
      }
      const until = DateTime.makeUnsafe(Number(expires) * 1000)
      assert.strictEqual(DateTime.formatIso(until), "1970-01-02T00:00:00.000Z")
    }))
})
