import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { describe } from "vitest"

/** One run of `npm run soak`, with its output; stopped when it has written `until`. */
const soak = (args: ReadonlyArray<string>, until?: RegExp) =>
  Effect.callback<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resume) => {
    const child = spawn(process.execPath, ["--conditions=@outdial/source", "test/soak/run.ts", ...args], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    const written = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (text: string) => written.stdout += text)
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      written.stderr += text
      if (until?.test(written.stderr) === true) child.kill("SIGTERM")
    })
    child.once("close", (code) => resume(Effect.succeed({ code, ...written })))
    return Effect.sync(() => child.kill("SIGTERM"))
  })

describe("three nodes that are killed and frozen, with their database, carrier and receiver", () => {
  it.live("break no promise", () =>
    Effect.gen(function*() {
      const { code, stderr, stdout } = yield* soak(["--seconds", "20", "--seed", "6", "--nodes", "3", "--speed", "6"])
      assert.strictEqual(code, 0, stderr)
      for (
        const fault of [/node-\d killed/, /node-\d frozen/, /database killed/, /carrier killed/, /receiver killed/]
      ) {
        assert.match(stderr, fault)
      }
      // A run in which hardly anything rang proves nothing.
      const { accepted, breaches, reported, repeated, rings } = JSON.parse(stdout)
      assert.strictEqual(breaches, 0)
      for (const [count, least] of [[accepted, 20], [rings, 20], [reported, 10], [repeated, 1]]) {
        assert.isAtLeast(count, least, stdout)
      }
    }), 240_000)

  it.live("leave nothing behind when the run is stopped", () =>
    Effect.gen(function*() {
      const { code, stderr } = yield* soak(["--nodes", "2"], /load and faults begin/)
      assert.strictEqual(code, 1)
      const [folder = ""] = /\S+outdial-soak-\w+/.exec(stderr) ?? []
      // It knows of no process that was started with the folder.
      assert.strictEqual(spawnSync("pgrep", ["-f", folder]).status, 1, stderr)
      rmSync(folder, { recursive: true })
    }), 120_000)
})
