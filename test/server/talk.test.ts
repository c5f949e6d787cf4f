import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../support/CommandLine.ts"

const timeout = 300_000

const example = new URL("../../examples/own-agent/", import.meta.url)
const args = ["talk", "--agent", `${example.pathname}agent.json`, "--config", `${example.pathname}outdial.config.ts`]

describe("outdial talk as a process", () => {
  it.live("talks with your own agent, by a script on standard input", () =>
    Effect.gen(function*() {
      const script = "Who is this?\nYes, I will.\n"
      const { code, stderr, stdout } = yield* CommandLine.run([...args, "--contact", "Grace"], { input: script })
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(
        stdout,
        [
          "Ada: This call is made by an AI.",
          "Ada: Hello Grace, this is Ada from Riverside Clinic about your appointment on Tuesday.",
          "Ada: Will you be able to come?",
          "You: Who is this?",
          "Ada: Please say yes or no. Will you be able to come?",
          "You: Yes, I will.",
          "Ada: Wonderful, see you then. Goodbye.",
          "",
          "The call has ended: the agent said goodbye (agent_ended)",
          "Notes:",
          "  Will you be able to come? yes, i will.",
          ""
        ].join("\n")
      )
    }), timeout)

  it.live("fails for a module that has no agent of that form", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* CommandLine.run([...args.slice(0, -1), `${example.pathname}agent.ts`])
      assert.strictEqual(code, 1)
      assert.match(stderr, /agent\.ts has no configuration as its default export/u)
    }), timeout)
})
