/** `outdial serve` and `outdial doctor` with the settings that docs/guides/twilio.md shows, and a fake Twilio. */
import { assert, describe, it } from "@effect/vitest"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect } from "effect"
import * as Balancer from "../support/Balancer.ts"
import * as CarrierGuide from "../support/CarrierGuide.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"
import * as CarrierEngine from "../telephony/fake/CarrierEngine.ts"
import * as CheckedTwilio from "../telephony/twilio/CheckedTwilio.ts"

const settings = Effect.map(
  FakeTwilio.FakeTwilio,
  ({ accountSid, authToken, url }) =>
    CarrierGuide.settings("docs/guides/twilio.md", "OUTDIAL_CARRIER=twilio", {
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_API_URL: url
    })
)

describe("OUTDIAL_CARRIER=twilio", () => {
  it.live(
    "moves a conversation to another process when its own is stopped with SIGTERM, and no word is said twice",
    () =>
      Effect.gen(function*() {
        const twilio = yield* FakeTwilio.FakeTwilio
        const { nodes, port } = yield* Balancer.make
        const databaseUrl = yield* Postgres.database
        const questions = [
          "Will you come on Tuesday at ten, as we have agreed on the phone two weeks ago?",
          "Do you need a taxi?"
        ]
        const agent = { script: "Hello, this is Ada.", questions, silenceSeconds: 3 }
        const tenancy = { databaseUrl, ...(yield* ServeProcess.tenant(databaseUrl, { agent })) }
        const start = Effect.flatMap(settings, (environment) =>
          ServeProcess.startBeside(tenancy, {
            ...environment,
            OUTDIAL_DRAIN_DELAY_SECONDS: "0",
            OUTDIAL_LOG_LEVEL: "debug",
            OUTDIAL_PUBLIC_URL: `http://127.0.0.1:${port}`
          }))
        const [first, second] = yield* Effect.all([start, start], { concurrency: "unbounded" })
        const portOf = ({ url }: typeof first) => Number(new URL(url).port)
        nodes.push(portOf(first))
        const call = { agent_id: tenancy.agentId, phone_number: "+14155550101", contact: { name: "Grace" } }
        const { body: { id } } = yield* Effect.promise(() => second.request("POST", "/v1/calls", call))
        const words = () => twilio.calls[0]?.words ?? []
        // Stored, and not only said: what reaches a process in its last milliseconds may be lost, and is asked for again.
        yield* DevProcess.eventually(
          Effect.promise(() => second.request("GET", `/v1/calls/${id}/transcript`)).pipe(
            Effect.filterOrFail(
              ({ body }) => body.turns.some(({ text }: { readonly text: string }) => text === "Hello."),
              () => "not yet"
            )
          )
        )
        nodes.splice(0, 1, portOf(second))
        assert.strictEqual(yield* DevProcess.end(first, "SIGTERM"), 0, first.output().stderr)
        const ended = yield* DevProcess.eventually(
          Effect.promise(() => second.request("GET", `/v1/calls/${id}`)).pipe(
            Effect.filterOrFail(
              ({ body }) => body.status === "completed" && body.outcome !== null,
              ({ body }) => `${body.status} ${second.output().stderr}`
            )
          )
        )
        const said: ReadonlyArray<{ readonly speaker: string; readonly text: string }> = ended.body.outcome.transcript
        assert.deepStrictEqual(said.map(CarrierEngine.wordsOf), words().map(CarrierEngine.wordsOf))
        assert.include(second.output().stderr, "line 2 of its conversation")
        // A contact whose line moves at the end of the question may be asked whether they are still there.
        assert.deepStrictEqual(words().map(({ text }) => text).filter((text) => text !== "Are you still there?"), [
          "Hello, this is Ada.",
          "Hello.",
          questions[0],
          "Yes, on Tuesday.",
          questions[1],
          "No, thank you.",
          "Thank you for your time. Goodbye."
        ])
      }).pipe(Effect.provide(CheckedTwilio.layer({
        callee: () => ({ _tag: "Talks", says: ["Hello.", "Yes, on Tuesday.", "No, thank you."] }),
        // Time to stop the process while it asks the first question, also on a busy machine.
        timings: { character: 40 }
      }))),
    300_000
  )

  it.live("calls over Twilio, and the transcript has what was said", () =>
    Effect.gen(function*() {
      const { calls } = yield* FakeTwilio.FakeTwilio
      yield* CarrierGuide.call(yield* settings, calls)
    }).pipe(Effect.provide(CheckedTwilio.layer())), 120_000)

  it.live("is checked by outdial doctor, which says what is wrong", () =>
    Effect.gen(function*() {
      const environment = yield* settings
      const doctor = yield* CarrierGuide.doctor
      const check = (env: Record<string, string>) => doctor({ ...environment, ...env })
      const well = yield* check({})
      for (
        const [level, name] of [["ok", "Twilio"], ["ok", "Twilio time"], ["ok", "Twilio caller ids"], [
          "ok",
          "Twilio rate"
        ]]
      ) {
        assert.match(well, new RegExp(`^${level} +${name} `, "m"))
      }
      // It runs before the server does.
      assert.match(well, /warning +Twilio callbacks .*Start outdial serve/)
      assert.match(yield* check({ TWILIO_CALLER_ID: "+14155550199" }), /failed +Twilio caller ids .*\+14155550199/)
      assert.match(yield* check({ TWILIO_CALLS_PER_SECOND: "5" }), /warning +Twilio rate .*unless Twilio has raised it/)
      assert.match(yield* check({ TWILIO_AUTH_TOKEN: "wrong" }), /failed +Twilio .*20003/)
      assert.match(
        yield* check({ TWILIO_API_URL: `http://127.0.0.1:${ServeProcess.freePort()}` }),
        /failed +Twilio .*ECONNREFUSED/
      )
      assert.match(yield* check({ TWILIO_ACCOUNT_SID: "" }), /failed .*TWILIO_ACCOUNT_SID/)
    }).pipe(Effect.provide(CheckedTwilio.layer({ callerIds: ["+14155550100"] }))), 120_000)
})
