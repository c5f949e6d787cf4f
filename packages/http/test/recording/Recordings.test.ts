import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { WebHandler } from "../../src/index.ts"
import * as Fixture from "../Fixture.ts"

const base = "https://outdial.test"

/** The link to the recording of a call that has just ended, without the service's root. */
const link = Effect.gen(function*() {
  const { body: { id } } = yield* Fixture.send("/v1/calls", { body: yield* Fixture.startCall() })
  yield* TestEngine.advance("10 minutes")
  const { body: call } = yield* Fixture.send(`/v1/calls/${id}`)
  const url: string = call["recording_url"]
  assert.isTrue(url.startsWith(base))
  return url.slice(base.length)
})

/** The status of the answer, or nothing when a client requests the very same address. */
const statusOf = Effect.fnUntraced(function*(link: string, altered: string) {
  const handler = yield* WebHandler
  const request = new Request(base + altered)
  const { pathname, search } = new URL(request.url)
  if (pathname + search === link) return undefined
  return (yield* Effect.promise(() => handler(request))).status
})

/** A digit, letters, and what means something in an address. */
const characters = "0Ag=&%/+".split("")

describe("a link to a recording", () => {
  it.effect(
    "opens in one spelling, and with no single character replaced, added or taken away",
    () =>
      Effect.gen(function*() {
        const original = yield* link
        const handler = yield* WebHandler
        assert.strictEqual((yield* Effect.promise(() => handler(new Request(base + original)))).status, 200)
        const alterations = new Set<string>()
        for (let index = 1; index <= original.length; index++) {
          const [before, char, after] = [original.slice(0, index), original.charAt(index), original.slice(index + 1)]
          alterations.add(before + after)
          for (const other of [...characters, char.toUpperCase(), char.toLowerCase()]) {
            alterations.add(before + other + after)
            alterations.add(before + other + char + after)
          }
          if (char !== "") alterations.add(`${before}%${char.charCodeAt(0).toString(16)}${after}`)
        }
        alterations.delete(original)
        const opened: Array<string> = []
        let refused = 0
        for (const altered of alterations) {
          const status = yield* statusOf(original, altered)
          if (status === 200) opened.push(altered)
          else if (status !== undefined) refused += 1
        }
        assert.deepStrictEqual(opened, [])
        assert.isAbove(refused, 2500)
      }).pipe(Effect.provide(Fixture.layer())),
    120_000
  )

  it.effect("opens with no other last character of its signature, no padding, and no other form of its expiry", () =>
    Effect.gen(function*() {
      const original = yield* link
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".split("")
      const lastOnes = letters.map((letter) => original.slice(0, -1) + letter).filter((other) => other !== original)
      const [, expires = ""] = /expires=(\d+)/.exec(original) ?? []
      const others = ["0", "00", "+", "%20", "%2B"].map((prefix) => original.replace("expires=", `expires=${prefix}`))
      const forms = [`${expires}.0`, `${expires}e0`, `0x${Number(expires).toString(16)}`, `${expires}%20`]
      const altered = [
        ...lastOnes,
        `${original}=`,
        `${original}==`,
        `${original}%3D`,
        `${original}&`,
        ...others,
        ...forms.map((form) => original.replace(expires, form)),
        original.replace("?", "?&"),
        original.replace(/\?(account=[^&]*)&(.*)/, "?$2&$1"),
        original.replace("/v1/", "/%76%31/")
      ]
      for (const link of altered) {
        const status = yield* statusOf(original, link)
        assert.oneOf(status, [400, 404], link)
      }
    }).pipe(Effect.provide(Fixture.layer())))
})
