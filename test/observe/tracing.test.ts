import { assert, it } from "@effect/vitest"
import { CallTrace, Ids } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { describe } from "vitest"
import * as Tracing from "../../packages/server/src/observe/Tracing.ts"
import * as HttpTargets from "../support/HttpTargets.ts"
import * as Spec from "../support/Spec.ts"

const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  name: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  links: Schema.Array(Schema.Struct({ traceId: Schema.String, spanId: Schema.String }))
})
type Span = typeof Span.Type

const decodeSent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  resourceSpans: Schema.Array(Schema.Struct({
    scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
  }))
})))

/** A collector that keeps what it is sent. */
const collector = Effect.gen(function*() {
  const requests: Array<{ readonly path: string; readonly key: unknown; readonly body: string }> = []
  const { baseUrl } = yield* HttpTargets.listen((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => void (body += text)).on("end", () => {
      requests.push({ path: request.url ?? "", key: request.headers["x-collector-key"], body })
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  const spans = (): ReadonlyArray<Span> =>
    requests.flatMap(({ body }) =>
      decodeSent(body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    )
  return { baseUrl, requests, spans }
})

const traced = (endpoint: string) =>
  Tracing.layer({
    endpoint: Option.some(endpoint),
    headers: Option.some(Redacted.make("x-collector-key=for%20us")),
    serviceName: "outdial"
  }, { version: "test" })

const of = (name: string) => (span: Span) => span.name === name

describe("the trace of a call", () => {
  it.effect("contains every step from the request to the delivery, in all fibers", () =>
    Effect.gen(function*() {
      const { baseUrl, requests, spans } = yield* collector
      const request = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" }
      const number = "+14155550100"
      const id = yield* Effect.gen(function*() {
        yield* Spec.setWebhook({ events: ["call.dialing", "call.in_progress", "call.completed"] })
        const { id } = yield* Spec.start({ phone_number: number }, {
          headers: { traceparent: `00-${request.traceId}-${request.spanId}-01` }
        })
        yield* Spec.start({ phone_number: "+14155550101" })
        yield* TestEngine.advance("10 minutes")
        return Ids.CallId.make(id)
      }).pipe(Effect.provide(Spec.layer().pipe(Layer.provideMerge(traced(`${baseUrl}/`)))))

      const steps = spans().filter(({ traceId }) => traceId === CallTrace.traceId(id))
      const names = steps.map(({ name }) => name)
      const kinds = (name: string) => names.filter((one) => one === name).length
      assert.deepStrictEqual(
        ["Call.accepted", "Call.claimed", "Dispatcher.dial", "Outcomes.make", "Call.event", "Deliveries.attempt"].map(
          kinds
        ),
        [1, 1, 1, 1, 3, 3]
      )
      assert.isAtLeast(kinds("LineReports.report"), 3)
      // The request keeps the trace of its sender; it and the call's are linked both ways.
      const [accepted] = steps.filter(of("Call.accepted"))
      const [link] = accepted?.links ?? []
      assert.strictEqual(link?.traceId, request.traceId)
      const around = spans().find(({ spanId }) => spanId === link?.spanId)
      assert.deepStrictEqual(around?.links.map(({ spanId }) => spanId), [accepted?.spanId])
      // What has a parent has one in the same trace, and that was sent as well.
      const sent = new Set(steps.map(({ spanId }) => spanId))
      assert.deepStrictEqual(
        steps.filter(({ parentSpanId }) => (parentSpanId ?? "") !== "" && !sent.has(parentSpanId ?? "")),
        []
      )

      assert.deepStrictEqual([...new Set(requests.map(({ path }) => path))], ["/v1/traces"])
      assert.deepStrictEqual([...new Set(requests.map(({ key }) => key))], ["for us"])
      const bodies = requests.map(({ body }) => body).join("\n")
      for (const secret of [number, number.slice(1), number.slice(2, -2)]) assert.notInclude(bodies, secret)
    }))
})
