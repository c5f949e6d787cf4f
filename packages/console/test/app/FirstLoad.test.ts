import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"

const pages = join(import.meta.dirname, "../../pages")
const assets = join(pages, "assets")

/** The chunk and what it imports before it runs, by their file names. */
const withImports = (names: ReadonlyArray<string>, seen = new Set<string>()): ReadonlySet<string> => {
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    const imports = /(?:import|from)\s*["']\.\/([\w.-]+\.js)["']/g
    const code = readFileSync(join(assets, name), "utf8")
    withImports([...code.matchAll(imports)].map(([, file = ""]) => file), seen)
  }
  return seen
}

const namesIn = (text: string) => [...text.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name = ""]) => name)

const lazyChunk = (page: string) => readdirSync(assets).filter((name) => name.startsWith(`${page}-`))

describe.skipIf(!existsSync(assets))("the built page", () => {
  it.each(["en", "de"])("loads at most 200 kB, compressed, until the page Now is there in %s", (language) => {
    const named = namesIn(readFileSync(join(pages, "index.html"), "utf8"))
    const lazy = ["NowPage", language].flatMap(lazyChunk)
    assert.include(lazy.join(), "NowPage-")
    const scripts = withImports([...named, ...lazy].filter((name) => name.endsWith(".js")))
    const styles = [...named, ...lazy].filter((name) => name.endsWith(".css"))
    const sizes = [...scripts, ...styles].map((name) => gzipSync(readFileSync(join(assets, name))).length)
    assert.isAtMost(sizes.reduce((sum, size) => sum + size, 0), 200_000)
  })

  it("has no inline script, no inline style and no address of another host", () => {
    const html = readFileSync(join(pages, "index.html"), "utf8")
    assert.notMatch(html, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/)
  })
})
