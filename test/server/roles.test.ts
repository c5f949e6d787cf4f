import { assert, it } from "@effect/vitest"
import { Outdial } from "@outdial/core"
import { postgres } from "@outdial/sql"
import { Effect, Order, Queue } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../support/CommandLine.ts"
import * as HttpTargets from "../support/HttpTargets.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const timeout = 300_000

const token = "reader-of-the-metrics"

/** A receiver, and what it is sent. */
const receiver = Effect.gen(function*() {
  const events = yield* Queue.unbounded<{ readonly type: string; readonly data: { readonly id: string } }>()
  const { baseUrl } = yield* HttpTargets.listen((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => body += text).on("end", () => {
      Queue.offerUnsafe(events, JSON.parse(body))
      response.writeHead(204).end()
    })
  })
  return { baseUrl, events }
})

/** Calls may be dialed at any time of the day. */
const openAtAllHours = (url: string) =>
  Effect.promise(async () => {
    await using engine = await Outdial.open({
      ...postgres({ url }),
      secretKey: ServeProcess.secretKey,
      policy: { callingHours: null },
      workers: false
    })
    return engine.accountId
  })

describe("processes with a role", () => {
  it.live(
    "accept in one, and dial and deliver in another, which is woken and does not serve /v1",
    () =>
      Effect.gen(function*() {
        const { baseUrl, events } = yield* receiver
        const env = {
          DATABASE_URL: yield* Postgres.database,
          OUTDIAL_WEBHOOK_ALLOW: new URL(baseUrl).host,
          OUTDIAL_METRICS_TOKEN: token,
          OUTDIAL_DRAIN_DELAY_SECONDS: "0"
        }
        const api = yield* ServeProcess.start({ ...env, OUTDIAL_ROLE: "api" })
        yield* openAtAllHours(env.DATABASE_URL)
        const ask = (...request: Parameters<typeof api.request>) => Effect.promise(() => api.request(...request))
        yield* ask("PUT", "/v1/webhook", { url: `${baseUrl}/hook`, events: ["call.dialing", "call.not_connected"] })
        let number = 0
        /** A callee whose line is busy; answers the id. */
        const start = Effect.gen(function*() {
          const phone_number = `+1415555${String(10 + number++).padStart(3, "0")}5`
          const { body, status } = yield* ask("POST", "/v1/calls", { agent_id: api.agentId, phone_number })
          assert.strictEqual(status, 201, JSON.stringify(body))
          return String(body.id)
        })

        const waiting = yield* start
        // Twice as long as loops sleep.
        yield* Effect.sleep("2 seconds")
        const { body: queued } = yield* ask("GET", `/v1/calls/${waiting}`)
        assert.deepStrictEqual([queued.status, queued.dialed_at, yield* Queue.size(events)], ["queued", undefined, 0])
        const explain = Effect.map(ask("GET", `/v1/calls/${waiting}/explanation`), ({ body }) => body)
        assert.deepInclude(yield* explain, { decision: "dial", worker_alive: false })

        const worker = yield* ServeProcess.startBeside(api, { ...env, OUTDIAL_ROLE: "worker" })
        assert.deepInclude(yield* Queue.take(events), { type: "call.dialing" })

        const stop = yield* CommandLine.run(["resume", "--all", "--json"], { env })
        assert.deepInclude(JSON.parse(stop.stdout), { accounts: 1, live_workers: 1 })

        const accepted: Array<number> = []
        const woken: Array<number> = []
        for (let sample = 0; sample < 9; sample += 1) {
          const askedAt = performance.now()
          const id = yield* start
          const startedAt = performance.now()
          accepted.push(startedAt - askedAt)
          while (true) {
            const { data, type } = yield* Queue.take(events)
            if (type === "call.dialing" && data.id === id) break
          }
          woken.push(performance.now() - startedAt)
        }
        const median = (times: ReadonlyArray<number>) => times.toSorted(Order.Number)[4] ?? Infinity
        // Without wake-ups loops poll once a second: half of the calls would take longer than half a second. A machine that has
        // much else to do is slow at accepting, too.
        assert.isBelow(median(woken), Math.max(250, 5 * median(accepted)), woken.map(Math.round).join(", "))

        const askWorker = (path: string, headers: Record<string, string> = {}) =>
          Effect.promise(async () => {
            const response = await fetch(worker.url + path, { headers: { "x-api-key": api.key, ...headers } })
            return { response, text: await response.text() }
          })
        for (const path of ["/healthz", "/readyz"]) {
          assert.strictEqual((yield* askWorker(path)).response.status, 200, path)
        }
        const metrics = yield* askWorker("/metrics", { authorization: `Bearer ${env.OUTDIAL_METRICS_TOKEN}` })
        assert.include(metrics.text, "outdial_ready 1")
        for (const path of ["/v1/agents", `/v1/calls/${waiting}`, "/docs", "/openapi.json"]) {
          const { response, text } = yield* askWorker(path)
          const { error } = JSON.parse(text)
          assert.deepStrictEqual([response.status, error.code], [404, "route_not_found"], path)
          assert.strictEqual(response.headers.get("x-request-id"), error.request_id)
        }
      }),
    timeout
  )

  it.live("need a Postgres that they share", () =>
    Effect.gen(function*() {
      for (const role of ["api", "worker"]) {
        const { code, stderr } = yield* CommandLine.run(["serve"], {
          env: { OUTDIAL_ROLE: role, OUTDIAL_DATA: "unused", OUTDIAL_SECRET_KEY: ServeProcess.secretKey }
        })
        assert.strictEqual(code, 1)
        assert.match(stderr, new RegExp(`^outdial: OUTDIAL_ROLE=${role} needs DATABASE_URL: `))
      }
    }), timeout)
})
