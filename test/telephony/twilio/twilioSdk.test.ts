/**
 * Twilio's own library, which is made from Twilio's OpenAPI document, as a second opinion: on the requests that we send, and on the answers
 * of the fake.
 */
import { assert, describe, it } from "@effect/vitest"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect } from "effect"
import twilio from "twilio"
import * as CarrierEngine from "../fake/CarrierEngine.ts"
import * as CheckedTwilio from "./CheckedTwilio.ts"
import * as TwilioEngine from "./TwilioEngine.ts"

type Sent = { readonly method: string; readonly url: URL; readonly form: URLSearchParams }

/** The library, whose requests go to the fake. */
const library = Effect.map(FakeTwilio.FakeTwilio, ({ accountSid, authToken, url }) => {
  const sent: Array<Sent> = []
  const { RequestClient } = twilio
  class ToFake extends RequestClient {
    override async request<T>(options: Parameters<InstanceType<typeof RequestClient>["request"]>[0]): Promise<
      Awaited<ReturnType<InstanceType<typeof RequestClient>["request"]>> & { readonly body: T }
    > {
      const target = new URL(options.uri.replace("https://api.twilio.com", url))
      for (const [name, value] of Object.entries(options.params ?? {})) target.searchParams.set(name, String(value))
      const form = new URLSearchParams(
        Object.entries(options.data ?? {}).flatMap(([name, value]) =>
          (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, String(one)])
        )
      )
      sent.push({ method: options.method, url: target, form })
      const response = await fetch(target, {
        method: options.method,
        headers: { authorization: `Basic ${btoa(`${options.username}:${options.password}`)}` },
        ...(options.method.toUpperCase() === "POST" && { body: form })
      })
      const body = await response.json()
      return { statusCode: response.status, body, headers: {}, toString: () => "" } as never
    }
  }
  return { client: twilio(accountSid, authToken, { httpClient: new ToFake() }), sent }
})

const entries = (form: URLSearchParams) => [...form].map(([name, value]) => `${name}=${value}`).sort()

/** `StatusCallbackEvent` is the option `statusCallbackEvent`. */
const optionsOf = (form: URLSearchParams) =>
  Object.fromEntries(
    [...new Set(form.keys())].map((name) => {
      const values = form.getAll(name)
      return [name.charAt(0).toLowerCase() + name.slice(1), values.length > 1 ? values : values[0]]
    })
  )

describe("Twilio's own library", () => {
  it.live("sends the same form as we do, and has no other name for anything in it", () =>
    Effect.gen(function*() {
      const fake = yield* FakeTwilio.FakeTwilio
      const { client, sent } = yield* library
      const host = yield* TwilioEngine.open
      yield* CarrierEngine.start(host, "+14155550101")
      const { request } = yield* CarrierEngine.eventually(() => fake.calls[0])
      yield* Effect.promise(() => client.calls.create(optionsOf(request) as never))
      assert.deepStrictEqual(entries(sent[0]?.form ?? new URLSearchParams()), entries(request))
      assert.include([...request.keys()], "MachineDetection")
    }).pipe(Effect.provide(CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) }))))

  it.live("reads the answers of the fake, and ends a call as we do", () =>
    Effect.gen(function*() {
      const fake = yield* FakeTwilio.FakeTwilio
      const { client } = yield* library
      const twiml = "<Response><Hangup/></Response>"
      const to = "+14155550101"
      const placed = yield* Effect.promise(() => client.calls.create({ to, from: CarrierEngine.callerId, twiml }))
      assert.deepStrictEqual([placed.sid, placed.status, placed.direction], [
        fake.calls[0]?.id,
        "queued",
        "outbound-api"
      ])
      assert.isFalse(Number.isNaN(placed.dateCreated.getTime()))
      const listed = yield* Effect.promise(() => client.calls.list({ to, from: CarrierEngine.callerId, limit: 5 }))
      assert.deepStrictEqual(listed.map(({ sid }) => sid), [placed.sid])
      yield* Effect.promise(() => client.calls(placed.sid).update({ status: "completed" }))
      const fetched = yield* Effect.promise(() => client.calls(placed.sid).fetch())
      assert.strictEqual(fetched.status, "canceled")
      const again = yield* Effect.flip(Effect.tryPromise({
        try: () => client.calls(placed.sid).update({ status: "completed" }),
        catch: (error) => error as { readonly code: number }
      }))
      assert.strictEqual(again.code, 21220)
    }).pipe(Effect.provide(CheckedTwilio.layer({ callee: () => ({ _tag: "Waits" }) }))))

  it.live("is refused by the fake, and so are we, with a form that Twilio would not take", () =>
    Effect.gen(function*() {
      const { client } = yield* library
      const valid = { to: "+14155550101", from: CarrierEngine.callerId, twiml: "<Response><Hangup/></Response>" }
      const refused = (options: object) =>
        Effect.promise(() =>
          client.calls.create({ ...valid, ...options } as never).then(() => 0, (error: { code: number }) => error.code)
        )
      const forms = [
        [{}, 0],
        [{ to: "5550101" }, 21211],
        [{ timeout: 601 }, 21208],
        [{ twiml: `<Response>${"x".repeat(4_000)}` }, 21205],
        [{ statusCallback: "https://under_score.example/x" }, 21205],
        [{ statusCallbackEvent: ["initiated", "done"] }, 21626],
        [{ machineDetection: "On" }, 21234]
      ] as const
      for (const [options, code] of forms) assert.strictEqual(yield* refused(options), code, JSON.stringify(options))
    }).pipe(Effect.provide(FakeTwilio.FakeTwilio.layer({ callee: () => ({ _tag: "Waits" }) }))))
})
