import { assert, it } from "@effect/vitest"
import { DoNotCallList, Explanations, MemoryStorage, PhoneNumber, Storage } from "@outdial/core"
import { Routes } from "@outdial/http"
import { GatedTransport, NodeHandler } from "@outdial/node"
import { SqlStorage } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { Cause, Console, Effect, Exit, Layer, Logger, Option, References, Tracer } from "effect"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import type { RequestListener } from "node:http"
import { describe } from "vitest"
import * as HttpListener from "../../packages/server/src/serve/HttpListener.ts"
import * as Logging from "../../packages/server/src/observe/Logging.ts"
import * as HttpTargets from "../support/HttpTargets.ts"
import * as Postgres from "../support/postgres.ts"
import * as Spec from "../support/Spec.ts"

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
        // Exporters send how a span failed, but not its result.
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
    assert.deepStrictEqual(found, [], `${secret} is exposed`)
  }
}

/** What of these numbers would give away more than their masks do. */
const ofNumbers = (...numbers: ReadonlyArray<string>) =>
  numbers.flatMap((number) => [number, number.slice(1), number.slice(2, -2)])

const number = "+12125550123"
const waiting = "+12125550177"
const refused = "+19005550123"
const listed = "+12125550142"

/** Where people put a number in an address, rightly and wrongly. */
const addresses = (number: string) => {
  const [encoded, digits] = [encodeURIComponent(number), number.slice(1)]
  return [
    `/v1/do_not_call/${encoded}`,
    `/v1/do_not_call/${number}`,
    `/v1/do_not_call/${digits}`,
    `/v1/do_not_call/+1 (212) 555-0142`.replaceAll(" ", "%20"),
    `/v1/do_not_call/${encoded}x`,
    `/v1/do_not_call/${encoded}/more?limit=7`,
    `/v1/do_not_call/${encoded};x=1`,
    `/v1/do_not_call/${encodeURIComponent(encoded)}`,
    `/v1/do_not_call/%zz${number}`,
    `/v1/calls/${encoded}`,
    `/v1/calls/${digits}`,
    `/v1/events/+${digits.slice(0, 4)}.${digits.slice(4)}`,
    `/v1/calls?phone=${encoded}`,
    `/v1/calls?${encoded}`,
    `/v1/calls?a=b?${encoded}`,
    `/${encoded}/v1/calls`
  ]
}
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
    yield* Spec.post("/v1/calls/preview", { phone_number: refused })
    yield* Spec.post("/v1/calls/preview", { phone_number: `${number}x` })
    yield* Spec.post("/v1/do_not_call", { phone_numbers: [listed, number] })
    yield* Spec.post("/v1/do_not_call", { phone_numbers: [`${number}x`] })
    const page = yield* Spec.get("/v1/do_not_call?limit=1")
    assert.isString(page.body.next_cursor)
    yield* Spec.get(`/v1/do_not_call?limit=1&cursor=${page.body.next_cursor}`)
    yield* Spec.post("/v1/calls", yield* Spec.call({ phone_number: listed }))
    yield* Effect.forEach(addresses(listed), (address) => Spec.get(address))
    yield* Spec.request("DELETE", `/v1/do_not_call/${encodeURIComponent(listed)}`)
    yield* Spec.request("DELETE", `/v1/do_not_call/${encodeURIComponent(listed)}`)
    yield* Spec.request("PATCH", `/v1/do_not_call/${encodeURIComponent(listed)}`)
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

describe("the log of a server", () => {
  for (const format of ["json", "pretty"] as const) {
    it.effect(`masks numbers in what a library says, too (${format})`, () =>
      Effect.gen(function*() {
        const lines: Array<string> = []
        const cause = new Error(`duplicate key (phone_number)=(${number})`, {
          cause: { to: number, digits: 12125550123 }
        })
        yield* Effect.logError(`Sent to ${number}`, cause, { number, rows: [listed] }).pipe(
          Effect.annotateLogs({ to: waiting, [refused]: "a key" }),
          Effect.withLogSpan(`of ${number}`),
          Effect.andThen(Effect.logError("failed", Cause.fail(cause))),
          Effect.provide(Logging.layer({ format: Option.some(format), level: "info" }, { isTerminal: false })),
          Effect.provideService(Console.Console, { ...console, error: (line: string) => void lines.push(line) })
        )
        assert.strictEqual(lines.length, 2)
        if (format === "json") {
          for (const line of lines) assert.containsAllKeys(JSON.parse(line), ["level", "message"])
        }
        assert.include(lines.join("\n"), "duplicate key")
        assertNowhere(lines, ofNumbers(number, waiting, refused, listed))
      }))
  }
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
      assertNowhere(captured.all(), [...secrets, key, token, ...ofNumbers(number, waiting, refused, listed)])
    }), 120_000)

  it.live("hold no number that is in an address, under Node's handler and below a host's path either", () =>
    Effect.gen(function*() {
      const captured = capturing()
      const basePath = "/tenants/of-12125550188"
      yield* Effect.gen(function*() {
        const { baseUrl } = yield* HttpTargets.listen(yield* NodeHandler, basePath)
        yield* Effect.forEach(
          [`/v1/calls?phone_number=${encodeURIComponent(number)}&limit=7`, ...addresses(listed)],
          (address) => Effect.promise(() => fetch(baseUrl + address))
        )
      }).pipe(Effect.provide(
        NodeHandler.layerAt({ basePath }).pipe(Layer.provide(TestEngine.layer()), Layer.provideMerge(captured.layer))
      ))
      const serving = captured.all().filter((text) => text.includes("http.request.method"))
      assert.strictEqual(serving.length, 1 + addresses(listed).length)
      assert.isNotEmpty(serving.filter((text) => text.includes("limit=7")))
      assertNowhere(captured.all(), ofNumbers(number, listed, "+12125550188"))
    }))

  it.live("hold none under a server of Effect either, as `serve` and `dev` have one; what is not there is no fault", () =>
    Effect.gen(function*() {
      const captured = capturing()
      yield* Effect.gen(function*() {
        yield* Routes.serveWithRedactedUrl(yield* Routes.make, (api) => HttpServer.serveEffect(api))
        const baseUrl = `http://127.0.0.1:${yield* HttpListener.port}`
        yield* Effect.forEach(addresses(listed), (address) => Effect.promise(() => fetch(baseUrl + address)))
      }).pipe(Effect.provide(
        HttpListener.layer({ host: "127.0.0.1", port: 0 }).pipe(
          Layer.provideMerge(TestEngine.layer()),
          Layer.provideMerge(captured.layer)
        )
      ))
      const serving = captured.all().filter((text) => text.includes("http.request.method"))
      assert.strictEqual(serving.length, addresses(listed).length)
      assert.deepStrictEqual(serving.filter((text) => /status_code",5|Error/.test(text)), [])
      assertNowhere(captured.all(), ofNumbers(listed))
    }))

  it.live("hold no number when a route fails", () =>
    Effect.gen(function*() {
      const captured = capturing()
      const failing = Layer.effect(
        Storage.Storage,
        Effect.map(Storage.Storage, (storage) => ({
          ...storage,
          doNotCall: { ...storage.doNotCall, get: () => Effect.die("a bug") }
        }))
      ).pipe(Layer.provide(MemoryStorage.layer))
      yield* Effect.gen(function*() {
        const { status } = yield* Spec.get(`/v1/do_not_call/${encodeURIComponent(listed)}`)
        assert.strictEqual(status, 500)
      }).pipe(Effect.provide(Spec.layer({ storage: failing }).pipe(Layer.provideMerge(captured.layer))))
      assert.isNotEmpty(captured.all().filter((text) => text.includes("a bug")))
      assertNowhere(captured.all(), ofNumbers(listed))
    }))

  it.live("hold no number that the engine is asked about without HTTP, as by the command line", () =>
    Effect.gen(function*() {
      const captured = capturing()
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const doNotCall = yield* DoNotCallList.DoNotCallList
        const rules = yield* Explanations.Explanations
        yield* doNotCall.add(accountId, [listed])
        yield* doNotCall.importLines(accountId, [number, `${number}x`])
        yield* Effect.exit(doNotCall.add(accountId, [`${number}x`]))
        yield* doNotCall.get(accountId, listed)
        yield* doNotCall.remove(accountId, listed)
        yield* Effect.exit(doNotCall.remove(accountId, listed))
        yield* Effect.exit(doNotCall.get(accountId, listed))
        yield* Effect.exit(doNotCall.get(accountId, `${listed}x`))
        yield* rules.preview(accountId, { phoneNumber: PhoneNumber.PhoneNumber.make(number) })
      }).pipe(Effect.provide(TestEngine.layer().pipe(Layer.provideMerge(captured.layer))))
      assert.isAbove(captured.counts().spans, 5)
      assertNowhere(captured.all(), ofNumbers(number, listed))
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
      assertNowhere(captured.all(), [secret.slice(6), key, token, ...ofNumbers(number)])
    }), 120_000)
})
