import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe } from "vitest"
import * as CallbackCheck from "../../src/doctor/CallbackCheck.ts"

/** The public URL of a server that answers so, and the paths that it is asked for. */
const serving = Effect.fnUntraced(function*(status: number, body = "", headers: Record<string, string> = {}) {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(status, headers).end(body)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.sync(() => void server.close())
  )
  return { asked, publicUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/voice` }
})

const refusal = JSON.stringify({ error: { code: "forbidden", message: "The signature or the token is wrong" } })

const answers = [
  ["Outdial, which refuses a request without a signature", 403, refusal, {}, "ok", /Those of twilio are taken at/],
  ["a gateway that refuses it", 403, "Forbidden", {}, "failed", /status 403, and not by a process of Outdial/],
  ["something that does not know the path", 404, "", {}, "failed", /status 404/],
  ["a tunnel with nothing behind it", 502, "", {}, "warning", /status 502.*Start outdial serve/],
  ["a redirect", 308, "", { location: "https://www.example.com/" }, "failed", /redirects.*OUTDIAL_PUBLIC_URL/]
] as const

describe("the check of callbacks", () => {
  for (const [name, status, body, headers, level, message] of answers) {
    it.live(`finds ${name}`, () =>
      Effect.gen(function*() {
        const { asked, publicUrl } = yield* serving(status, body, headers)
        const finding = yield* CallbackCheck.finding({ carrier: "twilio", path: "status", publicUrl })
        assert.deepStrictEqual([finding.check, finding.level], ["callbacks", level])
        assert.match(finding.message, message)
        assert.deepStrictEqual(asked, ["POST /voice/carriers/twilio/status/doctor"])
      }))
  }

  it.live("warns when nothing answers, as before the first start", () =>
    Effect.gen(function*() {
      const { publicUrl } = yield* Effect.scoped(serving(200))
      const { level, message } = yield* CallbackCheck.finding({ carrier: "telnyx", path: "events", publicUrl })
      assert.strictEqual(level, "warning")
      assert.match(message, /ECONNREFUSED.*Start outdial serve/)
    }))
})
