/** `outdial serve` with the module of docs/guides/several-carriers.md, over two real Asterisks. */
import { assert, describe, it } from "@effect/vitest"
import { Tones } from "@outdial/testkit"
import { Effect, Redacted } from "effect"
import * as DevProcess from "../../support/DevProcess.ts"
import * as ServeProcess from "../../support/ServeProcess.ts"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

/** Says its words after a while, again and again. */
const speech = Uint8Array.from([
  ...new Uint8Array(40_000).fill(0xff),
  ...Tones.tone({ hertz: 440, millis: 800, format: "mulaw" }),
  ...new Uint8Array(16_000).fill(0xff)
])

const site = Effect.gen(function*() {
  const phones = yield* SipPhone.make
  phones.behave(() => ({ answersAfter: 100, says: speech }))
  return { phones, pbx: yield* Pbx.make({ phones: phones.port }) }
})

describe("Two Asterisks", () => {
  it.live("call by their routes, and one for the other when that is down", () =>
    Effect.gen(function*() {
      const [berlin, boston] = [yield* site, yield* site]
      const server = yield* ServeProcess.start({
        OUTDIAL_CONFIG: "test/asterisk/severalTones.config.ts",
        BERLIN_ARI_URL: berlin.pbx.ariUrl,
        BERLIN_ARI_PASSWORD: Redacted.value(berlin.pbx.password),
        BOSTON_ARI_URL: boston.pbx.ariUrl,
        BOSTON_ARI_PASSWORD: Redacted.value(boston.pbx.password)
      })
      /** Calls the number, and returns once that call is over. */
      const called = Effect.fnUntraced(function*(number: string) {
        const call = { agent_id: server.agentId, phone_number: number, contact: { name: "Grace" } }
        const { body: { id } } = yield* Effect.promise(() => server.request("POST", "/v1/calls", call))
        yield* DevProcess.eventually(
          Effect.filterOrFail(
            Effect.promise(() => server.request("GET", `/v1/calls/${id}`)),
            ({ body }) => body.status === "completed",
            ({ body }) => new DevProcess.NotYet({ seen: `${body.status} ${server.output().stderr}` })
          )
        ).pipe(Effect.retry({ times: 2 }))
      })
      const numbers = () => [berlin, boston].map(({ phones }) => phones.calls.map(({ number }) => number))
      yield* Effect.all([called("+4930123451"), called("+14155550101")], { concurrency: "unbounded" })
      assert.deepStrictEqual(numbers(), [["+4930123451"], ["+14155550101"]])
      yield* Calls.untilClean(boston.pbx)
      yield* Effect.promise(() => boston.pbx.end("SIGKILL"))
      yield* called("+14155550102")
      assert.deepStrictEqual(numbers(), [["+4930123451", "+14155550102"], ["+14155550101"]])
      yield* Calls.untilClean(berlin.pbx)
    }), 240_000)
})
