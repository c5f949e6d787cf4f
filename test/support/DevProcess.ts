/** `outdial dev` as a process of its own, for tests that kill it. */
import { Effect, Schedule, Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { inject } from "vitest"
import * as PgliteTemplate from "./PgliteTemplate.ts"
import type {} from "./ServerBundle.ts"

/** The environment without what would lead the process elsewhere. */
const withoutOutdial = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== "DATABASE_URL" && !name.startsWith("OUTDIAL_"))
)

const root = resolve(import.meta.dirname, "../..")

/**
 * A process of a test lives for seconds: compiling PGlite's WebAssembly a second time, for speed, costs it a quarter of its CPU
 * time and half of its memory.
 */
const flags = ["--conditions=@outdial/source", "--liftoff-only"]

/** What `--json` prints. */
export const Ready = Schema.Struct({
  url: Schema.String,
  api_key: Schema.String,
  account_id: Schema.String,
  agent_id: Schema.String,
  webhook_secret: Schema.String
})

const decodeReady = Schema.decodeUnknownSync(Schema.fromJsonString(Ready))

export interface DevProcess {
  readonly child: ChildProcess
  /** All that it wrote to standard output and standard error. */
  readonly output: () => { readonly stdout: string; readonly stderr: string }
}

/** A folder that is gone after the test. */
export const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-dev-"))),
  (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
)

/** The same with an empty database in it, which saves the first start the seconds of making one. */
export const folderWithDatabase = Effect.tap(folder, (path) => Effect.promise(() => PgliteTemplate.copyInto(path)))

/** Starts a TypeScript file of the repository; what is still running at the end of the test is killed. */
export const spawnScript = (
  file: string,
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  input?: string | Uint8Array
) =>
  Effect.acquireRelease(
    Effect.sync((): DevProcess => {
      const child = spawn(
        process.execPath,
        [...flags, file, ...args],
        { cwd: root, env: { ...withoutOutdial, ...env }, stdio: "pipe" }
      )
      // A process that does not read its input is not waited for.
      child.stdin.on("error", () => {}).end(input)
      const written = { stdout: "", stderr: "" }
      child.stdout.setEncoding("utf8").on("data", (text: string) => written.stdout += text)
      child.stderr.setEncoding("utf8").on("data", (text: string) => written.stderr += text)
      return { child, output: () => ({ ...written }) }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/**
 * Starts the command line, whose servers listen on a free port: as one file, or from its sources for a module of configuration, which
 * imports the same sources.
 */
export const spawnOutdial = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  input?: string | Uint8Array
) {
  const isConfigured = args.includes("--config") || env["OUTDIAL_CONFIG"] !== undefined
  const file = isConfigured ? "packages/server/src/main.ts" : yield* bundle
  return yield* spawnScript(file, args, { PORT: "0", ...env }, input)
})

/** The command line as one file, which may still be in the making: see `ServerBundle`. */
const bundle = Effect.suspend(() => {
  const file = inject("serverBundle")
  return existsSync(file) ? Effect.succeed(file) : Effect.fail(`There is no ${file}`)
}).pipe(Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 600 }), Effect.orDie)

/** What a test waits for has not happened. */
export class NotYet extends Schema.TaggedError<NotYet>()("NotYet", { seen: Schema.String }) {}

/** Polls until the effect succeeds, for two minutes: a process that starts beside many others takes its time. */
export const eventually = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.retry(effect, { times: 2400, schedule: Schedule.spaced("50 millis") })

/** Starts `dev --json` in the folder and waits until it is ready. */
export const start = (data: string, ...args: ReadonlyArray<string>) => startWith({}, data, ...args)

/** The same with variables of the environment. */
export const startWith = Effect.fnUntraced(function*(
  env: Record<string, string>,
  data: string,
  ...args: ReadonlyArray<string>
) {
  const dev = yield* spawnOutdial(["dev", "--json", "--data", data, ...args], env)
  const ready = yield* eventually(Effect.try({
    try: () => decodeReady(dev.output().stdout),
    catch: () => new NotYet({ seen: dev.output().stderr })
  }))
  return { ...dev, ready }
})

/** Sends the signal and waits for the end. */
export const end = ({ child }: DevProcess, signal: "SIGINT" | "SIGKILL" | "SIGTERM") =>
  Effect.callback<number | null>((resume) => {
    child.once("exit", (code) => resume(Effect.succeed(code)))
    child.kill(signal)
  })

/** A request with the key that the process printed; the answer's JSON. */
export const request = (
  { api_key, url }: typeof Ready.Type,
  method: string,
  path: string,
  body?: unknown
) =>
  Effect.promise(async () => {
    const response = await fetch(url + path, {
      method,
      headers: { "x-api-key": api_key, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    // The tests read what they expect and fail on anything else.
    return { status: response.status, body: await response.json() as Record<string, unknown> }
  })

/** The lines of a JSON-lines file of the folder. */
export const lines = (data: string, file: string) =>
  Effect.promise(async () => {
    const text = await readFile(join(data, file), "utf8").catch(() => "")
    return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>)
  })
