import { assert, it } from "@effect/vitest"
import { GatedTransport, NodeHandler } from "@outdial/node"
import { SqlStorage } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { Cause, Effect, Exit, Layer, Logger, References, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import type { RequestListener } from "node:http"
import { describe } from "vitest"
import * as HttpTargets from "./support/HttpTargets.ts"
import * as Postgres from "./support/postgres.ts"
import * as Spec from "./support/Spec.ts"

/** All that an operator's log and tracing would hold. */
const capturing = () => {
  const logged: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const layer = Layer.mergeAll(
    Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))]),
    Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void logged.push(line))], { mergeWithExisting: true }),
    Layer.succeed(References.MinimumLogLevel, "All"),
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
    )
  )
  const traced = () =>
    spans.map(({ attributes, events, name, status }) =>
      JSON.stringify([
        name,
        [...attributes],
        events,
        // Exporters tell how a span failed, and nothing of what it gave.
        status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""
      ], (_key, value: unknown) => typeof value === "bigint" ? String(value) : value)
    )
  return { layer, all: () => [...logged, ...traced()], counts: () => ({ logged: logged.length, spans: spans.length }) }
}

/** Every form in which the text could be read. */
const forms = (text: string) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64").slice(0, 24)]

const assertNowhere = (texts: ReadonlyArray<string>, secrets: ReadonlyArray<string>) => {
  for (const secret of secrets.flatMap(forms)) {
    const found = texts.filter((text) => text.includes(secret))
    assert.deepStrictEqual(found, [], `${secret} is told`)
  }
}

const number = "+14155550123"
const waiting = "+14155550177"
const refused = "+19005550123"
/** A webhook's address may hold a token of its owner's. */
const token = "tok_4f9c1d"

/** A day in the life of an account: calls, deliveries that fail in every way, rotations, wrong requests. */
const day = (hookUrl: string, goodUrl: string) =>
  Effect.gen(function*() {
    const { key } = yield* Spec.Api
    const first = yield* Spec.setWebhook({
      url: `${hookUrl}?token=${token}`,
      events: ["call.completed", "call.dialing"]
    })
    yield* Spec.start({ phone_number: number, test: true, metadata: { note: number } })
    yield* TestEngine.advance("3 minutes")
    const second = (yield* Spec.request("POST", "/v1/webhook/rotate-secret")).body
    yield* Spec.setWebhook({ url: `${goodUrl}?token=${token}` })
    yield* Spec.start({ phone_number: waiting }, { headers: { "idempotency-key": `for-${number}` } })
    for (
      const request of [
        { phone_number: waiting },
        { phone_number: refused },
        { phone_number: `${number} ext 5` },
        { phone_number: number, agent_id: "00000000-0000-4000-8000-00000000dead" },
        { phone_number: number, contact: { email: "no mail" } }
      ]
    ) yield* Spec.post("/v1/calls", yield* Spec.call(request))
    yield* Spec.post("/v1/batches", {
      calls: [yield* Spec.call({ phone_number: number }), yield* Spec.call({ phone_number: refused })]
    })
    yield* Spec.get(`/v1/calls?phone_number=${encodeURIComponent(number)}`)
    yield* Spec.get(`/v1/calls?phone_number=${encodeURIComponent(`${number}x`)}`)
    yield* Spec.get("/v1/calls", { key: `${key}x` })
    yield* Spec.request("POST", "/v1/webhook/test")
    yield* TestEngine.advance("3 days")
    const third = (yield* Spec.request("POST", "/v1/webhook/rotate-secret", { body: { grace_period_seconds: 0 } })).body
    return { key, secrets: [first.secret, second.secret, third.secret].map((secret: string) => secret.slice(6)) }
  })

/** A server for each way of failing. */
const receivers = Effect.gen(function*() {
  const serve = (listener: RequestListener) => HttpTargets.listen(listener)
  const broken = yield* serve((request) => request.socket.destroy())
  const good = yield* serve((_, response) => response.writeHead(204).end())
  return { broken: `${broken.baseUrl}/hook`, good: `${good.baseUrl}/hook` }
})

describe("logs and spans", () => {
  it.effect("hold no secret, no key, no telephone number and no token of an address", () =>
    Effect.gen(function*() {
      const captured = capturing()
      const { broken, good } = yield* receivers
      const { key, secrets } = yield* day(broken, good).pipe(
        Effect.provide(
          Spec.layer({ transport: GatedTransport.layer({ loopback: true }) }).pipe(
            Layer.provideMerge(captured.layer)
          )
        )
      )
      assert.isAbove(captured.counts().spans, 50)
      assertNowhere(captured.all(), [...secrets, key, number, waiting, refused, number.slice(1), token])
    }), 60_000)

  it.live("hold no number that is searched for under Node's handler either", () =>
    Effect.gen(function*() {
      const captured = capturing()
      yield* Effect.gen(function*() {
        const { baseUrl } = yield* HttpTargets.listen(yield* NodeHandler)
        yield* Effect.promise(() => fetch(`${baseUrl}/v1/calls?phone_number=${encodeURIComponent(number)}&limit=7`))
      }).pipe(Effect.provide(
        NodeHandler.layer.pipe(Layer.provide(TestEngine.layer()), Layer.provideMerge(captured.layer))
      ))
      assert.isNotEmpty(captured.all().filter((text) => text.includes("limit=7")))
      assertNowhere(captured.all(), [number, number.slice(1)])
    }))

  it.live("hold none when the database fails either", () =>
    Effect.gen(function*() {
      const captured = capturing()
      const failing = Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { key } = yield* Spec.Api
        const { secret } = yield* Spec.setWebhook({ url: `https://example.com/hook?token=${token}` })
        // Every later insert of a call violates this, and the database says so with the row.
        yield* sql`alter table outdial_calls add constraint nothing check (id = '') not valid`
        yield* Spec.post("/v1/calls", yield* Spec.call({ phone_number: number }))
        yield* sql`alter table outdial_webhooks add constraint nothing check (url = '') not valid`
        const rotated = yield* Spec.request("POST", "/v1/webhook/rotate-secret")
        assert.isAtLeast(rotated.status, 500)
        yield* sql`drop table outdial_webhooks`
        yield* Spec.setWebhook({ url: `https://example.com/hook?token=${token}` })
        return { key, secret }
      }).pipe(Effect.provide(
        Spec.layer({ storage: Layer.orDie(SqlStorage.layer.pipe(Layer.provide(Postgres.layer))) }).pipe(
          Layer.provideMerge(Layer.orDie(Postgres.layer)),
          Layer.provideMerge(captured.layer)
        )
      ))
      const { key, secret } = yield* failing
      assert.isAbove(captured.counts().logged, 0)
      assertNowhere(captured.all(), [secret.slice(6), key, number, number.slice(1), token])
    }), 60_000)
})
