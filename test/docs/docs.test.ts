import { assert, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe } from "vitest"

const root = resolve(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  "CHANGELOG.md",
  ...globSync("{docs/**,packages/*}/*.md", { cwd: root })
]

const guarantees = "docs/guides/language-models.md"

const tests = globSync("{packages/*/test,test}/**/*.test.ts", { cwd: root })

/** The test file that a document names by the end of its path. */
const testNamed = (name: string) => tests.find((test) => `/${test}`.endsWith(`/${name}`))

describe("the documentation", () => {
  for (const file of documents) {
    const text = read(file)

    it(`${file} shows examples as they are run`, () => {
      for (const [, source = "", shown] of text.matchAll(/<!-- example: (\S+) -->\n```\w*\n([\s\S]*?)```/g)) {
        assert.strictEqual(shown, read(source), `${file} shows ${source} as it no longer is`)
      }
    })

    it(`${file} links only to files that are there`, () => {
      for (const [, target = ""] of text.matchAll(/\]\((?!https?:)([^)#\s]+)/g)) {
        assert.isNotEmpty(globSync(join(file, "..", target), { cwd: root }), `${file} links to ${target}`)
      }
    })
  }

  it("names in its decisions and guarantees only tests that are there", () => {
    const names = Array.from(
      ["docs/decisions.md", guarantees].map(read).join("\n").matchAll(/`((?:\w+\/)*\w+\.test\.ts)`/g),
      (match) => match[1] ?? ""
    )
    assert.isNotEmpty(names)
    assert.deepStrictEqual(names.filter((name) => testNamed(name) === undefined), [])
  })

  it("names for each guarantee of code the tests that prove it", () => {
    const [, table = ""] = /\| Code guarantees \| Proved by \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(read(guarantees)) ??
      []
    const rows = table.trim().split("\n")
    assert.isAtLeast(rows.length, 10)
    for (const row of rows) {
      assert.match(row, /`[\w/.]+\.test\.ts`/)
      for (const [, name = "", titles = ""] of row.matchAll(/`([\w/.]+\.test\.ts)` \(([^)]+)\)/g)) {
        const source = read(testNamed(name) ?? "")
        for (const [, title = ""] of titles.matchAll(/"([^"]+)"/g)) {
          for (const part of title.split("…")) assert.include(source, part.trim(), `${name} has no test "${title}"`)
        }
      }
    }
  })

  it("names all that our connections ask of a pooler to let pass", () => {
    const [, sent = ""] =
      /startupParameters: \{([\s\S]*?)\n {4}\}/.exec(read("packages/sql/src/connection/Postgres.ts")) ?? []
    // The one that PgBouncer knows.
    const names = Array.from(sent.replaceAll(/\/\/.*/g, "").matchAll(/(\w+): /g), ([, name]) => name)
      .filter((name) => name !== "timezone")
    const [, told = ""] = /ignore_startup_parameters = (.+)/.exec(read("docs/guides/scale.md")) ?? []
    assert.deepStrictEqual(told.split(","), names)
  })

  it("states the oldest TypeScript that the packages are compiled with", () => {
    const { dependencies }: { readonly dependencies: { readonly typescript: string } } = JSON.parse(
      read("scripts/tools/typescript/package.json")
    )
    const [, oldest = ""] = /^(\d+\.\d+)\./.exec(dependencies.typescript) ?? []
    assert.isNotEmpty(oldest)
    const files = ["README.md", "docs/guides/embed.md", ...globSync("packages/*/README.md", { cwd: root })]
    assert.deepStrictEqual(files.filter((file) => !read(file).includes(`TypeScript ${oldest} or later`)), [])
  })

  it("keeps AGENTS.md within 100 lines", () => {
    assert.isAtMost(read("AGENTS.md").split("\n").length, 100)
  })
})
