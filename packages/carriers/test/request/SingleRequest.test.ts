import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as SingleRequest from "../../src/request/SingleRequest.ts"

/** A carrier that answers with chunks of ten bytes, and with this length if there is one. */
const answering = (chunks: number, headers: Record<string, string> = {}) => {
  let sent = 0
  const client = HttpClient.make((request) =>
    Effect.succeed(HttpClientResponse.fromWeb(
      request,
      new Response(
        new ReadableStream({
          pull: (controller) => {
            if (sent === chunks) return controller.close()
            sent += 1
            controller.enqueue(new Uint8Array(10).fill(sent))
          }
        }, { highWaterMark: 0 }),
        { headers: { "content-type": "audio/wav; codecs=1", ...headers } }
      )
    ))
  )
  const download = SingleRequest.download(HttpClientRequest.get("https://carrier.example/1.wav"), 35).pipe(
    Effect.provideService(HttpClient.HttpClient, client)
  )
  return { download, sent: () => sent }
}

it.effect("A recording is joined from its chunks", () =>
  Effect.gen(function*() {
    const { bytes, mediaType } = yield* answering(3).download
    assert.strictEqual(mediaType, "audio/wav")
    assert.deepStrictEqual([...bytes], [1, 2, 3].flatMap((value) => Array<number>(10).fill(value)))
  }))

it.effect("A page of text is no recording", () =>
  Effect.gen(function*() {
    for (const type of ["text/html; charset=utf-8", "application/json", "application/xml"]) {
      const { download, sent } = answering(3, { "content-type": type })
      yield* Effect.flip(download)
      assert.strictEqual(sent(), 0)
    }
    // Stores do not always know what they store.
    for (const type of ["audio/x-wav", "binary/octet-stream", "Application/Octet-Stream"]) {
      assert.strictEqual((yield* answering(1, { "content-type": type }).download).bytes.length, 10)
    }
  }))

it.effect("A recording that is too long is given up at once when it says so, and otherwise on its way", () =>
  Effect.gen(function*() {
    for (const [headers, most] of [[{ "content-length": "1000" }, 0], [{}, 5]] as const) {
      const { download, sent } = answering(100, headers)
      assert.deepStrictEqual(yield* Effect.flip(download), new SingleRequest.RecordingTooLong({ mostBytes: 35 }))
      assert.isAtMost(sent(), most)
    }
  }))

/** A server that answers with this status, and the requests that have arrived. */
const serving = (status: number) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly requests: Array<string>; readonly close: () => void }>(
      (resume) => {
        const requests: Array<string> = []
        const server = createServer(async (request, response) => {
          const chunks: Array<Buffer> = []
          for await (const chunk of request) chunks.push(chunk as Buffer)
          requests.push(`${request.headers["content-length"]} ${Buffer.concat(chunks).toString()}`)
          response.writeHead(status, { location: "/again", "retry-after": "0", connection: "close" }).end()
        })
        server.listen(0, "127.0.0.1", () => {
          const { port } = server.address() as AddressInfo
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, requests, close: () => void server.close() }))
        })
      }
    ),
    ({ close }) => Effect.sync(close)
  )

it.live("A request is sent once, also where fetch would repeat it", () =>
  Effect.gen(function*() {
    // 307 asks for the same request elsewhere, and 421 for another connection.
    for (const status of [307, 308, 401, 408, 421, 425, 429, 503]) {
      const { requests, url } = yield* serving(status)
      for (
        const request of [
          HttpClientRequest.bodyUrlParams(HttpClientRequest.post(url), [["To", "1"]]),
          HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(url), { to: "1" })
        ]
      ) {
        assert.strictEqual((yield* SingleRequest.send(request)).status, status)
      }
      assert.deepStrictEqual(requests, ["4 To=1", "10 {\"to\":\"1\"}"], `status ${status}`)
    }
  }).pipe(Effect.provide(FetchHttpClient.layer)))
