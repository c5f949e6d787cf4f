import { createServer, type ServerOptions } from "node:https"
import { type AddressInfo, createServer as createPlainServer } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { WebhookTransport } from "@outdial/core"
import { Effect } from "effect"
import { GatedTransport } from "../../src/index.ts"
import * as SelfSigned from "./SelfSigned.ts"
import * as TestCertificates from "./TestCertificates.ts"

// For this file's process alone: what is refused below is refused for its own fault, not for a stranger's signature.
setDefaultCACertificates([...getCACertificates("default"), TestCertificates.authority])

const receiver = (options: ServerOptions) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly requests: () => number; readonly close: () => void }>(
      (resume) => {
        let requests = 0
        const server = createServer(options, (_request, response) => {
          requests += 1
          response.writeHead(204).end()
        })
        server.on("tlsClientError", () => {})
        server.listen(0, "127.0.0.1", () => {
          const close = () => {
            server.closeAllConnections()
            server.close()
          }
          // A server that listens on a port has an address with one.
          resume(Effect.succeed({ port: (server.address() as AddressInfo).port, requests: () => requests, close }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

/** The status, or the error's code, of a delivery to that port. */
const deliver = (port: number, host = "localhost") =>
  Effect.gen(function*() {
    const { send } = yield* WebhookTransport.WebhookTransport
    return yield* send({ url: `https://${host}:${port}/`, headers: {}, body: "{}" }).pipe(
      Effect.map(({ statusCode }): number | string => statusCode),
      Effect.catch(({ errorCode }) => Effect.succeed(errorCode))
    )
  }).pipe(Effect.provide(GatedTransport.layer({ allow: [`${host}:${port}`] })))

const { expired, key, valid, wrongHost } = TestCertificates

describe("TLS", () => {
  it.live("delivers to a certificate of a trusted authority for the right host", () =>
    Effect.gen(function*() {
      const { port, requests } = yield* receiver({ key, cert: valid })
      assert.deepStrictEqual([yield* deliver(port), yield* deliver(port, "127.0.0.1")], [204, 204])
      assert.strictEqual(requests(), 2)
    }))

  it.live.each<[string, ServerOptions]>([
    ["a certificate that nobody signed", { key: SelfSigned.key, cert: SelfSigned.cert }],
    ["a certificate that has expired", { key, cert: expired }],
    ["another host's certificate", { key, cert: wrongHost }],
    ["a protocol of yesterday", {
      key,
      cert: valid,
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0"
    }],
    ["no cipher in common", { key, cert: valid, maxVersion: "TLSv1.2", ciphers: "AECDH-AES128-SHA:@SECLEVEL=0" }]
  ])("refuses %s, and sends it nothing", ([, options]) =>
    Effect.gen(function*() {
      const { port, requests } = yield* receiver(options)
      assert.strictEqual(yield* deliver(port), "tls_error")
      assert.strictEqual(requests(), 0)
    }))

  it.live("refuses a self-signed certificate, also if the environment disables the check of Node", () =>
    Effect.gen(function*() {
      const { port, requests } = yield* receiver({ key: SelfSigned.key, cert: SelfSigned.cert })
      process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0"
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"]))
      assert.strictEqual(yield* deliver(port), "tls_error")
      assert.strictEqual(requests(), 0)
    }))

  it.live("reports a receiver that closes the connection in the handshake", () =>
    Effect.gen(function*() {
      const server = createPlainServer((socket) => socket.on("error", () => {}).destroy())
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      // A server that listens on a port has an address with one.
      assert.strictEqual(yield* deliver((server.address() as AddressInfo).port), "connection_reset")
    }))
})
