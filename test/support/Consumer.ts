/**
 * An empty project into which the packages were installed as npm would publish them: built, packed, and of the repository
 * nothing else. It has no Vitest, which only the contract suites need.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { execFile, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { inject } from "vitest"
import * as Packed from "../../scripts/packed.ts"
import { installed } from "../../scripts/tools.ts"
import type {} from "./packedSetup.ts"

const execute = promisify(execFile)

export const root = resolve(import.meta.dirname, "../..")

/** Without what would let the packages run from source, or find another database. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    name !== "NODE_OPTIONS" && name !== "DATABASE_URL" && !name.startsWith("OUTDIAL_") && !name.startsWith("VITEST")
  )
)

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Record<string, string>
}

/** Runs a program to its end; dies with all that it wrote when it fails. */
export const run = (program: string, args: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.promise(async () => {
    const { stderr, stdout } = await execute(program, args, {
      cwd: options.cwd ?? root,
      env: { ...env, ...options.env },
      timeout: 240_000,
      maxBuffer: 64 * 1024 * 1024
    }).catch((error: Error & { readonly stdout?: string; readonly stderr?: string }) => {
      throw new Error(`${program} ${args.join(" ")}\n${error.stdout}\n${error.stderr}`, { cause: error })
    })
    return { stdout, stderr }
  })

/** Starts a program, which is killed with the scope; answers it, and what it has written so far. */
export const running = (program: string, args: ReadonlyArray<string>, options: RunOptions = {}) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(program, args, { cwd: options.cwd ?? root, env: { ...env, ...options.env } })
      const written: Array<string> = []
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => written.push(text))
      }
      return { child, output: () => written.join("") }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** The body of a server's answer, which is good; asks again while the server is about to start. */
export const fetched = Effect.fnUntraced(function*(url: string, init: RequestInit = {}) {
  const response = yield* Effect.retry(
    Effect.tryPromise(() => fetch(url, { ...init, signal: AbortSignal.timeout(5000) })),
    {
      times: 600,
      schedule: Schedule.spaced("50 millis")
    }
  )
  const body = yield* Effect.promise(() => response.text())
  if (!response.ok) throw new Error(`${url} answers ${response.status} ${body}`)
  return body
})

/** The runtimes of `scripts/tools/runtimes`, and the pinned Node; those that this machine's registry lacks are missing. */
export const runtimes = Effect.sync(() => {
  const modules = installed("runtimes")
  return Object.fromEntries(
    Object.entries({
      "Node 22": join(modules, "node-22", "bin", "node"),
      "Node 24": process.execPath,
      "Node 26": join(modules, "node-26", "bin", "node"),
      Bun: join(modules, ".bin", "bun"),
      Deno: join(modules, ".bin", "deno"),
      workerd: join(modules, ".bin", "workerd")
    }).filter(([, program]) => existsSync(program))
  )
})

export class Consumer extends Context.Service<Consumer, {
  readonly folder: string
  readonly packed: ReadonlyArray<Packed.Packed>
  /** A path in its `node_modules`. */
  readonly module: (name: string) => string
  readonly write: (file: string, text: string) => Effect.Effect<void>
}>()("outdial/test/Consumer") {
  static readonly layer = Layer.effect(
    Consumer,
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-consumer-"))),
        (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
      )
      const write = (file: string, text: string) => Effect.promise(() => writeFile(join(folder, file), text))
      const packed = inject("packed")
      yield* write("package.json", JSON.stringify({ private: true, type: "module" }))
      const install = ["install", "--prefer-offline", "--no-fund", "--no-audit", "--loglevel=error"]
      yield* run("npm", [...install, ...packed.map(({ tarball }) => tarball)], { cwd: folder })
      return Consumer.of({ folder, packed, module: (name) => join(folder, "node_modules", name), write })
    })
  )
}

/** Every door of every package but the contract suites, which need Vitest. */
export const doors = Packed.names.flatMap((name) => {
  const { exports }: { readonly exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(Packed.folder(name), "package.json"), "utf8")
  )
  return Object.keys(exports).map((entry) => `@outdial/${name}${entry.slice(1)}`)
}).filter((entry) => entry !== "@outdial/testkit/contracts")

/** Compiles these files of the project, as a host's TypeScript would, into `out`. */
export const compile = Effect.fnUntraced(function*(...files: ReadonlyArray<string>) {
  const { folder, write } = yield* Consumer
  const compilerOptions = {
    // Node 22 does not know `await using`.
    target: "es2023",
    lib: ["es2024", "dom", "esnext.disposable"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    outDir: "out"
  }
  yield* write("tsconfig.json", JSON.stringify({ compilerOptions, files }))
  yield* run(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", "."], { cwd: folder })
})

/** A folder of the project with a package.json and a tsconfig.json of its own, for the oldest TypeScript that is supported. */
export const projectOfOldest = Effect.fnUntraced(function*(
  name: string,
  settings: { readonly type: "module" | "commonjs"; readonly compilerOptions: object; readonly program: string }
) {
  const { folder, write } = yield* Consumer
  const { compilerOptions, program, type } = settings
  yield* Effect.promise(() => mkdir(join(folder, name)))
  yield* write(join(name, "package.json"), JSON.stringify({ private: true, type }))
  yield* write(join(name, "main.ts"), program)
  const strict = { strict: true, exactOptionalPropertyTypes: true, target: "es2023", outDir: "out" }
  yield* write(
    join(name, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, files: ["main.ts"] })
  )
  const on = (...args: ReadonlyArray<string>) => run(process.execPath, args, { cwd: join(folder, name) })
  return {
    compiled: on(join(installed("typescript"), "typescript", "bin", "tsc"), "-p", "."),
    printed: Effect.map(on("out/main.js"), ({ stdout }) => stdout.trim())
  }
})

/** The blocks of code in a language that a document shows, in their order. */
export const blocks = (document: string, language: string) =>
  Effect.promise(async () =>
    Array.from(
      (await readFile(join(root, document), "utf8")).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g")),
      ([, code = ""]) => code
    )
  )

/** A port that is hardly anybody else's; from 32768 on ports are given to connections. */
export const freePort = 12_000 + process.pid % 20_000

/** A line of the test's report. */
export const say = (text: string) => void process.stderr.write(`${text}\n`)

/** A number of bytes in words. */
export const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`

/** What a bundler makes of a program of the consumer's: its code, and the modules that are left in it. */
export const bundle = Effect.fnUntraced(function*(file: string) {
  const { folder } = yield* Consumer
  return yield* Effect.promise(async () => {
    const build = await rolldown({ input: join(folder, file), platform: "neutral", logLevel: "silent" })
    const { output: [{ code, modules }] } = await build.generate({ minify: true, codeSplitting: false })
    await build.close()
    const left = Object.entries(modules).filter(([, { renderedLength }]) => renderedLength > 0)
    return {
      code,
      modules: left.map(([path]) => path.replace(/^.*\/node_modules\//, "")),
      size: `${kilobytes(code.length)}, gzip ${kilobytes(gzipSync(code).length)}`
    }
  })
})
