import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../CommandLine.ts"

const timeout = 120_000

/** Open on Mondays, also at night, and with every other field at its default. */
const nightly = { calling_hours: { mon: [{ start: "06:00", end: "23:00" }] }, fallback_time_zone: "Europe/Paris" }

describe("policies at the command line", () => {
  it.live(
    "are set from a file, shown as written and as they hold, and kept when something else is set",
    () =>
      Effect.gen(function*() {
        const { file, json, run } = yield* CommandLine.open
        const path = yield* file("policy.json", JSON.stringify(nightly))
        assert.deepStrictEqual((yield* json("accounts", "create", "Clinic")).policy, {})

        const set = yield* run("accounts", "set", "--policy", path, "--json")
        assert.deepStrictEqual(JSON.parse(set.stdout).policy, nightly)
        assert.match(set.stderr, /^warning: \/calling_hours\/mon\/0: .*at night/)
        yield* run("accounts", "set", "--lines", "3")
        const shown = yield* json("accounts", "show")
        assert.deepStrictEqual(shown.policy, nightly)
        assert.deepInclude(shown.policy_in_force, { ...nightly, recall_gap_seconds: 14_400, calls_per_second: 3 })

        const { stdout } = yield* run("accounts", "show")
        assert.match(stdout, /calling_hours +mon 06:00-23:00; tue-sun closed\n/)
        assert.match(stdout, /recall_gap_seconds +14400 {2}\(default\)\n/)
      }),
    timeout
  )

  it.live("are narrowed by a preset, from standard input or as they stand", () =>
    Effect.gen(function*() {
      const { fed, json, run } = yield* CommandLine.open
      const windows = ({ policy }: { policy: typeof nightly }) => policy.calling_hours.mon
      const created = yield* fed(
        JSON.stringify(nightly),
        "accounts",
        "create",
        "Clinic",
        "--policy",
        "-",
        "--preset",
        "us-fl",
        "--json"
      )
      assert.deepStrictEqual(windows(JSON.parse(created.stdout)), [{ start: "08:00", end: "20:00" }])
      assert.match(created.stderr, /Not legal advice/)
      assert.deepStrictEqual(windows(yield* json("accounts", "set", "--preset", "de")), [{
        start: "08:00",
        end: "20:00"
      }])
      const unknown = yield* run("accounts", "set", "--preset", "atlantis")
      assert.deepStrictEqual([unknown.code, unknown.stdout], [1, ""])
      assert.match(unknown.stderr, /There is no preset atlantis; outdial policy presets lists them/)
    }), timeout)

  it.live("warn of agents that the account does not have, and are set all the same", () =>
    Effect.gen(function*() {
      const { file, json, run } = yield* CommandLine.open
      const [known, unknown] = ["7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11", "00000000-0000-4000-8000-00000000dead"] as const
      const policy = { fallback_time_zone: "UTC", agents: { [known]: {}, [unknown]: {} } }
      const path = yield* file("policy.json", JSON.stringify(policy))
      const findings = (stderr: string) =>
        Array.from(stderr.matchAll(/^warning: \/agents\/(\S+):.*no agent/gm), ([, id]) => id)

      const created = yield* run("accounts", "create", "Clinic", "--policy", path)
      assert.deepStrictEqual([created.code, findings(created.stderr)], [0, [known, unknown]])
      const agent = { id: known, name: "Bea", script: "Hi", questions: [], dispositions: ["ok"] }
      yield* run("agents", "put", yield* file("agent.json", JSON.stringify(agent)))
      const set = yield* run("accounts", "set", "--policy", path)
      assert.deepStrictEqual([set.code, findings(set.stderr)], [0, [unknown]])
      assert.deepStrictEqual((yield* json("accounts", "show")).policy, policy)
    }), timeout)

  it.live("are refused with every problem and its place, and change nothing", () =>
    Effect.gen(function*() {
      const { data, fed, file, json, run } = yield* CommandLine.open
      yield* run("accounts", "create", "Clinic")
      const misspelt = { calling_hourz: null, recall_gap_seconds: -1, agents: { X: {} }, time_zone: "Mars/Base" }
      const problems = (yield* fed(JSON.stringify(misspelt), "accounts", "set", "--policy", "-")).stderr
      assert.match(problems, /standard input is not a policy:\n/)
      assert.match(problems, /\/calling_hourz is not a known field; did you mean calling_hours\?/)
      assert.match(problems, /\/recall_gap_seconds must be 0 to 31622400 seconds/)
      assert.match(problems, /\/time_zone Mars\/Base is not a known time zone/)
      assert.match(problems, /\/agents\/X must be in lower case|\/agents.*UUID/)

      const refused: ReadonlyArray<readonly [name: string, content: string | Uint8Array, message: RegExp]> = [
        ["zone.json", "{\"time_zone\": \"Mars/Base\"}", /\/time_zone Mars\/Base is not a known time zone/],
        ["torn.json", "{\"recall_gap_seconds\":", /torn\.json is not JSON/],
        ["empty.json", "", /empty\.json is not JSON/],
        ["list.json", "[]", /list\.json is not a policy/],
        [
          "camel.json",
          "{\"recallGapSeconds\": 1}",
          /\/recallGapSeconds is not a known field; did you mean recall_gap_seconds/
        ],
        ["utf16.json", Buffer.from("{}", "utf16le"), /utf16\.json is not JSON/],
        ["latin1.json", new Uint8Array([0x7b, 0xff, 0x7d]), /latin1\.json is not text in UTF-8/]
      ]
      for (const [name, content, message] of refused) {
        const result = yield* run("accounts", "set", "--policy", yield* file(name, content))
        assert.deepStrictEqual([result.code, result.stdout], [1, ""], name)
        assert.match(result.stderr, message)
      }
      assert.match(
        (yield* run("accounts", "set", "--policy", `${data}/none.json`)).stderr,
        /There is no file .*none\.json/
      )
      assert.match((yield* run("accounts", "set", "--policy", data)).stderr, /cannot be read/)
      assert.deepStrictEqual((yield* json("accounts", "show")).policy, {})
    }), timeout)

  it.live(
    "are looked at without an account: fails for warnings, not for notes, and reads what Windows writes",
    () =>
      Effect.gen(function*() {
        const { fed } = yield* CommandLine.withoutDatabase
        const lint = (input: string, ...args: ReadonlyArray<string>) => fed(input, "policy", "lint", "-", ...args)
        const windows = yield* lint("\uFEFF{\r\n\"recall_gap_seconds\": 14400\r\n}\r\n")
        assert.deepStrictEqual([windows.code, windows.stderr], [0, ""])
        assert.match(windows.stdout, /^note: \/fallback_time_zone: /)
        const warned = yield* lint(JSON.stringify(nightly), "--preset", "us-fl", "--json")
        assert.strictEqual(warned.code, 1)
        assert.deepStrictEqual(
          JSON.parse(warned.stdout).map(({ code }: { code: string }) => code),
          ["open_at_night", "calling_hours_wider"]
        )
        assert.match(warned.stderr, /2 warnings/)
        assert.match((yield* lint("{\"time_zone\":1}")).stderr, /\/time_zone must be text/)
        assert.strictEqual((yield* lint("{}", "--preset", "atlantis")).code, 1)
      }),
    timeout
  )

  it.live("have presets with sources and their date, which are not legal advice", () =>
    Effect.gen(function*() {
      const { json, run } = yield* CommandLine.withoutDatabase
      const { stdout } = yield* run("policy", "presets")
      assert.match(stdout, /^Not legal advice/)
      assert.match(stdout, /\nau {2}Australia.*\n.*\n {2}as of \d{4}-\d{2}-\d{2}, confidence high: https:/)
      const { disclaimer, presets } = yield* json("policy", "presets")
      assert.match(disclaimer, /^Not legal advice/)
      for (const preset of presets) {
        assert.containsAllKeys(preset, ["id", "title", "policy", "sources", "as_of", "confidence", "notes"])
      }
    }), timeout)
})
