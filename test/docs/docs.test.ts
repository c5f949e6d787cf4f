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

  it("names in its decisions only tests that are there", () => {
    const names = Array.from(
      read("docs/decisions.md").matchAll(/`((?:\w+\/)*\w+\.test\.ts)`/g),
      (match) => match[1] ?? ""
    )
    const tests = globSync("{packages/*/test,test}/**/*.test.ts", { cwd: root })
    assert.isNotEmpty(names)
    assert.deepStrictEqual(names.filter((name) => !tests.some((test) => `/${test}`.endsWith(`/${name}`))), [])
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
