/** The whole way of a batch with a language model: from the request to the events that a receiver verifies. Every part is a process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import * as CommandLine from "../support/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"
import { receiver } from "../support/HookReceiver.ts"
import * as ModelProcess from "../support/model/ModelProcess.ts"

const decodeEvent = Schema.decodeUnknownSync(Schema.Struct({
  type: Schema.String,
  data: Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    outcome: Schema.Struct({
      disposition: Schema.String,
      answers: Schema.Record(Schema.String, Schema.String),
      evidence: Schema.Struct({
        answers: Schema.Record(
          Schema.String,
          Schema.Struct({ status: Schema.String, quote: Schema.String, sequence: Schema.Int })
        ),
        prompt_version: Schema.String
      }),
      transcript: Schema.Array(Schema.Struct({ speaker: Schema.String, text: Schema.String }))
    }),
    usage: Schema.Array(Schema.Struct({
      model: Schema.String,
      requests: Schema.Int,
      input_tokens: Schema.Int,
      output_tokens: Schema.Int
    }))
  })
}))

const count = 20

describe("a language model in the processes of the quickstart", () => {
  it.live("talks in a batch of 20 calls, whose events are verified", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folderWithDatabase
      const { output, ready } = yield* DevProcess.startWith(yield* ModelProcess.start, data, "--speed", "20")
      const { received, url } = yield* receiver
      yield* DevProcess.request(ready, "PUT", "/v1/webhook", { url })
      const { body, status } = yield* DevProcess.request(ready, "POST", "/v1/batches", {
        agent_id: ready.agent_id,
        calls: Array.from({ length: count }, (_, index) => ({
          phone_number: `+1415555${String(index).padStart(3, "0")}1`,
          contact: { name: `Grace ${index}` },
          variables: { appointment: "Tuesday" }
        }))
      })
      assert.deepStrictEqual([status, body["accepted_count"]], [201, count])
      yield* DevProcess.eventually(Effect.suspend(() =>
        received.length < count
          ? new DevProcess.NotYet({ seen: `${received.length} deliveries\n${output().stderr.slice(-2000)}` })
          : Effect.void
      ))
      const events = received.map(({ body, headers }) => {
        const verified = new Webhook(ready.webhook_secret).verify(body, headers)
        return decodeEvent(verified)
      })
      assert.lengthOf(new Set(events.map(({ data }) => data.id)), count)
      for (const { data: { outcome, status, usage }, type } of events) {
        assert.deepStrictEqual([type, status], ["call.completed", "completed"])
        assert.deepStrictEqual(outcome.answers, {
          "Will you be able to come?": "Yes, that suits me.",
          "Have your symptoms changed since your last visit?": "I think so."
        })
        for (const [question, { quote, sequence, status }] of Object.entries(outcome.evidence.answers)) {
          assert.deepStrictEqual([status, quote], ["verified", outcome.answers[question]])
          assert.deepStrictEqual(outcome.transcript[sequence - 1], { speaker: "contact", text: quote })
        }
        assert.lengthOf(Object.keys(outcome.evidence.answers), 2)
        assert.strictEqual(outcome.evidence.prompt_version, "outcome-1")
        assert.strictEqual(outcome.disposition, "confirmed")
        assert.deepStrictEqual(outcome.transcript.at(-1), { speaker: "agent", text: "Goodbye." })
        assert.deepStrictEqual(usage.map(({ model }) => model), ["interviewer"])
        // For each question one to ask it and one to record its answer, one to end, and one for the outcome.
        assert.isAtLeast(usage[0]?.requests ?? 0, 6)
        assert.isAbove(usage[0]?.input_tokens ?? 0, 1_000)
        assert.isAbove(usage[0]?.output_tokens ?? 0, 10)
      }
      const { body: batch } = yield* DevProcess.request(ready, "GET", `/v1/batches/${String(body["id"])}`)
      assert.strictEqual(batch["status"], "completed")
    }), 300_000)

  it.live("talks at the keyboard", () =>
    Effect.gen(function*() {
      const agent = new URL("../../examples/own-agent/agent.json", import.meta.url).pathname
      const { code, stderr, stdout } = yield* CommandLine.run(["talk", "--agent", agent], {
        env: yield* ModelProcess.start,
        input: "hello\nyes, gladly\n"
      })
      assert.deepStrictEqual([code, stderr], [0, ""])
      for (const line of ["Ada: Will you be able to come?", "You: yes, gladly", "Ada: Goodbye.", "(agent_ended)"]) {
        assert.include(stdout, line)
      }
      assert.match(stdout, /Will you be able to come\? yes, gladly\n/u)
      assert.match(stdout, /come\? yes, gladly \(turn 5: yes, gladly\)\n/u)
    }), 300_000)
})
