/** A server that is killed, or stands still, while it holds twenty conversations; another one goes on with them. */
import { assert, describe, it } from "@effect/vitest"
import { Tones } from "@outdial/testkit"
import { Effect, Redacted } from "effect"
import * as CarrierGuide from "../../support/CarrierGuide.ts"
import * as DevProcess from "../../support/DevProcess.ts"
import * as Postgres from "../../support/postgres.ts"
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

const isFinal = (status: string | undefined) =>
  status !== undefined && !["queued", "dialing", "in_progress"].includes(status)

describe("A server that calls over Asterisk", () => {
  // Each takes more than a minute.
  const signals = process.env["OUTDIAL_ASTERISK_STEP"] === "1" ? ["SIGKILL", "SIGSTOP"] as const : ["SIGKILL"] as const
  for (const signal of signals) {
    it.live(
      `and gets ${signal} while it holds twenty conversations rings no phone twice, and leaves no call behind`,
      () =>
        Effect.gen(function*() {
          const phones = yield* SipPhone.make
          phones.behave(() => ({ answersAfter: 300, says: speech }))
          const pbx = yield* Pbx.make({ phones: phones.port })
          const settings = {
            ...CarrierGuide.settings("docs/guides/asterisk.md", "OUTDIAL_CARRIER=asterisk", {
              ASTERISK_ARI_URL: pbx.ariUrl,
              ASTERISK_ARI_PASSWORD: Redacted.value(pbx.password)
            }),
            ASTERISK_CALLS_PER_SECOND: "20",
            OUTDIAL_CONFIG: "test/asterisk/tones.config.ts"
          }
          const databaseUrl = yield* Postgres.database
          // Long conversations: the contact answers a question every eight seconds.
          const questions = ["Will you come?", "On Tuesday?", "At ten?"]
          const tenancy = { databaseUrl, ...(yield* ServeProcess.tenant(databaseUrl, { agent: { questions } })) }
          const dying = yield* ServeProcess.startBeside(tenancy, settings)
          const ids: Array<string> = []
          for (let index = 0; index < 24; index++) {
            const { body } = yield* Effect.promise(() =>
              dying.request("POST", "/v1/calls", {
                agent_id: dying.agentId,
                phone_number: `+141555501${String(index).padStart(2, "0")}`,
                contact: { name: "Grace" }
              })
            )
            ids.push(body.id)
          }
          const talking = () => phones.calls.filter(({ state }) => state === "answered").length
          yield* DevProcess.eventually(Effect.suspend(() =>
            talking() >= 20
              ? Effect.void
              : Effect.fail(new DevProcess.NotYet({ seen: `${talking()} talk ${dying.output().stderr}` }))
          ))
          const living = yield* ServeProcess.startBeside(tenancy, {
            ...settings,
            PORT: String(ServeProcess.freePort())
          })
          assert.isAtLeast(talking(), 20)
          dying.child.kill(signal)
          const read = Effect.promise(() =>
            Promise.all(ids.map(async (id) => (await living.request("GET", `/v1/calls/${id}`)).body))
          )
          const calls = yield* DevProcess.eventually(
            Effect.filterOrFail(
              read,
              (all) => all.every(({ status }) => isFinal(status)),
              (all) =>
                new DevProcess.NotYet({ seen: `${all.map(({ status }) => status).join()} ${living.output().stderr}` })
            )
          ).pipe(Effect.retry({ times: 2 }))
          const rings = (id: string) => phones.calls.filter(({ callId }) => callId === id).length
          for (const { id, status, status_reason } of calls) {
            assert.strictEqual(
              rings(id),
              status === "failed" ? Math.min(rings(id), 1) : 1,
              `${status} ${JSON.stringify(status_reason)}`
            )
          }
          assert.isAtLeast(calls.filter(({ status }) => status === "completed").length, 20)
          assert.isTrue(phones.calls.every(({ state }) => state === "over"))
          yield* Calls.untilClean(pbx)
        }),
      600_000
    )
  }
})
