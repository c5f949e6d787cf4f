import { assert, it } from "@effect/vitest"
import { Outdial } from "@outdial/core"
import { postgres } from "@outdial/sql"
import { HttpContract } from "@outdial/testkit/contracts"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Exit, Scope } from "effect"
import process from "node:process"
import { afterAll, beforeAll, describe } from "vitest"
import * as FrameworkApp from "../support/FrameworkApp.ts"
import * as Postgres from "../support/postgres.ts"
import * as CarrierEngine from "../telephony/fake/CarrierEngine.ts"
import * as CheckedTwilio from "../telephony/twilio/CheckedTwilio.ts"

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

/** What becomes of a call that the application dials over a fake Twilio, which calls back at its `/api`. */
const called = Effect.fnUntraced(function*(name: FrameworkApp.Name, at: number, phoneNumber: string) {
  const { accountSid, authToken, callbacks, calls, url } = yield* FakeTwilio.FakeTwilio
  const databaseUrl = yield* Postgres.database
  yield* FrameworkApp.start(yield* app(name), databaseUrl, at, {
    TWILIO_ACCOUNT_SID: accountSid,
    TWILIO_AUTH_TOKEN: authToken,
    TWILIO_API_URL: url,
    OUTDIAL_PUBLIC_URL: `http://127.0.0.1:${at}/api`
  })
  const { secretKey } = FrameworkApp
  const engine = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Outdial.open({ ...postgres({ url: databaseUrl }), workers: false, secretKey, policy: { callingHours: null } })
    ),
    (engine) => Effect.promise(() => engine.close())
  )
  const agent = yield* Effect.promise(() => engine.agents.byName("Ada"))
  const { id } = yield* Effect.promise(() => engine.calls.start({ agentId: agent.id, phoneNumber }))
  const ended = yield* CarrierEngine.ended({ engine, agentId: agent.id, publicUrl: "" }, id)
  const unsigned = yield* Effect.promise(() =>
    fetch(`http://127.0.0.1:${at}/api/carriers/twilio/status/x`, { method: "POST" })
  )
  const answers = [...new Set(callbacks.map(({ answer }) => answer))]
  return {
    ended,
    answers,
    words: calls.map(({ words }) => words.map(CarrierEngine.wordsOf)),
    unsigned: unsigned.status
  }
})

describe("Callbacks and WebSockets of a carrier", () => {
  it.live("reach NestJS 12: a call over Twilio is talked through", () =>
    Effect.gen(function*() {
      const { answers, ended, unsigned, words } = yield* called("nest", port + 3, "+14155550101")
      assert.deepStrictEqual([ended.status, answers, unsigned], ["completed", [204], 403])
      assert.deepStrictEqual(ended.outcome?.transcript.map(CarrierEngine.wordsOf), words[0])
      assert.isAbove(words[0]?.length ?? 0, 3)
    }).pipe(Effect.provide(CheckedTwilio.layer())))

  it.live("reach Next.js 16: callbacks end a call; it has no WebSockets", () =>
    Effect.gen(function*() {
      const { answers, ended, unsigned } = yield* called("next", port + 4, "+14155550105")
      assert.deepStrictEqual([ended.status, answers, unsigned], ["busy", [204], 403])
    }).pipe(Effect.provide(CheckedTwilio.layer())))
})

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
