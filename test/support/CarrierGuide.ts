/** `outdial serve` and `outdial doctor` with the settings that a carrier's guide shows, and a fake of the carrier. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as CarrierEngine from "../telephony/fake/CarrierEngine.ts"
import * as DevProcess from "./DevProcess.ts"
import * as DocumentBlocks from "./DocumentBlocks.ts"
import * as Postgres from "./postgres.ts"
import * as ServeProcess from "./ServeProcess.ts"

/** The variables of the guide, on a free port, with the fake one's account and address. */
export const settings = (guide: string, words: string, fake: Readonly<Record<string, string>>) => {
  const port = ServeProcess.freePort()
  const shown = DocumentBlocks.find(guide, words).matchAll(/export (\w+)=(.*)/g)
  return {
    ...Object.fromEntries(Array.from(shown, ([, name = "", value = ""]) => [name, value])),
    PORT: String(port),
    OUTDIAL_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...fake
  }
}

type Said = Parameters<typeof CarrierEngine.wordsOf>[0]

/** Serves, calls a number, and fails unless the transcript has what was said. */
export const call = Effect.fnUntraced(function*(
  environment: Readonly<Record<string, string>>,
  calls: ReadonlyArray<{ readonly from: string; readonly words: ReadonlyArray<Said> }>
) {
  const server = yield* ServeProcess.start(environment)
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
  const said: ReadonlyArray<Said> = ended.body.outcome.transcript
  assert.strictEqual(said.at(-1)?.text, "Thank you for your time. Goodbye.")
  // The contact may go on after the goodbye, until the carrier hangs up.
  const heard = calls[0]?.words.slice(0, said.length) ?? []
  assert.deepStrictEqual(said.map(CarrierEngine.wordsOf), heard.map(CarrierEngine.wordsOf))
  assert.strictEqual(calls[0]?.from, "+14155550100")
  assert.notInclude(server.output().stderr, "4155550101")
})

/** What `outdial doctor` says of the carrier with these settings. */
export const doctor = Effect.map(
  Postgres.database,
  (databaseUrl) =>
    Effect.fnUntraced(function*(environment: Readonly<Record<string, string>>) {
      const { run } = yield* CommandLine.inEnvironment({ ...environment, DATABASE_URL: databaseUrl })
      return (yield* run("doctor")).stdout.split("\n").filter((line) =>
        / (Asterisk|Telnyx|Twilio|trunk|dialplan|provider) |_PUBLIC_KEY/
          .test(line)
      )
        .join("\n")
    })
)
