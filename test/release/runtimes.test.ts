/** The packages on runtimes other than Node. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { bundle, compile, Consumer, fetched, freePort, root, run, running, runtimes, say } from "../support/Consumer.ts"

const timeout = 240_000

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
})
