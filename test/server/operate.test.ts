import { assert, it } from "@effect/vitest"
import { Postgres as PostgresClient } from "@outdial/sql"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { describe } from "vitest"
import * as DevProcess from "../support/DevProcess.ts"
import * as HttpTargets from "../support/HttpTargets.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const timeout = 300_000

const exited = ({ child }: DevProcess.DevProcess) =>
  Effect.callback<number | null>((resume) => {
    if (child.exitCode !== null) return resume(Effect.succeed(child.exitCode))
    child.once("exit", (code) => resume(Effect.succeed(code)))
  })

/** What clients see behind a load balancer. */
interface Seen {
  answers: number
  readonly cut: Array<unknown>
}

/** Sends one request after the other, on connections that are kept, for as long as the server says that it is ready. */
const client = async (send: () => Promise<unknown>, isReady: () => boolean, seen: Seen) => {
  while (isReady()) {
    try {
      await send()
      seen.answers += 1
    } catch (error) {
      return void seen.cut.push(error)
    }
  }
}

/** A request whose body is completed on demand; returns its status. */
const slowly = (url: string, headers: Record<string, string>, body: string) => {
  const sent = httpRequest(url, { method: "POST", headers: { ...headers, "content-length": String(body.length) } })
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.on("error", reject).on("response", (response) => resolve(response.resume().statusCode))
  })
  sent.write(body.slice(0, 10))
  return { status, complete: () => void sent.end(body.slice(10)) }
}

const refuses = (url: string) => DevProcess.eventually(Effect.tryPromise(() => fetch(url)).pipe(Effect.flip))

const inDatabase = <A, E>(url: string, query: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provide(query, PostgresClient.layer({ url: Redacted.make(url) }))

describe("a server that is asked to end", { concurrent: true }, () => {
  it.live(
    "cuts no request, delivers what it sends, leaves nothing claimed, and ends with 0",
    () =>
      Effect.gen(function*() {
        const received: Array<string> = []
        // Slow enough that deliveries are in flight when the server is to end.
        const receiver = yield* HttpTargets.listen((request, response) => {
          setTimeout(() => {
            received.push(String(request.headers["webhook-id"]))
            response.writeHead(204).end()
          }, 500)
        })
        const server = yield* ServeProcess.start({
          OUTDIAL_WEBHOOK_ALLOW: new URL(receiver.baseUrl).host,
          OUTDIAL_DRAIN_DELAY_SECONDS: "2"
        })
        const set = yield* Effect.promise(() =>
          server.request("PUT", "/v1/webhook", { url: `${receiver.baseUrl}/hook` })
        )
        assert.strictEqual(set.status, 201)
        let number = 0
        const body = (test: boolean) => ({
          agent_id: server.agentId,
          phone_number: `+1415555${String(1000 + number++)}`,
          contact: { name: "Grace" },
          test
        })
        const call = () => server.request("POST", "/v1/calls", body(number % 2 === 0))
        const late = slowly(
          `${server.url}/v1/calls`,
          { "x-api-key": server.key, "content-type": "application/json" },
          JSON.stringify(body(true))
        )
        const seen: Seen = { answers: 0, cut: [] }
        let ready = true
        const clients = [call, call, () => server.request("GET", "/v1/calls"), () => server.request("GET", "/healthz")]
          .map((send) => client(send, () => ready, seen))
        yield* DevProcess.eventually(Effect.suspend(() => received.length >= 5 ? Effect.void : Effect.fail("not yet")))
        server.child.kill("SIGTERM")
        const draining = yield* DevProcess.eventually(
          Effect.promise(() => server.request("GET", "/readyz")).pipe(
            Effect.filterOrFail(({ status }) => status === 503, () => "not yet")
          )
        )
        assert.deepStrictEqual([draining.body.error.reasons, draining.headers.get("connection")], [
          ["draining"],
          "close"
        ])
        ready = false
        yield* Effect.promise(() => Promise.all(clients))
        // What was on its way before is answered, although nothing else is taken any more.
        yield* refuses(`${server.url}/healthz`)
        late.complete()
        assert.strictEqual(yield* Effect.promise(() => late.status), 201)
        assert.strictEqual(yield* exited(server), 0, server.output().stderr)
        assert.deepStrictEqual(seen.cut, [])
        assert.isAbove(seen.answers, 10)
        const left = yield* inDatabase(
          server.databaseUrl,
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql`
            select
              (select count(*)::int from outdial_calls where status = 'dialing' and submitted_at is null) as claimed,
              (select count(*)::int from outdial_calls where outcome_token is not null) as outcomes,
              (select count(*)::int from outdial_deliveries where state = 'sending') as sending,
              (select count(*)::int from outdial_deliveries where state = 'delivered') as delivered`)
        )
        assert.deepStrictEqual(left, [{ claimed: 0, outcomes: 0, sending: 0, delivered: new Set(received).size }])
        assert.match(server.output().stderr, /"message":"Drained"/)
      }),
    timeout
  )

  it.live(
    "waits for what is in flight no longer than it may, and ends with 0 all the same",
    () =>
      Effect.gen(function*() {
        const server = yield* ServeProcess.start({ OUTDIAL_DRAIN_DELAY_SECONDS: "0", OUTDIAL_DRAIN_SECONDS: "1" })
        // A request whose body never comes.
        const { port } = new URL(server.url)
        const socket = connect(Number(port), "127.0.0.1")
        yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
        socket.on("error", () => {}).write(
          `POST /v1/calls HTTP/1.1\r\nhost: x\r\nx-api-key: ${server.key}\r\ncontent-type: application/json\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\n{`
        )
        // The server has the request.
        yield* Effect.callback<void>((resume) => void socket.once("data", () => resume(Effect.void)))
        server.child.kill("SIGTERM")
        assert.strictEqual(yield* exited(server), 0)
        assert.match(server.output().stderr, /"message":"Shutdown timed out/)
      }),
    timeout
  )

  it.live(
    "ends the streams of transcripts at once",
    () =>
      Effect.gen(function*() {
        const server = yield* ServeProcess.start({ OUTDIAL_DRAIN_DELAY_SECONDS: "8" })
        const { body: { id } } = yield* Effect.promise(() =>
          server.request("POST", "/v1/calls", {
            agent_id: server.agentId,
            phone_number: "+14155550100",
            not_before: new Date(Date.now() + 86_400_000).toISOString()
          })
        )
        const response = yield* Effect.promise(() =>
          fetch(`${server.url}/v1/calls/${id}/transcript`, {
            headers: { accept: "text/event-stream", "x-api-key": server.key }
          })
        )
        assert.strictEqual(response.status, 200)
        server.child.kill("SIGTERM")
        yield* Effect.promise(() => response.text())
        // While it still serves.
        const { status } = yield* Effect.promise(() => server.request("GET", "/readyz"))
        assert.strictEqual(status, 503)
        assert.strictEqual(yield* exited(server), 0, server.output().stderr)
        assert.match(server.output().stderr, /"message":"Drained"/)
      }),
    timeout
  )

  it.live(
    "apologizes to the contact it talks with, and reports the end of the call",
    () =>
      Effect.gen(function*() {
        const server = yield* ServeProcess.start({ OUTDIAL_DRAIN_DELAY_SECONDS: "0" })
        const call = { agent_id: server.agentId, phone_number: "+14155550100", contact: { name: "Grace" } }
        const { body: { id } } = yield* Effect.promise(() => server.request("POST", "/v1/calls", call))
        yield* DevProcess.eventually(
          Effect.promise(() => server.request("GET", `/v1/calls/${id}`)).pipe(
            Effect.filterOrFail(({ body }) => body.status === "in_progress", () => "not yet")
          )
        )
        server.child.kill("SIGTERM")
        assert.strictEqual(yield* exited(server), 0, server.output().stderr)
        assert.match(server.output().stderr, /"message":"Drained"/)
        const [ended] = yield* inDatabase(
          server.databaseUrl,
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql<{ readonly status: string; readonly conversation: string; readonly transcript: string }>`
            select status, conversation, transcript::text from outdial_calls`)
        )
        assert.include(["no_answer", "completed"], ended?.status)
        assert.strictEqual(ended?.conversation, "sealed")
        assert.include(ended?.transcript, "I am sorry, I have a technical problem.")
      }),
    timeout
  )

  it.live("ends at once when it is asked a second time", () =>
    Effect.gen(function*() {
      const server = yield* ServeProcess.start({ OUTDIAL_DRAIN_DELAY_SECONDS: "300" })
      server.child.kill("SIGTERM")
      yield* DevProcess.eventually(
        Effect.promise(() => server.request("GET", "/readyz")).pipe(
          Effect.filterOrFail(({ status }) => status === 503, () => "not yet")
        )
      )
      // One that comes soon after the first is taken for the same.
      const again = Effect.sync(() => server.child.kill("SIGTERM")).pipe(Effect.delay("600 millis"), Effect.forever)
      assert.strictEqual(yield* Effect.raceFirst(exited(server), again), 130)
    }), timeout)
})

describe("a server in operation", { concurrent: true }, () => {
  it.live("is alive and not ready while its database is away, and ready again after", () =>
    Effect.gen(function*() {
      const way = yield* ServeProcess.cuttable(yield* Postgres.database)
      const server = yield* ServeProcess.start({ DATABASE_URL: way.url, OUTDIAL_METRICS_PORT: "" })
      const ready = Effect.promise(() => server.request("GET", "/readyz"))
      const is = (status: number) =>
        DevProcess.eventually(Effect.filterOrFail(ready, (answer) => answer.status === status, () => "not yet"))
      yield* is(200)
      way.cut()
      const { body } = yield* is(503)
      assert.deepStrictEqual(body.error.reasons, ["storage_unavailable"])
      assert.strictEqual((yield* Effect.promise(() => server.request("GET", "/healthz"))).status, 200)
      way.mend()
      yield* is(200)
    }), timeout)

  it.live("serves metrics with the token, and not at all if none is set", () =>
    Effect.gen(function*() {
      const token = "a-token-of-sixteen-or-more"
      const server = yield* ServeProcess.start({ OUTDIAL_METRICS_TOKEN: token })
      const metrics = (headers: Record<string, string> = {}) =>
        Effect.promise(async () => {
          const response = await fetch(`${server.url}/metrics`, { headers })
          return { status: response.status, type: response.headers.get("content-type"), text: await response.text() }
        })
      assert.strictEqual((yield* metrics()).status, 401)
      assert.strictEqual((yield* metrics({ authorization: `Bearer ${token}x` })).status, 401)
      yield* Effect.promise(() => server.request("GET", "/v1/calls"))
      yield* Effect.promise(() => server.request("GET", "/v1/calls/call_0"))
      const { status, text, type } = yield* metrics({ authorization: `Bearer ${token}` })
      assert.deepStrictEqual([status, type], [200, "text/plain; version=0.0.4; charset=utf-8"])
      for (
        const line of [
          "outdial_lines 50",
          "outdial_queued_calls 0",
          "outdial_ready 1",
          "outdial_http_requests_total{method=\"GET\",route=\"/v1/calls\",status=\"200\"} 1",
          "outdial_http_requests_total{method=\"GET\",route=\"/v1/calls/:id\",status=\"404\"} 1",
          "outdial_http_errors_total{code=\"not_found\"} 1"
        ]
      ) assert.include(text.split("\n"), line)
      const other = yield* ServeProcess.start()
      assert.strictEqual((yield* Effect.promise(() => fetch(`${other.url}/metrics`))).status, 404)
    }), timeout)

  it.live("shows its metrics on a port of their own, and nothing else there", () =>
    Effect.gen(function*() {
      const port = ServeProcess.freePort()
      yield* ServeProcess.start({ OUTDIAL_METRICS_PORT: String(port) })
      const get = (path: string) => Effect.promise(() => fetch(`http://127.0.0.1:${port}${path}`))
      assert.include(
        yield* Effect.flatMap(get("/metrics"), (answer) => Effect.promise(() => answer.text())),
        "\noutdial_ready 1\n"
      )
      for (const path of ["/v1/calls", "/healthz"]) {
        const answer = yield* get(path)
        const { error } = JSON.parse(yield* Effect.promise(() => answer.text()))
        assert.deepStrictEqual([answer.status, error.code], [404, "route_not_found"])
        assert.strictEqual(error.request_id, answer.headers.get("x-request-id"))
      }
    }), timeout)

  it.live("logs one JSON object a line", () =>
    Effect.gen(function*() {
      const server = yield* ServeProcess.start()
      const logged = server.output().stderr.trim().split("\n").map((line) => JSON.parse(line))
      assert.include(logged.map(({ message }) => message), "Time zones")
      for (const line of logged) assert.containsAllKeys(line, ["level", "message", "timestamp"])
    }), timeout)
})
