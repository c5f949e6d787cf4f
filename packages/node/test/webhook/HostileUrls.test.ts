import { assert, describe, it } from "@effect/vitest"
import { WebhookTransport } from "@outdial/core"
import { Effect, Option } from "effect"
import { AddressGate, GatedTransport } from "../../src/index.ts"
import * as GatedConnector from "../../src/webhook/GatedConnector.ts"
import * as HostileUrls from "./HostileUrls.ts"

/** A resolver that returns public addresses: these URLs are refused whatever DNS returns. */
const gullible: GatedConnector.Resolve = () => Effect.succeed(["93.184.215.14"])

const refusedByTransport = Effect.fnUntraced(function*(url: string) {
  const { refuses, send } = yield* WebhookTransport.WebhookTransport
  assert.isTrue(Option.isSome(refuses(url)), `${url} may be set`)
  const error = yield* Effect.flip(send({ url, headers: {}, body: "{}" }))
  assert.strictEqual(error.errorCode, "blocked_address", url)
})

const strict = Effect.provide(GatedTransport.layer({ resolve: gullible }))
const developing = Effect.provide(GatedTransport.layer({ resolve: gullible, loopback: true }))

/** Whether the connection itself is refused, for URLs that parse. It is the last check and independent of the others. */
const refusedAtConnection = (url: string) => {
  const parsed = URL.parse(url)
  if (parsed === null) return Effect.void
  return Effect.map(Effect.flip(GatedConnector.permitted(parsed, {}, gullible)), ({ _tag }) => {
    assert.strictEqual(_tag, "BlockedAddress", url)
  })
}

describe("hostile URLs", () => {
  for (const [what, hosts] of Object.entries(HostileUrls.literals)) {
    it.effect(`refuses ${what}, on every port and scheme`, () =>
      Effect.forEach(
        hosts,
        (host) =>
          Effect.forEach([`https://${host}/`, `https://${host}:8443/x`, `http://${host}:8080/`], refusedByTransport)
      ).pipe(
        strict
      ))
  }

  it.effect("refuses literals inside the network at the connection too, when nothing was asked before", () => {
    const { "loopback, in look-alikes that URLs fold": lookAlikes = [], ...others } = HostileUrls.literals
    const { "public literals, whose holder nobody vouches for": _, ...inside } = others
    const addresses = [...Object.values(inside).flat(), ...lookAlikes.filter((host) => !/[lｌLＬⓛ]/.test(host))]
      .filter((host) => host !== "%6c%6f%63%61%6c%68%6f%73%74")
    return Effect.forEach(addresses, (host) => refusedAtConnection(`https://${host}/`), { discard: true })
  })

  it.effect("lets only the two written forms of loopback through while developing", () =>
    Effect.gen(function*() {
      const { refuses } = yield* WebhookTransport.WebhookTransport
      const hosts = Object.values(HostileUrls.literals).flat().filter((host) => host !== "127.0.0.1")
      for (const host of [...hosts, ...HostileUrls.names.filter((name) => name !== "localhost")]) {
        assert.isTrue(Option.isSome(refuses(`http://${host}/`)), host)
      }
      assert.isTrue(Option.isNone(refuses("http://127.0.0.1:1/")))
      assert.isTrue(Option.isNone(refuses("http://localhost:1/")))
    }).pipe(developing))

  it.effect("refuses names of this machine and its neighbourhood", () =>
    Effect.forEach(HostileUrls.names, (name) => refusedByTransport(`https://${name}/`)).pipe(strict))

  it.effect("refuses other schemes, ports, credentials, and what parsers disagree about", () =>
    Effect.forEach(HostileUrls.wholes, refusedByTransport).pipe(strict))

  it("gives every refusal in words that follow \"url\"", () => {
    for (const url of HostileUrls.wholes) {
      assert.match(Option.getOrElse(AddressGate.refuses(url, {}), () => ""), /^(must|may) /, url)
    }
  })
})

describe("hostile answers of DNS", () => {
  it.effect.each(HostileUrls.answers.map((answers): [string, ReadonlyArray<string>] => [answers.join(" "), answers]))(
    "refuses a name that leads to %s",
    ([, answers]) =>
      Effect.gen(function*() {
        const { send } = yield* WebhookTransport.WebhookTransport
        const error = yield* Effect.flip(send({ url: "https://hooks.example.com/", headers: {}, body: "{}" }))
        assert.strictEqual(error.errorCode, "blocked_address")
      }).pipe(Effect.provide(GatedTransport.layer({ resolve: () => Effect.succeed(answers) })))
  )

  it.effect("treats no answer as a failure of DNS", () =>
    Effect.gen(function*() {
      const { send } = yield* WebhookTransport.WebhookTransport
      const error = yield* Effect.flip(send({ url: "https://hooks.example.com/", headers: {}, body: "{}" }))
      assert.strictEqual(error.errorCode, "dns_error")
    }).pipe(Effect.provide(GatedTransport.layer({ resolve: () => Effect.succeed([]) }))))

  it.effect.each(["EMFILE", "ENFILE", "ENOBUFS"])(
    "does not take %s, a fault of this machine, for one of the receiver",
    (code) =>
      Effect.gen(function*() {
        const { send } = yield* WebhookTransport.WebhookTransport
        const error = yield* Effect.flip(send({ url: "https://hooks.example.com/", headers: {}, body: "{}" }))
        assert.strictEqual(error.errorCode, "sender_exhausted")
      }).pipe(Effect.provide(GatedTransport.layer({
        resolve: () => Effect.fail(new GatedConnector.DnsFailed({ cause: Object.assign(new Error(code), { code }) }))
      })))
  )

  it.live(
    "asks once per connection, so that a name cannot change between the check and the connection",
    () =>
      Effect.gen(function*() {
        // The first is of a block that was never given out, and leads nowhere; any later answer would be this machine.
        const answers = ["2d00::1"]
        let asked = 0
        const rebinding: GatedConnector.Resolve = () =>
          Effect.sync(() => {
            asked += 1
            return [answers.shift() ?? "127.0.0.1"]
          })
        const connector = GatedConnector.make({}, rebinding)
        const target = { hostname: "hooks.example.com", host: "hooks.example.com", port: "443", protocol: "https:" }
        const outcome = yield* Effect.callback<Error | null>((resume) => {
          connector(target, (...[error]) => resume(Effect.succeed(error)))
        })
        assert.notStrictEqual(outcome, null)
        assert.notInstanceOf(outcome, GatedConnector.BlockedAddress)
        assert.strictEqual(asked, 1)
      }),
    120_000
  )
})
