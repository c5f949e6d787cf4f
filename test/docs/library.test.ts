import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { libraryReference } from "../../scripts/libraryReference.ts"

const root = resolve(import.meta.dirname, "../..")

describe("the library reference", () => {
  const pages = libraryReference()

  it("is what npm run generate writes", () => {
    assert.sameMembers(
      globSync("docs/reference/library/*", { cwd: root }),
      Array.from(pages.keys())
    )
    for (const [path, text] of pages) {
      assert.strictEqual(readFileSync(join(root, path), "utf8"), text, `${path}: run npm run generate`)
    }
  })

  it("says what each function, each method and each field is for", () => {
    for (const [path, text] of pages) {
      const bare = Array.from(text.matchAll(/^\| (`[^|]*) \|.*\|  \|$/gm), ([, name]) => name)
      const silent = Array.from(
        text.matchAll(/^(#{3,4} .*)\n\n```ts\n.*\n```\n\n(?=Rejects|Types|#|$)/gm),
        ([, name]) => name
      )
      assert.deepStrictEqual([...bare, ...silent], [], path)
    }
  })

  it("links only to headings that are there", () => {
    const headings = (file: string) =>
      Array.from(
        readFileSync(file, "utf8").matchAll(/^#+ (.*)$/gm),
        ([, heading = ""]) => heading.toLowerCase().replaceAll(/[^a-z0-9_ -]/g, "").replaceAll(" ", "-")
      )
    for (const [path, text] of pages) {
      const links = new Set(
        Array.from(text.matchAll(/\]\(([^)#]*)#([^)]+)\)/g), ([, file = "", anchor = ""]) => `${file}#${anchor}`)
      )
      const broken = Array.from(links).filter((link) => {
        const [file = "", anchor = ""] = link.split("#")
        return !headings(file === "" ? join(root, path) : join(root, path, "..", file)).includes(anchor)
      })
      assert.deepStrictEqual(broken, [], path)
    }
  })

  it("has no path of the machine that wrote it", () => {
    for (const [path, text] of pages) assert.notInclude(text, root, path)
  })
})
