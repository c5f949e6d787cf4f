import { assert, it } from "@effect/vitest"
import { HttpContract } from "@outdial/testkit/contracts"
import { Effect, Exit, Scope } from "effect"
import process from "node:process"
import { afterAll, beforeAll, describe } from "vitest"
import * as FrameworkApp from "../support/FrameworkApp.ts"
import * as Postgres from "../support/postgres.ts"

const built = new Map<FrameworkApp.Name, FrameworkApp.FrameworkApp>()
const scope = Scope.makeUnsafe()

beforeAll(async () => {
  const build = (name: FrameworkApp.Name) =>
    Effect.map(FrameworkApp.build(name), (app) => {
      built.set(name, app)
      process.stderr.write(`Installed and built: ${app.packages.join(", ")}\n`)
    }).pipe(Scope.provide(scope))
  await Effect.runPromise(Effect.all([build("next"), build("nest")], { concurrency: 2 }))
}, 240_000)

afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const app = (name: FrameworkApp.Name) =>
  Effect.sync(() => {
    const found = built.get(name)
    if (found === undefined) throw new Error(`${name} was not built`)
    return found
  })

/** Hardly anybody else's; from 32768 on ports are given to connections. */
const port = 12_000 + (process.pid + 21) % 20_000

HttpContract.contract("Next.js 16, route handlers", FrameworkApp.target(app("next"), port))
HttpContract.contract("NestJS 12, on Express", FrameworkApp.target(app("nest"), port + 1))

describe("NestJS 12", () => {
  it.live("keeps its own routes and body parser, and ends on SIGTERM with its engine", () =>
    Effect.gen(function*() {
      const { child, url } = yield* FrameworkApp.start(yield* app("nest"), yield* Postgres.database, port + 2)
      const response = yield* Effect.promise(() =>
        fetch(`${url}/visits`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ id: "visit-7", phoneNumber: "+14155550100" })
        })
      )
      const text = yield* Effect.promise(() => response.text())
      assert.strictEqual(response.status, 201, text)
      assert.match(text, /^\{"id":"visit-7","callId":"call_\w+"\}$/)
      const ended = yield* Effect.callback<string | null>((resume) => {
        child.once("exit", (_code, signal) => resume(Effect.succeed(signal)))
        child.kill("SIGTERM")
      })
      // Nest ends itself by the same signal, after its hooks.
      assert.strictEqual(ended, "SIGTERM")
    }))
})
