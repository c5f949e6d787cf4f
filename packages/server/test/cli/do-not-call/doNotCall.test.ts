import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { describe } from "vitest"
import * as CommandLine from "../CommandLine.ts"

const timeout = 120_000

describe("do-not-call lists at the command line", () => {
  it.live("add numbers and take them off", () =>
    Effect.gen(function*() {
      const { json, run } = yield* CommandLine.open
      yield* run("accounts", "create", "Clinic")
      assert.deepStrictEqual(yield* json("do-not-call", "add", "+14155550101", "+1 415 555 0101", "+442079460000"), {
        added: 2,
        canceled: 0
      })
      assert.deepStrictEqual(yield* json("do-not-call", "add", "+14155550101"), { added: 0, canceled: 0 })
      const listed: ReadonlyArray<Record<string, string>> = yield* json("do-not-call", "list")
      assert.sameMembers(listed.map((entry) => entry["phone_number"]), ["+442079460000", "+14155550101"])
      assert.containsAllKeys(listed[0], ["object", "phone_number", "source", "created_at"])
      assert.match((yield* run("do-not-call", "remove", "0014155550101")).stdout, /may be called again/)
      const gone = yield* run("do-not-call", "remove", "+14155550101")
      assert.strictEqual(gone.code, 1)
      assert.match(gone.stderr, /There is no entry \+14…01 on the do-not-call list/)
      const none = yield* run("do-not-call", "add", "+14155550102", "nobody")
      assert.strictEqual(none.code, 1)
      assert.match(none.stderr, /"nobody" must be a telephone number in E\.164 form/)
      assert.match((yield* run("do-not-call", "remove", "nobody")).stderr, /"nobody" must be a telephone number/)
      assert.match((yield* run("do-not-call", "list")).stdout, /^\+442079460000 {2}\S+Z {2}api\n$/)
    }), timeout)

  it.live(
    "take numbers without a country where the policy has a default country, as previews do",
    () =>
      Effect.gen(function*() {
        const { fed, file, json, run } = yield* CommandLine.open
        yield* run("accounts", "create", "Clinic")
        const refused = yield* run("preview", "(415) 555-0101")
        assert.match(refused.stderr, /"\(415\) 555-0101" is no telephone number; give it in E\.164 form/)
        assert.match((yield* run("do-not-call", "add", "4155550101")).stderr, /"4155550101" must be a telephone number/)
        const policy = yield* file("policy.json", JSON.stringify({ default_country: "US" }))
        assert.strictEqual((yield* run("accounts", "set", "--policy", policy)).code, 0)
        assert.strictEqual((yield* json("preview", "(415) 555-0101")).phone_number, "+14155550101")
        assert.strictEqual((yield* run("preview", "911")).code, 1)
        assert.deepStrictEqual(yield* json("do-not-call", "add", "(415) 555-0101"), { added: 1, canceled: 0 })
        assert.strictEqual((yield* fed("415-555-0102\n", "do-not-call", "import", "-")).code, 0)
        assert.strictEqual((yield* run("do-not-call", "remove", "1 415 555 0102")).code, 0)
        const listed: ReadonlyArray<Record<string, string>> = yield* json("do-not-call", "list")
        assert.deepStrictEqual(listed.map((entry) => entry["phone_number"]), ["+14155550101"])
        assert.match((yield* run("do-not-call", "add", "911")).stderr, /"911" is not a telephone number in US/)
      }),
    timeout
  )

  it.live("take 10,000 lines, as spreadsheets write them", () =>
    Effect.gen(function*() {
      const { fed, file, json, run } = yield* CommandLine.open
      yield* run("accounts", "create", "Clinic")
      const rows = Array.from({ length: 10_000 }, (_, n) => `"+1 415 ${2_000_000 + n}";Name ${n}`)
      const many = yield* file("many.csv", `\uFEFFphone;name\r\n${rows.join("\r\n")}\r\n`)
      assert.deepStrictEqual(yield* json("do-not-call", "import", many), { added: 10_000, canceled: 0, rejected: [] })
      assert.strictEqual((yield* json("do-not-call", "list")).length, 10_000)

      const some = "+14155550101\r\r\n# a comment\nnobody,x\n,+14155550102\n\u001b[31m1\n+14155550103\n"
      const partly = yield* fed(some, "do-not-call", "import", "-")
      assert.deepStrictEqual([partly.code, partly.stdout], [1, "2 numbers added, 0 waiting calls canceled\n"])
      assert.match(partly.stderr, /line 4: "nobody" must be a telephone number/)
      assert.match(partly.stderr, /line 5: ",\+14155550102" must be/)
      assert.match(partly.stderr, /line 6: "\\u001b\[31m1" must be/)
      assert.match(partly.stderr, /3 lines hold no telephone number; all other lines are on the list/)

      const wrong = yield* fed(Array.from({ length: 50 }, (_, n) => `x${n}`).join("\n"), "do-not-call", "import", "-")
      assert.deepStrictEqual([wrong.code, wrong.stdout], [1, ""])
      assert.match(wrong.stderr, /lines hold no telephone number: give one on each line, .*; line 1 has "x0"/)
      assert.match((yield* run("do-not-call", "import", "/nowhere.csv")).stderr, /There is no file \/nowhere\.csv/)
      const binary = yield* fed(new Uint8Array([0xff, 0xfe, 0x2b, 0x00]), "do-not-call", "import", "-")
      assert.match(binary.stderr, /standard input is not text in UTF-8/)
      const empty = yield* fed("# none\n", "do-not-call", "import", "-")
      assert.deepStrictEqual([empty.code, empty.stdout], [1, ""])
      assert.match(empty.stderr, /lines hold no telephone number: give one on each line/)
    }), timeout)
})
