import { assert, describe, layer } from "@effect/vitest"
import { Cause, Effect, Schema } from "effect"
import { globSync, readFileSync, statSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import process from "node:process"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import * as Packed from "../../scripts/packed.ts"
import {
  blocks,
  compile,
  Consumer,
  fetched,
  projectOfOldest,
  root,
  run,
  running,
  runtimes
} from "../support/Consumer.ts"
import * as Postgres from "../support/postgres.ts"

const timeout = 240_000

const say = (text: string) => void process.stderr.write(`${text}\n`)

const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`

/** Every door of every package. */
const entries = Packed.names.flatMap((name) => {
  const { exports }: { readonly exports: Record<string, unknown> } = JSON.parse(
    readFileSync(join(Packed.folder(name), "package.json"), "utf8")
  )
  return Object.keys(exports).map((entry) => `@outdial/${name}${entry.slice(1)}`)
})

/** This one needs Vitest. */
const contracts = "@outdial/testkit/contracts"

const nodes = Effect.map(
  runtimes,
  (found) => Object.entries(found).filter(([name]) => name.startsWith("Node "))
)

/** What a bundler makes of a program of the consumer's: its code, and the modules that are left in it. */
const bundle = Effect.fnUntraced(function*(file: string) {
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

const bundled = Effect.fnUntraced(function*(program: string) {
  const { write } = yield* Consumer
  yield* write("bundled.js", program)
  return yield* bundle("bundled.js")
})

const bytesBelow = (folder: string) =>
  globSync("**/*", { cwd: folder }).map((file) => statSync(join(folder, file)))
    .reduce((sum, file) => file.isFile() ? sum + file.size : sum, 0)

/** Hardly anybody else's; from 32768 on ports are given to connections. */
const freePort = 12_000 + process.pid % 20_000

/** A worker runtime that serves the worker, and that has nothing of Node. */
const workerConfig = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${freePort}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01"
);
`

/** What `portable.ts` answers. */
const decodeRun = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  status: Schema.Int,
  started: Schema.Struct({ status: Schema.String }),
  verified: Schema.Array(Schema.String)
})))

layer(Consumer.layer, { timeout, excludeTestServices: true })("the packages", (it) => {
  it.effect("hold what was built, its source and its licence, and no tests", () =>
    Effect.gen(function*() {
      const { packed } = yield* Consumer
      assert.deepStrictEqual(packed.map(({ name }) => name), Packed.names.map((name) => `@outdial/${name}`))
      for (const { files, name } of packed) {
        // Carriers have an entry point each.
        const entry = name === "@outdial/carriers" ? "twilio" : "index"
        const expected = ["LICENSE", "README.md", "package.json", `dist/${entry}.js`, `dist/${entry}.d.ts`]
        assert.includeMembers([...files], expected)
        const others = files.filter((file) =>
          !/^(LICENSE|NOTICE|README\.md|CHANGELOG\.md|package\.json|schema\.sql|src\/.*\.ts|dist\/.*\.(js|d\.ts)(\.map)?)$/
            .test(
              file
            ) ||
          /test\.|(^|\/)tests?\//.test(file)
        )
        assert.deepStrictEqual(others, [], name)
      }
    }))

  it.effect("have nothing that publint, are-the-types-wrong or npm would speak against", () =>
    Effect.gen(function*() {
      const { packed } = yield* Consumer
      for (const each of packed) {
        assert.deepStrictEqual(yield* Effect.promise(() => Packed.problems(each)), [], each.name)
      }
      assert.deepStrictEqual(yield* Effect.promise(Packed.publishWarnings), [])
    }), timeout)

  it.effect("leave what is not imported out of a bundle", () =>
    Effect.gen(function*() {
      const { module } = yield* Consumer
      const receiver = yield* bundled(`export { verifyWebhook } from "@outdial/core/webhooks"`)
      assert.include(receiver.modules, "@outdial/core/dist/receiver/VerifyWebhook.js")
      const others = receiver.modules.filter((path) => !path.startsWith("@outdial/core/dist/receiver/"))
      assert.deepStrictEqual(others, ["@outdial/core/dist/domain/NearestName.js"])
      const number = yield* bundled(`import { PhoneNumber } from "@outdial/core"\nexport const { parse } = PhoneNumber`)
      assert.include(number.modules, "@outdial/core/dist/domain/PhoneNumber.js")
      const isPure = (path: string) => /^@outdial\/core\/dist\/(index\.js$|domain\/|rules\/)/.test(path)
      assert.deepStrictEqual(
        number.modules.filter((path) => path.startsWith("@outdial/core/") && !isPure(path)),
        []
      )
      const engine = yield* bundled(`export { Outdial } from "@outdial/core"`)
      assert.include(engine.modules, "@outdial/core/dist/dispatch/Dispatcher.js")
      // Effect's schemas know headers, cookies and URL parameters.
      const foreign =
        /^effect\/dist\/(sql\/|http\/(?!Headers|Cookies|UrlParams|internal\/urlParams)|(http-api|cli|cluster|workflow|rpc|ai|testing)\/)|^@effect\/|pglite|vitest|^node:|^@outdial\/(?!core\/)/
      assert.deepStrictEqual(engine.modules.filter((path) => foreign.test(path)), [])
      const testEngine = yield* bundled(`export { TestEngine } from "@outdial/testkit"`)
      assert.deepStrictEqual(testEngine.modules.filter((path) => /vitest|Contract/.test(path)), [])
      const installedSizes = ["@outdial/core", "effect", "libphonenumber-js"].map((name) =>
        `${name} ${kilobytes(bytesBelow(module(name)))}`
      )
      say(`Bundled and minified: verifyWebhook ${receiver.size}; the engine with all it needs ${engine.size}`)
      say(`Installed: ${installedSizes.join(", ")}`)
    }))

  it.effect(
    "open every door and run the README's example on every Node that is supported",
    () =>
      Effect.gen(function*() {
        const { folder, module, write } = yield* Consumer
        const examples = yield* blocks("README.md", "ts")
        assert.isNotEmpty(examples)
        const programs = examples.map((code, index) => ({ name: `readme${index}`, code }))
        for (const { code, name } of programs) yield* write(`${name}.ts`, code)
        const doors = entries.filter((entry) => entry !== contracts)
        assert.includeMembers(doors, ["@outdial/core/webhooks", "@outdial/http/client", "@outdial/testkit"])
        yield* write(
          "doors.ts",
          `${doors.map((door, index) => `import * as door${index} from "${door}"`).join("\n")}
console.log([${doors.map((_, index) => `door${index}`).join(", ")}].map((door) => Object.keys(door).length > 0).join())`
        )
        yield* compile("doors.ts", ...programs.map(({ name }) => `${name}.ts`))

        const found = yield* nodes
        assert.include(found.map(([name]) => name), "Node 24")
        for (const [name, node] of found) {
          const on = (...args: ReadonlyArray<string>) => run(node, args, { cwd: folder })
          const { stdout: version } = yield* on("--version")
          assert.isTrue(version.startsWith(name.replace("Node ", "v")))
          assert.strictEqual((yield* on("out/doors.js")).stdout.trim(), doors.map(() => "true").join())
          for (const { code, name } of programs) {
            const promised = Array.from(code.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm), ([, output = ""]) => output)
            assert.isNotEmpty(promised)
            assert.deepStrictEqual((yield* on(`out/${name}.js`)).stdout.trim().split("\n"), promised)
          }
          const stated = `outdial v${JSON.parse(readFileSync(module("@outdial/server/package.json"), "utf8")).version}`
          assert.strictEqual((yield* on(module(".bin/outdial"), "--version")).stdout.trim(), stated)
          say(`Node ${version.trim()}: every entry, the README's example and the command line`)
        }
      }),
    timeout
  )

  describe("with TypeScript 5.9, the oldest that is supported", () => {
    for (
      const [name, type, compilerOptions] of [
        ["nodenext", "module", { module: "nodenext" }],
        ["node16", "module", { module: "node16" }],
        ["node18", "module", { module: "node18" }],
        ["node20", "module", { module: "node20" }],
        ["nodenext", "commonjs", { module: "nodenext" }],
        ["node20", "commonjs", { module: "node20" }],
        ["preserve", "commonjs", { module: "preserve" }],
        ["bundler", "module", { module: "esnext", moduleResolution: "bundler" }]
      ] as const
    ) {
      it.effect(
        `compile under ${name} in a package of type ${type}, declarations included`,
        () =>
          Effect.gen(function*() {
            const doors = entries.filter((entry) => entry !== contracts)
            const program = [
              ...doors.map((door, index) => `import * as door${index} from "${door}"`),
              `import { Outdial } from "@outdial/core"`,
              `console.log([${doors.map((_, index) => `door${index}`).join(", ")}].length)`,
              `void Outdial.open().then((engine: Outdial.Outdial) => engine.close())`
            ].join("\n")
            const project = yield* projectOfOldest(`${name}-${type}`, {
              type,
              compilerOptions: { ...compilerOptions, skipLibCheck: false },
              program
            })
            yield* project.compiled
            // What is left to a bundler is not for Node.
            if (name.startsWith("node")) assert.strictEqual(yield* project.printed, String(doors.length))
          }),
        timeout
      )
    }

    it.effect("have declarations of core that do not need the types of Node", () =>
      Effect.gen(function*() {
        const program = `export { Outdial } from "@outdial/core"\nexport * from "@outdial/core/webhooks"`
        const lib = ["es2024", "dom", "esnext.disposable"]
        const compilerOptions = { module: "nodenext", skipLibCheck: false, types: [], lib }
        yield* (yield* projectOfOldest("without-node", { type: "module", compilerOptions, program })).compiled
      }), timeout)

    it.effect("are not found under module commonjs, which TypeScript says with TS2307", () =>
      Effect.gen(function*() {
        const compilerOptions = { module: "commonjs", skipLibCheck: true }
        const program = `import { Outdial } from "@outdial/core"\nvoid Outdial.open()`
        const project = yield* projectOfOldest("commonjs", { type: "commonjs", compilerOptions, program })
        assert.include(Cause.pretty(yield* Effect.flip(Effect.sandbox(project.compiled))), "TS2307")
      }), timeout)

    for (const module of ["node16", "node18"]) {
      it.effect(
        `are refused under ${module} in CommonJS with TS1479, but for the imports that the guide shows`,
        () =>
          Effect.gen(function*() {
            const settings = { type: "commonjs", compilerOptions: { module, skipLibCheck: true } } as const
            const plain = yield* projectOfOldest(`${module}-static`, {
              ...settings,
              program: `import { Outdial } from "@outdial/core"\nvoid Outdial.open()`
            })
            assert.include(Cause.pretty(yield* Effect.flip(Effect.sandbox(plain.compiled))), "TS1479")
            const ofTypes = `import type { Outdial } from "@outdial/core" with { "resolution-mode": "import" }`
            const ofValues = `const { Outdial } = await import("@outdial/core")`
            const guide = readFileSync(join(root, "docs/guides/embed.md"), "utf8")
            for (const shown of [ofTypes, ofValues]) assert.include(guide, shown)
            const shown = yield* projectOfOldest(`${module}-shown`, {
              ...settings,
              program: `${ofTypes}
const opened = async (): Promise<Outdial.Outdial> => {
  ${ofValues}
  return Outdial.open()
}
void opened().then((engine) => engine.close()).then(() => console.log("closed"))`
            })
            yield* shown.compiled
            assert.strictEqual(yield* shown.printed, "closed")
          }),
        timeout
      )
    }
  })

  it.effect("run without Node: on Bun, on Deno that permits nothing, and in a worker", () =>
    Effect.gen(function*() {
      const { folder, write } = yield* Consumer
      const found = yield* runtimes
      yield* write("portable.ts", readFileSync(join(root, "test", "support", "portable.ts"), "utf8"))
      yield* compile("portable.ts")
      yield* write("portable.js", `import { run } from "./out/portable.js"\nconsole.log(JSON.stringify(await run()))`)
      const printed = (...args: ReadonlyArray<string>) => (program: string) =>
        Effect.map(run(program, [...args, "portable.js"], { cwd: folder }), ({ stdout }) => stdout)
      const asWorker = Effect.fnUntraced(function*(program: string) {
        yield* write("worker.js", (yield* bundle("out/portable.js")).code)
        yield* write("worker.capnp", workerConfig)
        yield* running(program, ["serve", "worker.capnp"], { cwd: folder })
        return yield* fetched(`http://127.0.0.1:${freePort}/`)
      }, Effect.scoped)
      const ways = {
        "Node 24": printed(),
        Bun: printed(),
        Deno: printed("run", "--no-prompt", "--node-modules-dir=manual"),
        workerd: asWorker
      }
      for (const [name, way] of Object.entries(ways)) {
        const program = found[name]
        if (program === undefined) {
          say(`${name}: skipped, as it cannot be had here`)
          continue
        }
        const { started, status, verified } = decodeRun(yield* way(program))
        assert.deepStrictEqual([status, started.status, verified], [201, "queued", ["call.completed"]], name)
        const { stdout } = yield* run(program, ["--version"])
        say(`${name} (${stdout.split("\n")[0]}): engine, web handler and verifyWebhook`)
      }
    }), timeout)

  it.effect("follow the quickstart of the server and the README's command line", () =>
    Effect.gen(function*() {
      const { folder, module, write } = yield* Consumer
      const [node] = Object.values(yield* runtimes)
      assert.isDefined(node)
      const env = {
        PATH: [dirname(node), module(".bin"), process.env["PATH"]].join(delimiter),
        PORT: String(freePort + 1),
        DATABASE_URL: yield* Postgres.database,
        OUTDIAL_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
        OUTDIAL_CARRIER: "simulated"
      }
      yield* write("agent.json", JSON.stringify({ name: "Ada", script: "Hello", questions: [], dispositions: ["yes"] }))
      yield* write("policy.json", "{}")
      yield* write("wishes.csv", "phone_number\n+14155550101\n")
      const shell = (line: string) => run("sh", ["-ec", line], { cwd: folder, env })

      const quickstart = (yield* blocks("docs/quickstart.md", "sh")).find((code) => code.includes("outdial serve")) ??
        ""
      const [serve, ...setup] = quickstart.trim().split("\n").filter((line) => !line.startsWith("export ")).toReversed()
      assert.strictEqual(serve, "outdial serve")
      const written: Array<string> = []
      for (const line of setup.toReversed()) written.push((yield* shell(line)).stdout)
      const key = /\bvak_call_\w+/.exec(written.join("\n"))?.[0] ?? ""
      yield* running("sh", ["-ec", "exec outdial serve"], { cwd: folder, env })
      const headers = { "x-api-key": key, "content-type": "application/json" }
      const url = `http://127.0.0.1:${env.PORT}`
      yield* fetched(`${url}/readyz`)
      const agents: { readonly data: ReadonlyArray<{ readonly id: string }> } = JSON.parse(
        yield* fetched(`${url}/v1/agents`, { headers })
      )
      const call: { readonly id: string } = JSON.parse(
        yield* fetched(`${url}/v1/calls`, {
          method: "POST",
          headers,
          body: JSON.stringify({
            agent_id: agents.data[0]?.id,
            phone_number: "+14155550100",
            contact: { name: "Grace" }
          })
        })
      )

      const readme = (yield* blocks("README.md", "sh")).find((code) => code.includes("outdial explain")) ?? ""
      const lines = readme.trim().split("\n")
      assert.isNotEmpty(lines)
      for (const line of lines) {
        const { stdout } = yield* shell(line.replace("call_01J…", call.id))
        assert.isNotEmpty(stdout.trim(), line)
      }
    }), timeout)
})
