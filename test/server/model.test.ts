/** Language models by the environment: `OUTDIAL_MODEL` in the commands that hold conversations, and in `outdial doctor`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { join } from "node:path"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as Interviewer from "../support/model/Interviewer.ts"
import * as ModelServer from "../support/model/ModelServer.ts"

const key = "sk-secret-of-the-operator"

/** A command line whose environment names the model server, and an agent in a file. */
const withModel = Effect.fnUntraced(
  function*(options: Partial<ModelServer.Options> = {}, env: Record<string, string> = {}) {
    const server = yield* ModelServer.make({ reply: Interviewer.reply, ...options })
    const commands = yield* CommandLine.inEnvironment({
      OUTDIAL_MODEL: "test-model",
      OUTDIAL_MODEL_URL: server.url,
      OUTDIAL_MODEL_KEY: key,
      ...env
    })
    return { server, ...commands, agent: yield* agentFile() }
  }
)

const agentFile = Effect.fnUntraced(function*(more: object = {}) {
  const file = join(yield* DevProcess.folder, "agent.json")
  writeFileSync(
    file,
    JSON.stringify({
      name: "Ada",
      script: "Hello, this is Ada.",
      questions: ["Will you come?", "How will you travel?"],
      dispositions: ["completed", "declined"],
      ...more
    })
  )
  return file
})

describe("OUTDIAL_MODEL", () => {
  it.live("talks at the keyboard", () =>
    Effect.gen(function*() {
      const { agent, fed, server } = yield* withModel({ key })
      const { code, stderr, stdout } = yield* fed("hello\nyes\nby train\n", "talk", "--agent", agent)
      assert.deepStrictEqual([code, stderr], [0, ""])
      for (
        const words of [
          "Ada: Will you come?",
          "Ada: How will you travel?",
          "Ada: Goodbye.",
          "agent_ended",
          "Outcome:\n  completed: They have talked.\n  Will you come? yes (turn 4: yes)\n"
        ]
      ) {
        assert.include(stdout, words)
      }
      assert.strictEqual(server.requests[0]?.model, "test-model")
      const json = yield* fed("hello\nyes\nby train\n", "talk", "--agent", agent, "--json")
      const { outcome } = json.stdout.trim().split("\n").map((line) => JSON.parse(line)).find(({ type }) =>
        type === "outcome"
      )
      assert.deepStrictEqual(outcome.evidence.answers["How will you travel?"], {
        status: "verified",
        quote: "by train",
        sequence: 6
      })
    }), 300_000)

  it.live("rehearses, and the report has the tokens", () =>
    Effect.gen(function*() {
      const { agent, run } = yield* withModel()
      const { code, stderr, stdout } = yield* run("rehearse", "--agent", agent, "--runs", "3", "--json")
      assert.deepStrictEqual([code, stderr], [0, ""])
      const { passed, usage } = JSON.parse(stdout)
      assert.isTrue(passed)
      assert.deepStrictEqual(Object.keys(usage[0]), ["model", "requests", "input_tokens", "output_tokens"])
      const text = yield* run("rehearse", "--agent", agent, "--runs", "1")
      assert.match(text.stdout, /\nTokens +test-model: \d+ read, \d+ written in \d+ requests?\n/u)
    }), 300_000)

  it.live("plays the personas with --improvise, also for an agent of your own", () =>
    Effect.gen(function*() {
      const words = "Let me improvise."
      const action = { action: "says", text: words, answers_question: false, asks_not_to_be_called_again: false }
      const { agent, run, server } = yield* withModel({
        reply: (request) =>
          request.response_format === undefined ? Interviewer.reply(request) : { text: JSON.stringify(action) }
      })
      const args = ["rehearse", "--agent", agent, "--runs", "1", "--json", "--improvise"]
      const { code, stderr, stdout } = yield* run(...args)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, words)
      const config = join(import.meta.dirname, "../../examples/own-agent/outdial.config.ts")
      const before = server.requests.length
      assert.include((yield* run(...args, "--config", config)).stdout, words)
      assert.isTrue(server.requests.slice(before).every((request) => request.response_format !== undefined))
      const scripted = yield* CommandLine.withoutDatabase
      assert.include((yield* scripted.run(...args)).stderr, "--improvise needs a language model; set OUTDIAL_MODEL")
    }), 300_000)

  it.live("refuses an agent that names another model, also where there is none", () =>
    Effect.gen(function*() {
      const { run } = yield* withModel()
      const agent = yield* agentFile({ model: "gpt-9" })
      for (const command of ["rehearse", "talk"]) {
        const { code, stderr } = yield* run(command, "--agent", agent)
        assert.strictEqual(code, 1)
        assert.include(stderr, "model is not known to this deployment; known are test-model")
      }
      const scripted = yield* CommandLine.withoutDatabase
      assert.include((yield* scripted.run("talk", "--agent", agent)).stderr, "known are none")
    }), 300_000)

  const refused: ReadonlyArray<readonly [string, Record<string, string>, string]> = [
    [
      "a model without an address",
      { OUTDIAL_MODEL: "llama" },
      "OUTDIAL_MODEL=llama is a model at OUTDIAL_MODEL_URL, which is not set"
    ],
    [
      "a provider without a key",
      { OUTDIAL_MODEL: "openai:gpt-5" },
      "OUTDIAL_MODEL=openai:gpt-5 needs OUTDIAL_MODEL_KEY"
    ],
    [
      "a provider without a model",
      { OUTDIAL_MODEL: "google:", OUTDIAL_MODEL_KEY: key },
      "OUTDIAL_MODEL=google: names no model"
    ],
    ["spaces", { OUTDIAL_MODEL: "gpt 5" }, "OUTDIAL_MODEL must be scripted, or a model such as openai:gpt-5-mini"],
    [
      "an address that is none",
      { OUTDIAL_MODEL: "m", OUTDIAL_MODEL_URL: "localhost:11434" },
      "OUTDIAL_MODEL_URL must be an address"
    ],
    ["a key without a model", { OUTDIAL_MODEL_KEY: key }, "OUTDIAL_MODEL_KEY is set, and OUTDIAL_MODEL names no model"],
    [
      "an address without a model",
      { OUTDIAL_MODEL: "scripted", OUTDIAL_MODEL_URL: "http://localhost/v1" },
      "OUTDIAL_MODEL_URL is set, and"
    ]
  ]
  it.live.each(refused)(
    "that is wrong refuses to start and says what to do: %s",
    ([, env, message]) =>
      Effect.gen(function*() {
        const { run } = yield* CommandLine.inEnvironment(env)
        const { code, stderr, stdout } = yield* run("talk", "--agent", yield* agentFile())
        assert.strictEqual(code, 1)
        assert.include(stderr, message)
        assert.notInclude(stderr + stdout, key)
      }),
    300_000
  )

  it.live("makes no outcomes where the module has an outcome source", () =>
    Effect.gen(function*() {
      const { fed, server } = yield* withModel()
      const file = join(import.meta.dirname, "../support/clinic.config.ts")
      const agent = yield* agentFile({ dispositions: ["done"] })
      const { code, stderr, stdout } = yield* fed("hello\nyes\n", "talk", "--agent", agent, "--config", file)
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.include(stdout, "Outcome:\n  done: They said: ")
      assert.isNotEmpty(server.requests)
      assert.isTrue(server.requests.every((request) => request.response_format === undefined))
    }), 300_000)

  it.live("and an agent of the module exclude each other", () =>
    Effect.gen(function*() {
      const { agent, run } = yield* withModel()
      const file = join(import.meta.dirname, "../../examples/own-agent/outdial.config.ts")
      const { code, stderr } = yield* run("talk", "--agent", agent, "--config", file)
      assert.strictEqual(code, 1)
      assert.include(stderr, "OUTDIAL_MODEL=test-model and textAgent in the configuration module exclude each other")
    }), 300_000)
})

/** What a provider's own client asks for. It is refused. */
const provider = Effect.acquireRelease(
  Effect.promise(async () => {
    const seen: Array<Pick<IncomingMessage, "headers" | "url">> = []
    const server = createServer((request, response) => {
      seen.push({ headers: request.headers, url: request.url ?? "" })
      response.writeHead(401, { "content-type": "application/json" }).end(
        JSON.stringify({ error: { message: `wrong: ${key}` } })
      )
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const address = server.address()
    return { seen, server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` }
  }),
  ({ server }) => Effect.promise(() => new Promise((done) => server.close(done)))
)

describe("outdial doctor", () => {
  const checkOf = (stdout: string) =>
    JSON.parse(stdout).checks.filter(({ check }: { readonly check: string }) => check === "model")

  it.live("asks the model one question", () =>
    Effect.gen(function*() {
      const { run, server } = yield* withModel({ reply: () => ({ text: "ready" }) })
      const [check, ...others] = checkOf((yield* run("doctor", "--json")).stdout)
      assert.isEmpty(others)
      assert.strictEqual(check.level, "ok")
      assert.match(check.message, /^test-model answered in \d+ ms$/u)
      assert.lengthOf(server.requests, 1)
      const scripted = yield* CommandLine.withoutDatabase
      assert.isEmpty(checkOf((yield* scripted.run("doctor", "--json")).stdout))
    }), 300_000)

  it.live("says what is wrong with it, and never the key", () =>
    Effect.gen(function*() {
      const cases: ReadonlyArray<readonly [Partial<ModelServer.Options>, string]> = [
        [{ key: "another" }, "test-model did not answer: it refuses the key"],
        [
          { model: "another" },
          "test-model did not answer: it refuses the request with status 404, as for a model that does not exist"
        ],
        [{ reply: () => ({ status: 500 }) }, "test-model did not answer: it has failed with status 500"]
      ]
      for (const [options, message] of cases) {
        const { run } = yield* withModel(options)
        const { code, stderr, stdout } = yield* run("doctor", "--json")
        assert.strictEqual(code, 1)
        assert.deepStrictEqual(checkOf(stdout), [{ check: "model", level: "failed", message }])
        assert.notInclude(stdout + stderr, key)
      }
    }), 300_000)

  it.live.each(
    [
      ["openai", "authorization", `Bearer ${key}`, "/chat/completions"],
      ["anthropic", "x-api-key", key, "/messages"],
      ["google", "x-goog-api-key", key, "/models/some-model:generateContent"]
    ] as const
  )("asks by the client of the provider: %s", ([name, header, value, path]) =>
    Effect.gen(function*() {
      const { seen, url } = yield* provider
      const model = `${name}:some-model`
      const { run } = yield* CommandLine.inEnvironment({
        OUTDIAL_MODEL: model,
        OUTDIAL_MODEL_URL: url,
        OUTDIAL_MODEL_KEY: key
      })
      const { stderr, stdout } = yield* run("doctor", "--json")
      assert.deepStrictEqual(checkOf(stdout), [
        { check: "model", level: "failed", message: `${model} did not answer: it refuses the key` }
      ])
      assert.deepStrictEqual(seen.map(({ headers, url }) => [headers[header], url]), [[value, path]])
      assert.notInclude(stdout + stderr, key)
    }), 300_000)
})
