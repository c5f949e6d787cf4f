import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../CommandLine.ts"

const timeout = 120_000

const example = new URL("../../../../../examples/own-agent/", import.meta.url).pathname
const agent = {
  name: "Ada",
  script: "Hello, this is Ada from Riverside Clinic about your appointment.",
  disclosure: "This call is made by an AI.",
  questions: ["Does Tuesday suit you?"],
  dispositions: ["confirmed", "declined", "callback"]
}

describe("outdial rehearse", () => {
  it.live("prints what came of the calls", () =>
    Effect.gen(function*() {
      const { file, run } = yield* CommandLine.open
      const { code, stderr, stdout } = yield* run(
        "rehearse",
        "--agent",
        yield* file("agent.json", JSON.stringify(agent))
      )
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, /^50 calls with 27 personas, seed 1\n/u)
      assert.match(stdout, /the disclosure comes first +50 of 50\n/u)
      assert.match(stdout, /as the persona expects +50 of 50\n/u)
    }), timeout)

  it.live("prints the same report for the same seed as JSON, in the agent's language", () =>
    Effect.gen(function*() {
      const { file, run } = yield* CommandLine.open
      const path = yield* file("agent.json", JSON.stringify({ ...agent, language: "de-AT" }))
      const report = (seed: string) =>
        Effect.map(
          run("rehearse", "--agent", path, "--runs", "4", "--seed", seed, "--json"),
          ({ stdout }) => JSON.parse(stdout)
        )
      const [first, again, other] = yield* Effect.all([report("7"), report("7"), report("8")])
      assert.strictEqual(first.passed, true)
      assert.lengthOf(first.runs, 4)
      const transcripts = (one: typeof first) => one.runs.map((run: { transcript: unknown }) => run.transcript)
      assert.deepStrictEqual(transcripts(first), transcripts(again))
      assert.notDeepEqual(transcripts(first), transcripts(other))
      assert.include(JSON.stringify(first), "Ja, das passt")
    }), timeout)

  it.live("rehearses a stored agent by its name, and says which there are not", () =>
    Effect.gen(function*() {
      const { file, run } = yield* CommandLine.open
      yield* run("accounts", "create", "Riverside", "--lines", "1")
      yield* run("agents", "put", yield* file("agent.json", JSON.stringify(agent)))
      const { code, stdout } = yield* run("rehearse", "--agent", "Ada", "--runs", "3")
      assert.strictEqual(code, 0)
      assert.match(stdout, /^3 calls with 3 personas/u)
      const missing = yield* run("rehearse", "--agent", "Bob")
      assert.strictEqual(missing.code, 1)
      assert.include(missing.stderr, "Bob")
    }), timeout)

  it.live("exits with 1 and prints the call when a must was not kept", () =>
    Effect.gen(function*() {
      const { file, run } = yield* CommandLine.open
      const config = yield* file(
        "deaf.config.mjs",
        `import { TextAgent } from ${JSON.stringify(import.meta.resolve("@outdial/core"))}
        export default { textAgent: TextAgent.TextAgent.layerOf(async function*({ input }) {
          yield { _tag: "Say", text: input._tag === "Opening" ? "Hello, do you like cheese?" : "Wonderful." }
          if (input._tag !== "Opening") yield { _tag: "End" }
        }) }`
      )
      const personas = yield* file(
        "personas.json",
        JSON.stringify([{ name: "tired", moves: [{ type: "says", text: "Leave me out of this.", opts_out: true }] }])
      )
      const path = yield* file("agent.json", JSON.stringify(agent))
      const { code, stderr, stdout } = yield* run(
        "rehearse",
        "--agent",
        path,
        "--config",
        config,
        "--personas",
        personas,
        "--runs",
        "2"
      )
      assert.strictEqual(code, 1)
      assert.include(stderr, "a must was not kept in 2 of 2 calls")
      assert.match(stdout, /opt-outs are on the do-not-call list +0 of 2 {2}FAILED/u)
      assert.match(stdout, /Call 1, tired, failed:\n[^\n]*Leave me out of this/u)
      assert.match(stdout, /tired: Leave me out of this\.\n/u)
    }), timeout)

  it.live("says why the agent failed, in text that a terminal only prints", () =>
    Effect.gen(function*() {
      const { file, run } = yield* CommandLine.open
      const config = yield* file(
        "failing.config.mjs",
        `import { TextAgent } from ${JSON.stringify(import.meta.resolve("@outdial/core"))}
        export default { textAgent: TextAgent.TextAgent.layerOf(async function*() {
          yield { _tag: "Say", text: "Hello \u001b[2J you." }
          throw new Error("no model")
        }) }`
      )
      const path = yield* file("agent.json", JSON.stringify(agent))
      const { code, stdout } = yield* run("rehearse", "--agent", path, "--config", config, "--runs", "1")
      assert.strictEqual(code, 1)
      assert.match(stdout, /Call 1, willing, failed:\n {2}the agent does not fail: The agent failed: no model\n/u)
      assert.include(stdout, "Ada: Hello \\u001b[2J you.")
    }), timeout)

  const refusals: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["no list", "{}", /no list of personas:\n {2}must be a list/u],
    ["an empty list", "[]", /must have at least one persona/u],
    ["no JSON", "[{", /personas\.json is not JSON/u],
    ["one with many problems", JSON.stringify(Array.from({ length: 30 }, () => ({}))), /… and 10 more problems\n$/u],
    [
      "an unknown move",
      "[{\"name\":\"x\",\"moves\":[{\"type\":\"dances\"}]}]",
      /\/0\/moves\/0 must have one of the types says,/u
    ],
    ["an unknown field", "[{\"name\":\"x\",\"mood\":\"bad\"}]", /mood/u],
    ["one name twice", "[{\"name\":\"x\"},{\"name\":\"x\"}]", /\/1\/name is the name of an earlier persona/u],
    ["a language without texts", "[{\"name\":\"x\",\"language\":\"fi\"}]", /small_talk is required/u]
  ]
  for (const [name, content, message] of refusals) {
    it.live(`refuses a file of personas: ${name}`, () =>
      Effect.gen(function*() {
        const { file, run } = yield* CommandLine.open
        const { code, stderr, stdout } = yield* run(
          "rehearse",
          "--agent",
          `${example}agent.json`,
          "--personas",
          yield* file("personas.json", content)
        )
        assert.deepStrictEqual([code, stdout], [1, ""])
        assert.match(stderr, message)
      }), timeout)
  }

  it.live("refuses numbers of calls that make no sense", () =>
    Effect.gen(function*() {
      const { run } = yield* CommandLine.withoutDatabase
      for (const runs of ["0", "-1", "1000000000", "many"]) {
        const { code, stderr } = yield* run("rehearse", "--agent", `${example}agent.json`, "--runs", runs)
        assert.strictEqual(code, 1, runs)
        assert.isNotEmpty(stderr)
      }
    }), timeout)
})
