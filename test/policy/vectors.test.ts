import { assert, it } from "@effect/vitest"
import { TimeZones } from "@outdial/core"
import { Effect, Schema } from "effect"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe } from "vitest"
import * as SchedulingVectors from "../../scripts/SchedulingVectors.ts"
import * as Verdict from "../../scripts/Verdict.ts"
import scheduling from "../vectors/scheduling.json" with { type: "json" }

const root = resolve(import.meta.dirname, "../..")

const vectors = (...files: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["--conditions=@outdial/source", "scripts/vectors.ts", ...files],
    { cwd: root, encoding: "utf8" }
  )
  return { status, stderr, stdout }
}

/** A file that is gone after the test. */
const file = (text: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "outdial-vectors-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    ),
    (folder) => {
      const path = join(folder, "vectors.json")
      writeFileSync(path, text)
      return path
    }
  )

const due = { dueAt: "2026-06-10T15:00:00Z", reason: null, blockedAtNow: [], bindingReasons: [] }

const basic = {
  id: "basic-open-now",
  now: "2026-06-10T15:00:00Z",
  zones: ["America/New_York"],
  windows: { wed: [{ start: "08:00", end: "21:00" }] },
  excludedDates: [],
  lastDialAt: null,
  recallGapSeconds: 0,
  dials: [],
  perNumberLimits: [],
  account: null,
  expected: due
}

const text = (changes: object) => JSON.stringify({ vectors: [{ ...basic, ...changes }] })
const vectorFile = (changes: object) => file(text(changes))

/** Files that are none, and what is said of them. */
const hostile: ReadonlyArray<readonly [string, string]> = [
  ["", "JSON"],
  ["null", "Expected object"],
  ["[]", "Expected object"],
  ["{\"vectors\":{}}", "Expected array at [\"vectors\"]"],
  ["{\"vectors\":[]}", "Missing key at [\"vectors\"][0]"],
  ["{\"vectors\":[7]}", "Expected object at [\"vectors\"][0]"],
  ["{\"vectors\":[{\"id\":\"x\"}]}", "neither `raw`"],
  [text({ dials: undefined }), "Missing key at [\"vectors\"][0][\"dials\"]"],
  [text({ expected: undefined }), "[\"expected\"]"],
  [text({ now: "2026-06-10 15:00" }), "must be an ISO-8601 timestamp"],
  [text({ zones: [] }), "[\"zones\"]"],
  [text({ zones: ["Mars/Olympus"] }), "basic-open-now names the time zone Mars/Olympus"],
  [text({ account: { zone: "Mars/Olympus", dailyLimit: 1, dialedToday: 0 } }), "time zone Mars/Olympus"],
  [text({ windows: { wednesday: [] } }), "[\"windows\"][\"wednesday\"]"],
  [text({ windows: { wed: [{ start: "9:00", end: "21:00" }] } }), "must be a time of day"],
  [text({ excludedDates: ["2026-02-30"] }), "must be a date"],
  [text({ perNumberLimits: [{ max: 1 }] }), "[\"windowSeconds\"]"],
  [text({ needsTzdata: "new" }), "must be a version of the time zone data"],
  [text({ horizonDays: 10 }), "[\"horizonDays\"]"],
  [text({ expected: { ...due, reason: "because" } }), "[\"reason\"]"]
]

describe("npm run vectors", () => {
  it("exits with 0 when every vector holds", () => {
    const { status, stdout } = vectors("test/vectors/phone.json", "test/vectors/scheduling.json")
    assert.strictEqual(status, 0)
    assert.match(stdout, /85 passed, 0 failed, 0 skipped/)
    assert.match(stdout, /96 passed, 0 failed, 0 skipped/)
  })

  it.effect("exits with 1 and names the vector that does not hold", () =>
    Effect.gen(function*() {
      const wrong = readFileSync(join(root, "test/vectors/phone.json"), "utf8")
        .replaceAll("\"e164\": \"+14155552671\"", "\"e164\": \"+14155552672\"")
      const { status, stdout } = vectors("test/vectors/phone.json", yield* file(wrong))
      assert.strictEqual(status, 1)
      assert.match(stdout, /phone-001 .*expected \+14155552672, got \+14155552671/)
    }))

  it.effect("exits with 2 if a file is missing or invalid, or none is named", () =>
    Effect.gen(function*() {
      assert.strictEqual(vectors("no-such-file.json").status, 2)
      assert.strictEqual(vectors(yield* file("{}")).status, 2)
      assert.strictEqual(vectors().status, 2)
    }))

  it.effect("prints the expected and the actual results of the time rules", () =>
    Effect.gen(function*() {
      const { status, stdout } = vectors(yield* vectorFile({ expected: { ...due, dueAt: "2026-06-10T15:00:00.001Z" } }))
      assert.strictEqual(status, 1)
      assert.match(stdout, /basic-open-now: expected .*15:00:00.001Z.*, got .*15:00:00.000Z/)
      assert.match(stdout, /0 passed, 1 failed, 0 skipped/)
    }))

  it.effect("skips vectors that need newer time zone data", () =>
    Effect.gen(function*() {
      const { status, stdout } = vectors(yield* vectorFile({ needsTzdata: "2099a", zones: ["Mars/Olympus"] }))
      assert.strictEqual(status, 0)
      assert.match(stdout, /0 passed, 0 failed, 1 skipped/)
    }))

  it.effect("runs the files that it can read, also beside one that it cannot", () =>
    Effect.gen(function*() {
      const { status, stdout } = vectors(yield* file("[]"), yield* vectorFile({}))
      assert.strictEqual(status, 2)
      assert.match(stdout, /1 passed, 0 failed, 0 skipped/)
    }))

  it.effect("reports the problem of a file in one line, and exits with 2", () =>
    Effect.gen(function*() {
      const paths = yield* Effect.forEach(hostile, ([content]) => file(content))
      const { status, stderr, stdout } = vectors(...paths)
      assert.deepStrictEqual({ status, stdout }, { status: 2, stdout: "" })
      const lines = stderr.trimEnd().split("\n")
      assert.strictEqual(lines.length, hostile.length)
      for (const [index, [, what]] of hostile.entries()) assert.include(lines[index], what)
    }))
})

describe("the vectors of the rules about time", () => {
  const { vectors } = Schema.decodeUnknownSync(SchedulingVectors.File)(scheduling)

  for (const [index, vector] of vectors.entries()) {
    it.effect(`holds ${vector.id}: ${scheduling.vectors[index]?.note}`, () =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* SchedulingVectors.check(vector), Verdict.passed)
      }).pipe(Effect.provide(TimeZones.TimeZones.layer)))
  }

  it.effect("skips those that the time zone data is too old for", () =>
    Effect.gen(function*() {
      const verdicts = yield* Effect.forEach(vectors, (vector) => SchedulingVectors.check(vector, "2026b"))
      assert.deepStrictEqual(vectors.filter((_, index) => verdicts[index] === Verdict.skipped).map(({ id }) => id), [
        "tz-edmonton-permanent",
        "tz-casablanca-permanent"
      ])
    }).pipe(Effect.provide(TimeZones.TimeZones.layer)))
})
