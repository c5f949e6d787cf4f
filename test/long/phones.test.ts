/**
 * Calls on `outdial serve` with two nodes on one Postgres, over a fake Twilio, with a language model as the agent. One node is killed in
 * the middle of its conversations. Twilio reaches both nodes under one address.
 */
import { assert, describe, it } from "@effect/vitest"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Schedule, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import * as Balancer from "../support/Balancer.ts"
import * as DevProcess from "../support/DevProcess.ts"
import { receiver } from "../support/HookReceiver.ts"
import * as ModelProcess from "../support/model/ModelProcess.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"
import * as CheckedTwilio from "../telephony/twilio/CheckedTwilio.ts"

const size = 50

const questions = [
  "Will you come on Tuesday?",
  "Do you need a taxi?",
  "Is your address the same?",
  "Shall we write to you?"
]

const says = Array.from({ length: 40 }, (_, index) => `This is answer ${index + 1} of mine`)

/**
 * Words are on record 250 ms after they were said, which `conversations.test.ts` checks to half a second. Here a language model and the
 * carrier compete for the same cores: words may take seconds until the node has them.
 */
const durable = 250 + 3_000

/** By the last digit, nine in ten are talked to. */
const callee = (to: string): FakeTwilio.Callee => to.endsWith("7") ? { _tag: "Voicemail" } : { _tag: "Talks", says }

const Turn = Schema.Struct({ speaker: Schema.Literals(["agent", "contact"]), text: Schema.String })

const decodeEvent = Schema.decodeUnknownSync(Schema.Struct({
  type: Schema.String,
  data: Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    status_reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
    phone_number: Schema.String,
    outcome: Schema.NullOr(Schema.Struct({ transcript: Schema.Array(Turn) }))
  })
}))

const until = (is: () => boolean, seen: () => string) =>
  DevProcess.eventually(Effect.suspend(() => is() ? Effect.void : new DevProcess.NotYet({ seen: seen() })))

const isTalking = ({ status, words }: FakeTwilio.FakeCall) =>
  status === "in-progress" && words.filter(({ speaker }) => speaker === "contact").length >= 2

describe("50 calls over Twilio with a language model and two nodes, one of which is killed", () => {
  it.live(
    "rings no number twice, ends every call once, and keeps the words from before the kill",
    () =>
      Effect.gen(function*() {
        const twilio = yield* FakeTwilio.FakeTwilio
        const model = yield* ModelProcess.start
        const { nodes, port } = yield* Balancer.make
        const hooks = yield* receiver
        const databaseUrl = yield* Postgres.database
        const tenancy = {
          databaseUrl,
          ...(yield* ServeProcess.tenant(databaseUrl, {
            agent: { firstMessage: "Hello, this is Ada from the clinic.", questions },
            lines: size
          }))
        }
        const node = ServeProcess.startBeside(tenancy, {
          ...model,
          OUTDIAL_CARRIER: "twilio",
          OUTDIAL_PUBLIC_URL: `http://127.0.0.1:${port}`,
          OUTDIAL_WEBHOOK_ALLOW: new URL(hooks.url).host,
          TWILIO_ACCOUNT_SID: twilio.accountSid,
          TWILIO_AUTH_TOKEN: twilio.authToken,
          TWILIO_API_URL: twilio.url,
          TWILIO_CALLER_ID: "+14155550100",
          TWILIO_CALLS_PER_SECOND: "100"
        })
        const [killed, other] = yield* Effect.all([node, node], { concurrency: "unbounded" })
        nodes.push(Number(new URL(killed.url).port), Number(new URL(other.url).port))
        const { body: { secret } } = yield* Effect.promise(() =>
          other.request("PUT", "/v1/webhook", { url: hooks.url })
        )
        const { status } = yield* Effect.promise(() =>
          other.request("POST", "/v1/batches", {
            agent_id: other.agentId,
            calls: Array.from(
              { length: size },
              (_, index) => ({ phone_number: `+14155551${String(index).padStart(3, "0")}` })
            )
          })
        )
        assert.strictEqual(status, 201)

        const talking = () => twilio.calls.filter(isTalking).length
        yield* until(
          () => talking() >= 25,
          () => `${talking()} conversations in ${twilio.calls.length} calls; ${other.output().stderr.slice(-1000)}`
        )
        const killedAt = Date.now()
        yield* DevProcess.end(killed, "SIGKILL")

        /** An event that the killed node had sent, and not yet put on record, comes again. */
        const terminal = () => {
          const sent = new Map(hooks.received.map((delivery) => [delivery.headers["webhook-id"], delivery]))
          return [...sent.values()].map(({ body, headers }) => {
            const verified = new Webhook(String(secret)).verify(body, headers)
            return decodeEvent(verified)
          }).filter(({ type }) => type === "call.completed" || type === "call.not_connected")
        }
        yield* until(() => terminal().length >= size, () => `${terminal().length} ends`).pipe(
          // The outcome of a call that the killed node was making waits for its lease, a minute.
          Effect.retry({ schedule: Schedule.spaced("1 second"), times: 3 })
        )
        const events = terminal()
        assert.lengthOf(events, size, "one terminal event for each call")
        assert.lengthOf(new Set(events.map(({ data }) => data.id)), size)
        assert.lengthOf(twilio.calls, new Set(twilio.calls.map(({ to }) => to)).size, "a number rang twice")
        assert.isEmpty(twilio.calls.filter(({ endedAt }) => endedAt === undefined), "a line is still open")

        let resumed = 0
        for (const { data } of events) {
          const call = twilio.calls.find(({ to }) => to === data.phone_number)
          // The node was killed between the permission to dial and the dial.
          if (call === undefined) {
            assert.strictEqual(data.status, "failed")
            continue
          }
          if (call.to.endsWith("7")) {
            assert.strictEqual(data.status, "no_answer")
            continue
          }
          const evidence = JSON.stringify({
            data,
            call,
            callbacks: twilio.callbacks.filter(({ id }) => id === call.id),
            killedAt
          })
          const recorded = (data.outcome?.transcript ?? []).flatMap(({ speaker, text }) =>
            speaker === "contact" ? [text] : []
          )
          // What the contact says to a goodbye may be cut off.
          const last = call.words.findIndex(({ text }) => text.endsWith("Goodbye."))
          const said = (last < 0 ? call.words : call.words.slice(0, last)).filter(({ speaker }) =>
            speaker === "contact"
          )
          const before = said.filter(({ at }) => at < killedAt - durable)
          for (const { text } of before) assert.include(recorded, text, evidence)
          // Twilio ends a call whose application it cannot reach, as in the moment of the kill.
          assert.strictEqual(data.status, recorded.length > 0 ? "completed" : "no_answer", evidence)
          // Each answer is another one: none is on record twice or in another order.
          assert.deepStrictEqual(
            recorded,
            said.map(({ text }) => text).filter((text) => recorded.includes(text)),
            evidence
          )
          if (said.some(({ at }) => at < killedAt) && said.some(({ at }) => at > killedAt)) resumed += 1
        }
        assert.isAtLeast(resumed, 10, "conversations that went on after the kill")
        for (const { output } of [killed, other]) assert.notMatch(output().stderr, /\+?14155551\d{3}/u)
      }).pipe(Effect.provide(CheckedTwilio.layer({ callee, timings: { character: 1, reply: 1_000 } }))),
    240_000
  )
})
