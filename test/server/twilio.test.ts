/** `outdial serve` and `outdial doctor` with the settings that docs/guides/twilio.md shows, and a fake Twilio. */
import { assert, describe, it } from "@effect/vitest"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect } from "effect"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as DocumentBlocks from "../support/DocumentBlocks.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

/** The variables of the guide, with the fake one's account and address. */
const settings = Effect.gen(function*() {
  const twilio = yield* FakeTwilio.FakeTwilio
  const port = ServeProcess.freePort()
  const shown = DocumentBlocks.find("docs/guides/twilio.md", "OUTDIAL_CARRIER=twilio").matchAll(/export (\w+)=(.*)/g)
  return {
    ...Object.fromEntries(Array.from(shown, ([, name = "", value = ""]) => [name, value])),
    PORT: String(port),
    OUTDIAL_PUBLIC_URL: `http://127.0.0.1:${port}`,
    TWILIO_ACCOUNT_SID: twilio.accountSid,
    TWILIO_AUTH_TOKEN: twilio.authToken,
    TWILIO_API_URL: twilio.url
  }
})

describe("OUTDIAL_CARRIER=twilio", () => {
  it.live("calls over Twilio, and the transcript has what was said", () =>
    Effect.gen(function*() {
      const twilio = yield* FakeTwilio.FakeTwilio
      const server = yield* ServeProcess.start(yield* settings)
      const call = { agent_id: server.agentId, phone_number: "+14155550101", contact: { name: "Grace" } }
      const { body: { id } } = yield* Effect.promise(() => server.request("POST", "/v1/calls", call))
      const ended = yield* DevProcess.eventually(
        Effect.promise(() => server.request("GET", `/v1/calls/${id}`)).pipe(
          Effect.filterOrFail(
            ({ body }) => body.status === "completed" && body.outcome !== null,
            ({ body }) => `${body.status} ${server.output().stderr}`
          )
        )
      )
      const said: ReadonlyArray<{ readonly speaker: string; readonly text: string }> = ended.body.outcome.transcript
      assert.deepStrictEqual(said.map(({ speaker, text }) => ({ speaker, text })), twilio.calls[0]?.words)
      assert.strictEqual(twilio.calls[0]?.from, "+14155550100")
      assert.notInclude(server.output().stderr, "4155550101")
    }).pipe(Effect.provide(FakeTwilio.FakeTwilio.layer())), 60_000)

  it.live("is checked by outdial doctor, which says what is wrong", () =>
    Effect.gen(function*() {
      const environment = { ...yield* settings, DATABASE_URL: yield* Postgres.database }
      const check = (env: Record<string, string>) =>
        Effect.gen(function*() {
          const { run } = yield* CommandLine.inEnvironment({ ...environment, ...env })
          return (yield* run("doctor")).stdout.split("\n").filter((line) => / (Twilio|caller id|provider) /.test(line))
            .join("\n")
        })
      assert.match(yield* check({}), /ok +Twilio +The account is active/)
      assert.match(yield* check({ TWILIO_AUTH_TOKEN: "wrong" }), /failed +Twilio .*20003/)
      assert.match(
        yield* check({ TWILIO_API_URL: `http://127.0.0.1:${ServeProcess.freePort()}` }),
        /failed +Twilio .*ECONNREFUSED/
      )
      assert.match(yield* check({ TWILIO_ACCOUNT_SID: "" }), /failed .*TWILIO_ACCOUNT_SID/)
    }).pipe(Effect.provide(FakeTwilio.FakeTwilio.layer())), 60_000)
})
