import { createServer as createSecureServer } from "node:https"
import { type AddressInfo, createServer } from "node:net"
import { networkInterfaces } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { WebCrypto, WebhookSigner, WebhookTransport } from "@outdial/core"
import { Duration, Effect, Layer, Option, Redacted } from "effect"
import { Webhook as StandardWebhook } from "standardwebhooks"
import Stripe from "stripe"
import { Webhook as SvixWebhook } from "svix"
import { GatedTransport } from "../../src/index.ts"
import * as GatedConnector from "../../src/webhook/GatedConnector.ts"
import * as Receiver from "./Receiver.ts"
import * as SelfSigned from "./SelfSigned.ts"

const loopback = GatedTransport.layer({ loopback: true })

const send = (url: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(
    WebhookTransport.WebhookTransport,
    (transport) =>
      transport.send({ url, headers: { "content-type": "application/json", ...headers }, body: "{\"id\":\"evt_1\"}" })
  )

const failure = (url: string) => Effect.map(Effect.flip(send(url)), ({ errorCode }) => errorCode)

describe("GatedTransport", () => {
  it.live("sends a signed delivery that every library verifies, byte for byte", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make((_, response) => response.writeHead(204).end())
      const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU"
      const body = JSON.stringify({ id: "evt_1", object: "event", note: "ä \u2028 🙂" })
      const signer = yield* WebhookSigner.WebhookSigner
      const headers = yield* signer.sign([Redacted.make(secret), Redacted.make(`whsec_${"A".repeat(48)}`)], {
        id: "evt_1",
        body
      })
      const transport = yield* WebhookTransport.WebhookTransport
      const answer = yield* transport.send({
        url: `${receiver.url}?a=b%20c&d#fragment`,
        headers: { "content-type": "application/json", "user-agent": "Outdial-Webhooks/1", ...headers },
        body
      })
      assert.deepStrictEqual(answer, { statusCode: 204, retryAfter: Option.none() })
      const [received] = receiver.deliveries
      assert.isDefined(received)
      assert.deepStrictEqual([received.method, received.url, received.body], ["POST", "/hook?a=b%20c&d", body])
      assert.deepStrictEqual(new StandardWebhook(secret).verify(received.body, received.headers), JSON.parse(body))
      assert.doesNotThrow(() => new SvixWebhook(secret).verify(received.body, received.headers))
      const signature = received.headers["service-signature"] ?? ""
      assert.doesNotThrow(() => new Stripe("sk_test").webhooks.constructEvent(received.body, signature, secret))
      assert.deepStrictEqual(Object.keys(received.headers).sort(), [
        "connection",
        "content-length",
        "content-type",
        "host",
        "service-signature",
        "user-agent",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp"
      ])
    }).pipe(
      Effect.withSpan("traced"),
      Effect.provide([loopback, WebhookSigner.WebhookSigner.layer.pipe(Layer.provide(WebCrypto.layerWebCrypto))])
    ))

  it.live("does not follow redirects", () =>
    Effect.gen(function*() {
      const target = yield* Receiver.make((_, response) => response.end())
      const receiver = yield* Receiver.make((_, response) => response.writeHead(307, { location: target.url }).end())
      const answer = yield* send(receiver.url)
      assert.strictEqual(answer.statusCode, 307)
      assert.deepStrictEqual(target.deliveries, [])
    }).pipe(Effect.provide(loopback)))

  it.live("lets go of a body that drips in, and keeps the status", () =>
    Effect.gen(function*() {
      let closed = false
      const receiver = yield* Receiver.make((_, response) => {
        response.writeHead(200)
        const drip = setInterval(() => response.write("."), 50)
        response.on("close", () => {
          closed = true
          clearInterval(drip)
        })
      })
      const [took, answer] = yield* Effect.timed(send(receiver.url))
      assert.strictEqual(answer.statusCode, 200)
      assert.isTrue(Duration.toMillis(took) < 3000)
      yield* Effect.sleep("200 millis")
      assert.isTrue(closed)
    }).pipe(Effect.provide(loopback)))

  it.live("does not read a huge answer", () =>
    Effect.gen(function*() {
      let written = 0
      const receiver = yield* Receiver.make((_, response) => {
        response.writeHead(200)
        const more = () => {
          if (response.destroyed || written > 1e9) return
          written += 65_536
          if (response.write(Buffer.alloc(65_536))) setImmediate(more)
          else response.once("drain", more)
        }
        more()
      })
      assert.strictEqual((yield* send(receiver.url)).statusCode, 200)
      yield* Effect.sleep("100 millis")
      assert.isTrue(written < 50e6, `${written} bytes were written`)
    }).pipe(Effect.provide(loopback)))

  it.live("reports what failed", () =>
    Effect.gen(function*() {
      const closed = yield* Effect.scoped(Receiver.make((_, response) => response.end()))
      const resetting = yield* Receiver.make((request) => request.socket.resetAndDestroy())
      const hanging = yield* Receiver.make((request) => request.socket.destroy())
      assert.deepStrictEqual(
        yield* Effect.all([failure(closed.url), failure(resetting.url), failure(hanging.url)]),
        ["connection_refused", "connection_reset", "connection_reset"]
      )
    }).pipe(Effect.provide(loopback)))

  it.live("reports a receiver that does not speak TLS", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make((_, response) => response.end())
      const transport = GatedTransport.layer({ allow: [`127.0.0.1:${receiver.port}`] })
      assert.strictEqual(yield* Effect.provide(failure(`https://127.0.0.1:${receiver.port}/`), transport), "tls_error")
    }))

  it.live("reports an untrusted certificate, and sends nothing", () =>
    Effect.gen(function*() {
      let requests = 0
      const server = createSecureServer({ key: SelfSigned.key, cert: SelfSigned.cert }, () => requests++)
      const port = yield* Effect.callback<number>((resume) => {
        // The handle of a server that listens has an address with a port.
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const transport = GatedTransport.layer({ allow: [`localhost:${port}`] })
      assert.strictEqual(yield* Effect.provide(failure(`https://localhost:${port}/`), transport), "tls_error")
      assert.strictEqual(requests, 0)
    }))

  it.live("stops waiting when the caller does", () =>
    Effect.gen(function*() {
      let aborted = false
      const receiver = yield* Receiver.make((request) => request.on("close", () => (aborted = true)))
      assert.isTrue(Option.isNone(yield* Effect.timeoutOption(send(receiver.url), "100 millis")))
      yield* Effect.sleep("100 millis")
      assert.isTrue(aborted)
    }).pipe(Effect.provide(loopback)))
})

describe("the gate at the connection", () => {
  const resolvingTo = (addresses: string) =>
    GatedTransport.layer({ resolve: () => Effect.succeed(addresses.split(" ")) })

  it.live.each([
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "::1",
    "::ffff:10.0.0.1",
    "fd00:ec2::254",
    "93.184.215.14 10.0.0.1",
    "2606:4700::1111 ::1"
  ])("refuses a name that leads to %s", (addresses) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* failure("https://hooks.example.com/"), "blocked_address")
    }).pipe(Effect.provide(resolvingTo(addresses))))

  it.effect("judges at every connection, and connects to nothing but what it judged", () =>
    Effect.gen(function*() {
      const answers = ["93.184.215.14", "127.0.0.1"]
      const rebinding = () => Effect.sync(() => [answers.shift() ?? "asked too often"])
      const target = { hostname: "hooks.example.com", port: "443", protocol: "https:" }
      assert.deepStrictEqual(yield* GatedConnector.permitted(target, {}, rebinding), ["93.184.215.14"])
      assert.deepStrictEqual(
        yield* Effect.flip(GatedConnector.permitted(target, {}, rebinding)),
        new GatedConnector.BlockedAddress({ address: "127.0.0.1" })
      )
    }))

  it.effect("refuses the addresses of this very machine, public or not", () =>
    Effect.gen(function*() {
      const own = Object.values(networkInterfaces()).flatMap((of) => of?.map(({ address }) => address) ?? [])
      for (const address of own) {
        const target = { hostname: "hooks.example.com", port: "443", protocol: "https:" }
        const error = yield* Effect.flip(GatedConnector.permitted(target, {}, () => Effect.succeed([address])))
        assert.strictEqual(error._tag, "BlockedAddress")
      }
    }))

  it.live.each([
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "http://localhost/",
    "https://169.254.169.254/",
    "http://hooks.example.com/"
  ])(
    "refuses %s, also for addresses that were stored earlier",
    (url) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* failure(url), "blocked_address")
      }).pipe(Effect.provide(GatedTransport.layer()))
  )

  it.live("lets an allowed host and port through, and no other port of it", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make((_, response) => response.end())
      const other = yield* Receiver.make((_, response) => response.end())
      const transport = GatedTransport.layer({ allow: [`127.0.0.1:${receiver.port}`] })
      assert.strictEqual((yield* Effect.provide(send(receiver.url), transport)).statusCode, 200)
      assert.strictEqual(yield* Effect.provide(failure(other.url), transport), "blocked_address")
      assert.deepStrictEqual(other.deliveries, [])
    }))

  it.live("reaches localhost by name while developing", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make((_, response) => response.end())
      assert.strictEqual((yield* send(`http://localhost:${receiver.port}/`)).statusCode, 200)
    }).pipe(Effect.provide(loopback)))

  it.live("reports a name that does not resolve", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* failure("https://nowhere.invalid/"), "dns_error")
    }).pipe(Effect.provide(GatedTransport.layer())), 120_000)

  it.live("does not go through a proxy of the environment", () =>
    Effect.gen(function*() {
      let asked = 0
      const proxy = createServer(() => asked++).listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => proxy.close()))
      yield* Effect.sleep("20 millis")
      const { port } = proxy.address() as AddressInfo
      process.env["HTTP_PROXY"] = process.env["http_proxy"] = `http://127.0.0.1:${port}`
      const receiver = yield* Receiver.make((_, response) => response.end())
      assert.strictEqual((yield* send(receiver.url)).statusCode, 200)
      delete process.env["HTTP_PROXY"]
      delete process.env["http_proxy"]
      assert.strictEqual(asked, 0)
    }).pipe(Effect.provide(loopback)))
})

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z")
  it.each<[string | undefined, number | undefined]>([
    ["0", 0],
    ["120", 120_000],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 60_000],
    ["Wed, 31 Dec 2025 23:59:59 GMT", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["99999999999", undefined],
    ["soon", undefined],
    ["2026-01-01T00:01:00Z", undefined],
    ["Xxx, 99 Yyy 2026 00:01:00 GMT", undefined],
    ["", undefined],
    [undefined, undefined]
  ])("reads %s as %s ms", (value, expected) =>
    assert.deepStrictEqual(
      GatedTransport.parseRetryAfter(value, now),
      expected === undefined ? Option.none() : Option.some(Duration.millis(expected))
    ))
})
