import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { Webhook } from "standardwebhooks"
import { describe } from "vitest"
import * as DevProcess from "../support/DevProcess.ts"
import { receiver } from "../support/HookReceiver.ts"

const { eventually, request } = DevProcess

/** Waits until `look` finds something. */
const seen = <A>(look: () => A | undefined | false, otherwise: () => string = () => "nothing") =>
  eventually(Effect.suspend(() => {
    const found = look()
    return found === undefined || found === false
      ? Effect.fail(new DevProcess.NotYet({ seen: otherwise() }))
      : Effect.succeed(found)
  }))

const timeout = 300_000

let numbers = 0
/** A simulated call to a fresh number whose callee talks to the end. */
const startCall = (ready: typeof DevProcess.Ready.Type) =>
  Effect.map(
    request(ready, "POST", "/v1/calls", {
      agent_id: ready.agent_id,
      phone_number: `+1415555${String(++numbers).padStart(3, "0")}1`,
      variables: { appointment: "Tuesday" }
    }),
    ({ body }) => String(body["id"])
  )

const waitFor = (ready: typeof DevProcess.Ready.Type, id: string, ...statuses: ReadonlyArray<string>) =>
  eventually(Effect.filterOrFail(
    Effect.map(request(ready, "GET", `/v1/calls/${id}`), ({ body }) => body),
    (call) => statuses.includes(String(call["status"])),
    (call) => new DevProcess.NotYet({ seen: String(call["status"]) })
  ))

const decodeTurns = Schema.decodeUnknownSync(Schema.Struct({
  turns: Schema.Array(Schema.Struct({ speaker: Schema.String, text: Schema.String }))
}))

/** What was said, without the number of its call. */
const spokenLines = (output: string) =>
  [...output.matchAll(/^ {2}\+\d+ {2}((?:Ada|Contact): .*)$/gmu)].flatMap((found) => found.slice(1))

describe("outdial dev", { concurrent: true }, () => {
  it.live(
    "prints exactly one line on standard output with --json, and keeps its key and agent for the next start",
    () =>
      Effect.gen(function*() {
        const data = yield* DevProcess.folder
        const first = yield* DevProcess.start(data)
        yield* request(first.ready, "POST", "/v1/calls", {
          agent_id: first.ready.agent_id,
          phone_number: "+14155550100",
          test: true,
          variables: { appointment: "Tuesday" }
        })
        yield* seen(() => first.output().stderr.includes("call.completed"), () => first.output().stderr)
        assert.strictEqual(yield* DevProcess.end(first, "SIGINT"), 130)
        assert.strictEqual(first.output().stdout.trim().split("\n").length, 1)
        const second = yield* DevProcess.start(data)
        assert.deepStrictEqual({ ...second.ready, url: "" }, { ...first.ready, url: "" })
      }),
    timeout
  )

  it.live(
    "ends a call exactly once, with one ring, when it was killed in the middle of it",
    () =>
      Effect.gen(function*() {
        const data = yield* DevProcess.folderWithDatabase
        const first = yield* DevProcess.start(data, "--speed", "20")
        const id = yield* startCall(first.ready)
        yield* waitFor(first.ready, id, "dialing", "in_progress")
        yield* DevProcess.end(first, "SIGKILL")
        const second = yield* DevProcess.start(data, "--speed", "20")
        const call = yield* waitFor(second.ready, id, "completed", "failed", "no_answer")
        assert.strictEqual(call["status"], "completed")
        yield* seen(() => second.output().stderr.includes("call.completed"))
        assert.strictEqual(second.output().stderr.split("call.completed").length, 2)
        const rings = yield* DevProcess.lines(data, "dials.jsonl")
        assert.deepStrictEqual(rings.map((ring) => [ring["call_id"], ring["phone_number"]]), [[
          id,
          call["phone_number"]
        ]])
      }),
    timeout
  )

  it.live(
    "prints a conversation as it is spoken, and continues it after a kill: each turn once",
    () =>
      Effect.gen(function*() {
        const data = yield* DevProcess.folderWithDatabase
        const first = yield* DevProcess.start(data, "--speed", "5")
        const id = yield* startCall(first.ready)
        const before = () => spokenLines(first.output().stderr)
        yield* seen(() => before().some((line) => line.startsWith("Contact: ")), () => first.output().stderr)
        yield* DevProcess.end(first, "SIGKILL")
        const second = yield* DevProcess.start(data, "--speed", "5")
        const call = yield* waitFor(second.ready, id, "completed", "failed", "no_answer")
        assert.strictEqual(call["status"], "completed")
        const { body } = yield* request(second.ready, "GET", `/v1/calls/${id}/transcript`)
        const turns = decodeTurns(body).turns.map(({ speaker, text }) =>
          `${speaker === "agent" ? "Ada" : "Contact"}: ${text}`
        )
        yield* seen(() => spokenLines(second.output().stderr).length > 0)
        assert.deepStrictEqual(turns, [...before(), ...spokenLines(second.output().stderr)])
        assert.lengthOf(turns.filter((turn) => turn.startsWith("Contact: ")), 3)
        yield* seen(() => second.output().stderr.includes("call.completed"))
        const events = `${first.output().stderr}${second.output().stderr}`.match(/call\.(?:completed|not_connected)/gu)
        assert.lengthOf(events ?? [], 1)
        assert.lengthOf(yield* DevProcess.lines(data, "dials.jsonl"), 1)
      }),
    timeout
  )

  it.live("goes on after Ctrl-C where it was: no call and no delivery is lost", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folderWithDatabase
      const first = yield* DevProcess.start(data, "--speed", "50")
      const ids = yield* Effect.forEach(Array.from({ length: 30 }), () => startCall(first.ready))
      yield* DevProcess.end(first, "SIGTERM")
      const second = yield* DevProcess.start(data, "--speed", "50")
      yield* Effect.forEach(ids, (id) => waitFor(second.ready, id, "completed"))
      yield* seen(() => {
        const events = `${first.output().stderr}${second.output().stderr}`.split("\n")
        return ids.every((id) => events.some((line) => line.includes("call.completed") && line.includes(id)))
      })
      const rings = yield* DevProcess.lines(data, "dials.jsonl")
      assert.sameMembers(rings.map((ring) => ring["call_id"]), ids)
    }), timeout)

  it.live(
    "keeps a webhook address that the user set, and delivers to it what a receiver's library verifies",
    () =>
      Effect.gen(function*() {
        const data = yield* DevProcess.folderWithDatabase
        const first = yield* DevProcess.start(data)
        const { received, url } = yield* receiver
        const set = yield* request(first.ready, "PUT", "/v1/webhook", { url })
        assert.strictEqual(set.status, 200)
        yield* DevProcess.end(first, "SIGINT")
        const second = yield* DevProcess.start(data)
        assert.strictEqual((yield* request(second.ready, "GET", "/v1/webhook")).body["url"], url)
        const { body } = yield* request(second.ready, "POST", "/v1/calls", {
          agent_id: second.ready.agent_id,
          phone_number: "+14155550100",
          test: true,
          variables: { appointment: "Tuesday" }
        })
        const delivery = yield* seen(() => received[0])
        const event = new Webhook(second.ready.webhook_secret).verify(delivery.body, delivery.headers)
        assert.deepInclude(event, { type: "call.completed", object: "event" })
        assert.strictEqual(JSON.parse(delivery.body).data.id, body["id"])
      }),
    timeout
  )

  it.live("prints curl commands that work when pasted, again and again", () =>
    Effect.gen(function*() {
      const dev = yield* DevProcess.spawnOutdial(["dev", "--data", ":memory:", "--speed", "50"])
      const commands = yield* seen(() => {
        const found = dev.output().stdout.match(/^curl .*\\\n.*$/gm) ?? []
        return found.length === 2 && found
      }, () => dev.output().stderr)
      for (const command of [...commands, ...commands.slice(0, 1)]) {
        const { stdout } = yield* Effect.promise(() => promisify(execFile)("sh", ["-c", command]))
        assert.match(stdout, /^{"id":"call_/)
      }
      assert.match(dev.output().stdout, /\nThis account calls at all hours, with 20 lines, .*\n/)
      assert.include(dev.output().stdout, `time zone data ${process.versions["tz"]}`)
      yield* seen(() => /call\.completed +\+1415\d{6}1 completed/.test(dev.output().stdout), () => dev.output().stdout)
    }), timeout)

  it.live("says what to do when the folder or the port is in use, or a flag is wrong", () =>
    Effect.gen(function*() {
      const data = yield* DevProcess.folderWithDatabase
      const first = yield* DevProcess.start(data)
      const taken = new URL(first.ready.url).port
      const failures: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["--data", data], /open in process \d+/],
        [["--data", yield* DevProcess.folderWithDatabase, "--port", taken], /Port \d+ cannot be used.*Set PORT/],
        [["--speed", "0"], /speed/],
        [["--port", "70000"], /port/]
      ]
      for (const [args, expected] of failures) {
        const dev = yield* DevProcess.spawnOutdial(["dev", ...args])
        const code = yield* Effect.callback<number | null>((resume) => {
          dev.child.once("exit", (status) => resume(Effect.succeed(status)))
        })
        assert.strictEqual(code, 1)
        assert.match(dev.output().stderr, expected)
      }
    }), timeout)
})
