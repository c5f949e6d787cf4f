import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe } from "vitest"
import * as CommandLine from "../support/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

interface Received {
  readonly eventId: string
  readonly body: string
}

const read = (request: IncomingMessage): Promise<Received> =>
  new Promise((resolve) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => body += text)
    request.on("end", () => resolve({ eventId: String(request.headers["webhook-id"]), body }))
  })

/** Keeps every request, and answers those that `answers` says. */
const receiver = (answers: (count: number, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<Received> = []
      const server = createServer((request, response) => {
        void read(request).then((one) => answers(received.push(one), response))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      // A server that listens on a port has such an address.
      const { port } = server.address() as AddressInfo
      return { server, received, host: `127.0.0.1:${port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

const untilReceived = (received: ReadonlyArray<Received>, count: number, timeoutMillis: number) =>
  Effect.repeat(Effect.sync(() => received.length), {
    schedule: Schedule.spaced("100 millis"),
    while: (length) => length < count
  }).pipe(Effect.timeoutOption(timeoutMillis))

describe("a server that is killed after it has sent an event, and before it could put that on record", () => {
  it.live(
    "loses nothing: the next one sends the same event again, once, with the same bytes",
    () =>
      Effect.gen(function*() {
        const url = yield* Postgres.database
        // The first request is never answered; the others are taken.
        const { host, received } = yield* receiver((count, response) => {
          if (count > 1) response.writeHead(204).end()
        })
        const env = {
          DATABASE_URL: url,
          OUTDIAL_CARRIER: "simulated",
          OUTDIAL_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
          OUTDIAL_WEBHOOK_ALLOW: host,
          PORT: String(ServeProcess.freePort())
        }
        const json = (...args: ReadonlyArray<string>) =>
          Effect.map(CommandLine.run([...args, "--json"], { env }), ({ stdout }) => JSON.parse(stdout))
        const request = (method: string, path: string, apiKey: string, body: unknown) =>
          DevProcess.eventually(Effect.tryPromise(async () => {
            const response = await fetch(`http://127.0.0.1:${env.PORT}${path}`, {
              method,
              headers: { "x-api-key": apiKey, "content-type": "application/json" },
              body: JSON.stringify(body)
            })
            return response.status
          }))
        yield* CommandLine.run(["migrate"], { env })
        yield* json("accounts", "create", "Clinic")
        const key = yield* json("keys", "create", "--scope", "calls:write", "--scope", "webhooks:manage")
        const agentFile = yield* CommandLine.over(yield* DevProcess.folder).file(
          "agent.json",
          JSON.stringify({ name: "Bea", script: "Hi", questions: [], dispositions: ["ok"] })
        )
        const { id } = yield* json("agents", "put", agentFile)

        const first = yield* DevProcess.spawnOutdial(["serve"], env)
        assert.strictEqual(yield* request("PUT", "/v1/webhook", key.api_key, { url: `http://${host}/` }), 201)
        const call = { agent_id: id, phone_number: "+14155550100", test: true }
        assert.strictEqual(yield* request("POST", "/v1/calls", key.api_key, call), 201)
        yield* untilReceived(received, 1, 60_000)
        yield* DevProcess.end(first, "SIGKILL")

        yield* DevProcess.spawnOutdial(["serve"], env)
        // The lease of the one that is gone is a minute.
        yield* untilReceived(received, 2, 100_000)
        yield* Effect.sleep("3 seconds")
        const [sent, ...again] = received
        assert.deepStrictEqual(again, [sent])
      }),
    { timeout: 300_000 }
  )
})
