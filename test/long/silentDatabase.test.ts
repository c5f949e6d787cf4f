import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as DevProcess from "../support/DevProcess.ts"
import * as HttpTargets from "../support/HttpTargets.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

it.live(
  "a server goes on working after all its connections to the database fell silent without an end",
  () =>
    Effect.gen(function*() {
      const received: Array<string> = []
      const receiver = yield* HttpTargets.listen((request, response) => {
        received.push(String(request.headers["webhook-id"]))
        response.writeHead(204).end()
      })
      const way = yield* ServeProcess.cuttable(yield* Postgres.database)
      const server = yield* ServeProcess.start({
        DATABASE_URL: way.url,
        OUTDIAL_WEBHOOK_ALLOW: new URL(receiver.baseUrl).host
      })
      yield* Effect.promise(() => server.request("PUT", "/v1/webhook", { url: `${receiver.baseUrl}/hook` }))
      way.silence()
      // Every loop asks within a second, and waits for an answer that does not come.
      yield* Effect.sleep("1500 millis")
      const call = { agent_id: server.agentId, phone_number: "+14155550100", contact: { name: "Grace" }, test: true }
      yield* DevProcess.eventually(
        Effect.promise(() => server.request("POST", "/v1/calls", call)).pipe(
          Effect.filterOrFail(({ status }) => status === 201, ({ body }) => body)
        )
      )
      yield* DevProcess.eventually(Effect.suspend(() => received.length > 0 ? Effect.void : Effect.fail("not yet")))
      // They may find out later than who sends the event has found a connection that works.
      yield* DevProcess.eventually(Effect.try(() => assert.match(server.output().stderr, /loop failed; it continues/)))
    }),
  150_000
)
