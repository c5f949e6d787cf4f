/** Runs the commands and writes the files of the documentation. */
import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "@outdial/core/webhooks"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as ModelServer from "../support/model/ModelServer.ts"
import * as DocumentBlocks from "../support/DocumentBlocks.ts"
import { database, layerEmpty } from "../support/postgres.ts"

const root = resolve(import.meta.dirname, "../..")
const tried = new Set<string>()

/** The block, which is tried with this. */
const block = (file: string, words: string) => {
  const code = DocumentBlocks.find(file, words)
  tried.add(code)
  return code
}

/** Tried by another test, which names the file that it reads it from. */
const elsewhere: ReadonlyArray<readonly [file: string, words: string, by: string]> = [
  ["README.md", "npm test", ".ci/run"],
  ["README.md", "outdial explain", "test/long/packages.test.ts"],
  ["docs/quickstart.md", "outdial serve", "test/long/packages.test.ts"],
  ["docs/quickstart.md", "npm start", "test/server/dev.test.ts"],
  ["docs/quickstart.md", "outdial -- call", "test/server/call.test.ts"],
  ["docs/guides/language-models.md", "OUTDIAL_MODEL=", "test/server/model.test.ts"],
  ["docs/guides/rehearse.md", "--improvise", "test/server/model.test.ts"],
  ["docs/guides/several-carriers.md", "OUTDIAL_CARRIER=twilio,telnyx", "test/server/severalCarriers.test.ts"],
  ["docs/guides/several-carriers.md", "failover", "test/server/severalCarriers.test.ts"],
  ["docs/guides/telnyx.md", "OUTDIAL_CARRIER=telnyx", "test/server/telnyx.test.ts"],
  ["docs/guides/telnyx.md", "outdial call", "test/server/call.test.ts"],
  ["docs/guides/asterisk.md", "OUTDIAL_CARRIER=asterisk", "test/asterisk/server.test.ts"],
  ["docs/guides/asterisk.md", "outdial call", "test/server/call.test.ts"],
  ["docs/guides/asterisk.md", "docker compose", "test/asterisk/server.test.ts"],
  ["docs/guides/twilio.md", "OUTDIAL_CARRIER=twilio", "test/server/twilio.test.ts"],
  ["docs/guides/twilio.md", "outdial call", "test/server/call.test.ts"],
  ["docs/guides/telnyx.md", "scripts/live/telnyx.ts", "test/telephony/fake/live.test.ts"],
  ["docs/guides/twilio.md", "scripts/live/twilio.ts", "test/telephony/fake/live.test.ts"],
  ["docs/guides/voice.md", "OUTDIAL_VOICE=", "test/server/voice.test.ts"],
  ["docs/guides/console.md", "outdial console link", "packages/server/test/cli/console/console.test.ts"],
  ["docs/guides/operate.md", "outdial doctor", "packages/server/test/doctor/doctor.test.ts"],
  ["docs/guides/operate.md", "outdial carriers list", "packages/server/test/cli/carrier/carriers.test.ts"]
]

const secretKey = "dGVzdCBrZXksIG5vdCBmb3IgcHJvZHVjdGlvbiAhISE="

/**
 * Runs the block as a module of its own in this process, and answers what it printed. It must be JavaScript too, which has no types. It
 * imports the sources, because it is not below `node_modules`.
 */
const runModule = (code: string, env: Record<string, string>) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const folder = join(root, ".outdial/blocks")
      await mkdir(folder, { recursive: true })
      const file = join(folder, `${crypto.randomUUID()}.mjs`)
      const surroundings = `
        export const printed = []
        const console = { log: (...values) => void printed.push(format(...values)) }
        const process = { env: ${JSON.stringify(env)} }
      `
      await writeFile(file, `import { format } from "node:util"\n${surroundings}\n${code}`)
      return file
    }),
    (file) =>
      Effect.promise(async () => {
        const { printed }: { readonly printed: ReadonlyArray<string> } = await import(file)
        return printed.map((line) => `${line}\n`).join("")
      }),
    (file) => Effect.promise(() => rm(file))
  )

const started = "\nconsole.log((await engine.calls.list()).items.length)\n"

/** Runs the statements of a block with these names. */
const runWith = (names: Readonly<Record<string, unknown>>, code: string): Effect.Effect<unknown> => {
  // oxlint-disable-next-line typescript/no-implied-eval -- the code is the documentation's, to be run as it stands
  const statements = new Function("names", `with (names) return (async () => {${code}})()`)
  return Effect.promise(() => statements(names))
}

/** The command line on a Postgres of its own, and a way to write files for it. */
const commandLine = Effect.gen(function*() {
  const env = { DATABASE_URL: yield* database, OUTDIAL_SECRET_KEY: secretKey }
  const folder = yield* DevProcess.folder
  const commands = yield* CommandLine.inEnvironment(env)
  yield* commands.run("migrate")
  const account = yield* commands.json("accounts", "create", "Clinic")
  const file = (name: string, content: string) =>
    Effect.as(Effect.promise(() => writeFile(join(folder, name), content)), join(folder, name))
  return { ...commands, account, env, file }
})

/** The lines of a block for a shell, without what is said of them. */
const lines = (code: string) =>
  code.trim().replaceAll("\\\n", " ").split("\n").map((line) => line.replace(/ {2,}#.*$/, ""))

describe("the code in the documentation", () => {
  it.live("docs/guides/postgres.md: on Postgres, and embedded", () =>
    Effect.gen(function*() {
      const env = { DATABASE_URL: yield* database, OUTDIAL_SECRET_KEY: secretKey }
      const folder = yield* DevProcess.folderWithDatabase
      const onPostgres = block("docs/guides/postgres.md", "postgres({")
      const embedded = block("docs/guides/postgres.md", "embedded(").replace("./data", folder)
      const onClient = block("docs/guides/postgres.md", "postgresOn(")
      for (const code of [onPostgres, onClient, embedded]) {
        assert.strictEqual(yield* runModule(code + started, env), "0\n")
      }
    }), 120_000)

  it.live("docs/concepts/scheduling.md: a stop from code", () =>
    Effect.gen(function*() {
      const engine = yield* Effect.promise(() => TestEngine.open())
      const code = block("docs/concepts/scheduling.md", "engine.pauseAll")
      yield* runWith({ engine }, code)
      assert.isTrue(yield* Effect.promise(() => engine.allPaused()))
      assert.isTrue((yield* Effect.promise(() => engine.settings.get())).paused)
      yield* Effect.promise(() => engine.close())
    }))

  it.live("docs/guides/receive-webhooks.md: two secrets", () =>
    Effect.gen(function*() {
      const engine = yield* Effect.promise(() => TestEngine.open())
      yield* Effect.promise(() =>
        engine.calls.start({ agentId: engine.agentId, phoneNumber: "+14155550100", test: true })
      )
      yield* Effect.promise(() => engine.drain())
      const [delivery] = engine.inbox()
      const code = block("docs/guides/receive-webhooks.md", "newSecret")
      const oldSecret = engine.webhookSecret
      const newSecret = `whsec_${"n".repeat(48)}`
      const event = yield* runWith({ verifyWebhook, ...delivery, newSecret, oldSecret }, `return ${code}`)
      assert.deepStrictEqual(event, delivery?.event)
      yield* Effect.promise(() => engine.close())
    }))

  it.live(
    "docs/concepts/scheduling.md and docs/decisions.md: the commands, and files of time zones",
    () =>
      Effect.gen(function*() {
        const { account, env, file, json, run } = yield* commandLine
        const agentFile = yield* file(
          "agent.json",
          `{"name":"Ada","script":"Hi","questions":[],"dispositions":["yes"]}`
        )
        yield* json("agents", "put", agentFile)
        const policy = yield* file("policy.json", block("docs/concepts/scheduling.md", "calling_hours"))
        const commands = ["policy presets", "outdial resume"].flatMap((words) =>
          lines(block("docs/concepts/scheduling.md", words))
        )
        assert.isAbove(commands.length, 5)
        for (const command of commands) {
          const args = command.replace("acct_…", account.id).replace("policy.json", policy).split(/\s+/).slice(1)
          const { code, stderr } = yield* run(...args)
          assert.strictEqual(code, 0, `${command}: ${stderr}`)
        }
        const [explain = "", preview = ""] = lines(block("docs/concepts/scheduling.md", "outdial explain"))
        assert.strictEqual((yield* run(...preview.split(" ").slice(1))).code, 0)
        const unknown = explain.replace("call_01J…", "call_01J00000000000000000000000")
        assert.include((yield* run(...unknown.split(" ").slice(1))).stderr, "There is no call")
        for (const page of ["docs/concepts/scheduling.md", "docs/decisions.md"]) {
          const zones = yield* file("zones.json", block(page, "America/Winnipeg"))
          const corrected = yield* CommandLine.inEnvironment({ ...env, OUTDIAL_TIME_ZONES: zones })
          const { code, stderr } = yield* corrected.run("preview", "+12045550100")
          assert.strictEqual(code, 0, `${page}: ${stderr}`)
        }
      }),
    120_000
  )

  it.live("docs/guides/retention.md: the commands, and how long calls are kept", () =>
    Effect.gen(function*() {
      const { account, file, run } = yield* commandLine
      const policy = yield* file("policy.json", block("docs/guides/retention.md", "transcript_days"))
      assert.strictEqual((yield* run("accounts", "set", "--policy", policy)).code, 0)
      for (const words of ["outdial usage", "outdial erase"]) {
        const [command = ""] = lines(block("docs/guides/retention.md", words))
        const args = command.replace("acct_…", account.id).split(/\s+/).slice(1)
        const { code, stderr } = yield* run(...args)
        assert.strictEqual(code, 0, `${command}: ${stderr}`)
      }
    }), 120_000)

  it.live("docs/quickstart.md: what to ask the dev server", () =>
    Effect.gen(function*() {
      const { ready } = yield* DevProcess.start(yield* DevProcess.folderWithDatabase)
      const { body: call } = yield* DevProcess.request(ready, "POST", "/v1/calls", {
        agent_id: ready.agent_id,
        phone_number: "+14155550100",
        variables: { appointment: "Tuesday" },
        test: true
      })
      for (const words of ["CALL_ID", "/v1/webhook"]) {
        const [command = ""] = lines(block("docs/quickstart.md", words))
        const line = command.replace("http://127.0.0.1:4010", ready.url).replace("YOUR_KEY", ready.api_key)
          .replace("CALL_ID", String(call["id"]))
        const { stdout } = yield* Effect.promise(() => promisify(execFile)("sh", ["-ec", line]))
        assert.isUndefined(JSON.parse(stdout).error, `${line}: ${stdout}`)
      }
    }), 120_000)

  it.live("docs/guides/live-transcripts.md: the requests", () =>
    Effect.gen(function*() {
      const { ready } = yield* DevProcess.start(yield* DevProcess.folderWithDatabase)
      const { body: { id } } = yield* DevProcess.request(ready, "POST", "/v1/calls", {
        agent_id: ready.agent_id,
        phone_number: "+14155550100",
        variables: { appointment: "Tuesday" },
        test: true
      })
      const answer = Effect.fnUntraced(function*(words: string) {
        const [command = ""] = lines(block("docs/guides/live-transcripts.md", words))
        const line = command.replace("http://127.0.0.1:4010", ready.url).replace("YOUR_KEY", ready.api_key)
          .replace("CALL_ID", String(id))
        return (yield* Effect.promise(() => promisify(execFile)("sh", ["-ec", line]))).stdout
      })
      const { sealed, turns } = JSON.parse(yield* answer("curl -s http"))
      assert.isTrue(sealed)
      const stream = yield* answer("curl -sN http")
      const data = Array.from(stream.matchAll(/^data: (.*)$/gm), ([, json = ""]) => JSON.parse(json))
      assert.deepStrictEqual(data, [...turns, { call_id: id }])
    }), 120_000)

  it.live("docs/guides/live-transcripts.md: how a host ends its streams", () =>
    Effect.gen(function*() {
      const closed: Array<string> = []
      const noted = (name: string) => () => void closed.push(name)
      const names = {
        engine: { prepareToClose: async () => closed.push("streams") },
        server: { close: noted("server") }
      }
      yield* runWith(names, block("docs/guides/live-transcripts.md", "prepareToClose"))
      assert.deepStrictEqual(closed, ["streams", "server"])
    }), 120_000)

  it.live("docs/guides/scale.md: what a pooler does not set", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const role = `outdial_${crypto.randomUUID().replaceAll("-", "")}`
      yield* Effect.acquireRelease(
        sql.unsafe(`create role ${role}`),
        () => Effect.orDie(sql.unsafe(`drop role ${role}`))
      )
      for (const statement of lines(block("docs/guides/scale.md", "alter role"))) {
        yield* sql.unsafe(statement.replace("role outdial", `role ${role}`))
      }
      const [{ rolconfig } = {}] = yield* sql<{ rolconfig: ReadonlyArray<string> }>`
        select rolconfig
        from pg_roles
        where rolname = ${role}`
      const set = ["statement_timeout=10s", "idle_in_transaction_session_timeout=30s", "jit=off", "search_path=outdial"]
      assert.deepStrictEqual(rolconfig, set)
    }).pipe(Effect.scoped, Effect.provide(layerEmpty)))

  it.live("docs/guides/agents.md: conversations at the keyboard", () =>
    Effect.gen(function*() {
      const { fed } = yield* CommandLine.withoutDatabase
      const page = "docs/guides/agents.md"
      const commands = ["--contact Grace", "printf"].flatMap((words) => lines(block(page, words)))
      assert.lengthOf(commands, 3)
      for (const command of commands) {
        const args = command.slice(command.indexOf("outdial ")).split(" ").slice(1).map((word) =>
          /^(agent|outdial)\..*(json|ts)$/u.test(word) ? join(root, "examples/own-agent", word) : word
        )
        const { code, stderr, stdout } = yield* fed("hello\nyes\n", ...args)
        assert.deepStrictEqual([code, stderr], [0, ""], command)
        assert.include(stdout, "agent_ended")
      }
    }))

  it.live("docs/guides/rehearse.md: rehearsals", () =>
    Effect.gen(function*() {
      const { run } = yield* CommandLine.withoutDatabase
      const page = "docs/guides/rehearse.md"
      const personas = join(yield* DevProcess.folder, "personas.json")
      yield* Effect.promise(() => writeFile(personas, block(page, "Take me off your list")))
      const commands = lines(block(page, "outdial rehearse --agent ada"))
      assert.lengthOf(commands, 4)
      for (const command of commands) {
        // Stored agents are in packages/server/test/cli/rehearsal/rehearse.test.ts.
        const args = command.split(" #")[0]?.replace("ada", "agent.json").replace("--runs 200", "").trim().split(/ +/u)
          .slice(1).map((word) =>
            word === "personas.json"
              ? personas
              : /^(agent|outdial)\..*(json|ts)$/u.test(word)
              ? join(root, "examples/own-agent", word)
              : word
          )
        // With fewer calls.
        const { code, stderr, stdout } = yield* run(...args ?? [], "--runs", "27")
        assert.deepStrictEqual([code, stderr], [0, ""], command)
        assert.match(stdout, /opt-outs are on the do-not-call list +\d+ of \d+\n/u)
      }
    }), 120_000)

  it.live("docs/guides/rehearse.md: personas played by a model", () =>
    Effect.gen(function*() {
      const action = { action: "hangs_up", text: "Bye.", answers_question: false, asks_not_to_be_called_again: false }
      const { requests, url } = yield* ModelServer.make({ reply: () => ({ text: JSON.stringify(action) }) })
      const code = block("docs/guides/rehearse.md", "ModelPersona.layer")
      const stdout = yield* runModule(code, { MODEL_URL: url })
      assert.strictEqual(stdout, "true [ 'unsure', 'chatty', 'unsure', 'chatty' ]\n")
      assert.lengthOf(requests, 4)
    }))

  it.live("docs/guides/rehearse.md: personas played by a function", () =>
    Effect.gen(function*() {
      const stdout = yield* runModule(block("docs/guides/rehearse.md", "PersonaPlayer.layerOf"), {})
      assert.strictEqual(stdout, "true [ 'confirmed', 'confirmed' ]\n")
    }))

  for (
    const [guide, words, env] of [
      ["docs/guides/twilio.md", "TwilioTelephony.layer", { TWILIO_ACCOUNT_SID: "AC1", TWILIO_AUTH_TOKEN: "token" }],
      ["docs/guides/asterisk.md", "AsteriskTelephony.layer", { ASTERISK_ARI_URL: "http://127.0.0.1:9/ari" }],
      ["docs/guides/telnyx.md", "TelnyxTelephony.layer", {
        TELNYX_API_KEY: "key",
        TELNYX_CONNECTION_ID: "1",
        TELNYX_PUBLIC_KEY: "A".repeat(43) + "="
      }]
    ] as const
  ) {
    it.live(`${guide}: an engine over the carrier`, () =>
      Effect.gen(function*() {
        const code = block(guide, words)
        const opened = `
          import { Outdial, VoiceAgent } from "@outdial/core"
          import { Effect, Layer } from "effect"
          const voiceAgent = Layer.succeed(VoiceAgent.VoiceAgent, { open: () => Effect.die("No call is placed") })
          const engine = await Outdial.open({ telephony, voiceAgent })
          await engine.close()
          console.log("opened")
        `
        const stdout = yield* runModule(code + opened, env)
        assert.match(stdout, /opened\n$/u)
      }))
  }

  it.live("docs/guides/twilio.md: an account, an agent and a key", () =>
    Effect.gen(function*() {
      const { file, run } = yield* commandLine
      const ada = yield* file("ada.json", block("docs/guides/twilio.md", "Will you come on Tuesday?"))
      const code = block("docs/guides/twilio.md", "outdial agents put ada.json")
      // The variables are those of the fixture, and so is the account.
      const commands = lines(code).filter((line) => /^outdial (agents|keys|migrate)/.test(line))
      assert.lengthOf(commands, 3)
      for (const command of commands) {
        const { code, stderr } = yield* run(...command.replace("ada.json", ada).split(" ").slice(1))
        assert.strictEqual(code, 0, stderr)
      }
    }))

  it("is tried, all of it", () => {
    for (const [file, words] of elsewhere) block(file, words)
    const untried = DocumentBlocks.toTry.filter(({ code }) => !tried.has(code))
    assert.deepStrictEqual(untried.map(({ code, file }) => `${file}: ${code}`), [])
  })
})
