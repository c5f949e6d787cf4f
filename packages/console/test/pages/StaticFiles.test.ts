import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import * as StaticFiles from "../../src/pages/StaticFiles.ts"

const script = "console.log(\"Outdial\")\n".repeat(100)

/** A built page, and a secret beside it. */
const built = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "outdial-pages-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const pages = join(folder, "pages")
  yield* Effect.promise(async () => {
    await mkdir(join(pages, "assets"), { recursive: true })
    await writeFile(join(folder, "secret.txt"), "secret")
    await writeFile(join(pages, "index.html"), "<!doctype html><html><head><title>Outdial</title></head></html>")
    await writeFile(join(pages, "icon.svg"), "<svg/>")
    await writeFile(join(pages, "assets", "index-1.js"), script)
  })
  const files = yield* StaticFiles.load(pages)
  return (path: string, headers: Readonly<Record<string, string>> = {}, basePath = "/console") =>
    StaticFiles.respond(files, path, basePath).pipe(
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("https://outdial.test/", { headers }))
      ),
      Effect.provide(SecureRandom.layerWebCrypto),
      Effect.map((response) => HttpServerResponse.toWeb(response))
    )
})

const textOf = (response: Response) => Effect.promise(() => response.text())

describe("The page's files", () => {
  it.effect("are found by their names, and every other path is the page", () =>
    Effect.gen(function*() {
      const get = yield* built
      const asset = yield* get("assets/index-1.js")
      assert.strictEqual(yield* textOf(asset), script)
      assert.strictEqual(asset.headers.get("content-type"), "text/javascript; charset=utf-8")
      assert.strictEqual(asset.headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.strictEqual((yield* get("icon.svg")).headers.get("cache-control"), "no-cache")
      assert.strictEqual((yield* get("assets/gone-1.js")).status, 404)
      const hostile = [
        "",
        "acct_1/now",
        "index.html",
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "..\\secret.txt",
        "icon.svg%00",
        "icon.svg\u0000",
        "/etc/passwd",
        "//etc/passwd",
        "__proto__",
        "constructor"
      ]
      for (const path of hostile) {
        const response = yield* get(path)
        const text = yield* textOf(response)
        assert.strictEqual(response.status, 200, path)
        assert.include(text, "<title>Outdial</title>", path)
        assert.strictEqual(response.headers.get("cache-control"), "no-store")
      }
      for (const path of ["assets/../../secret.txt", "assets/..%2f..%2fsecret.txt"]) {
        assert.strictEqual((yield* get(path)).status, 404, path)
      }
    }))

  it.effect("are compressed for those who accept it, and not sent to those who have them", () =>
    Effect.gen(function*() {
      const get = yield* built
      const gzip = yield* get("assets/index-1.js", { "accept-encoding": "br, gzip;q=0.8" })
      assert.strictEqual(gzip.headers.get("content-encoding"), "gzip")
      assert.strictEqual(gunzipSync(yield* Effect.promise(() => gzip.arrayBuffer())).toString(), script)
      for (const refused of ["gzip;q=0", "br", "gzipped"]) {
        assert.isNull((yield* get("assets/index-1.js", { "accept-encoding": refused })).headers.get("content-encoding"))
      }
      const etag = gzip.headers.get("etag") ?? ""
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
        assert.strictEqual((yield* get("assets/index-1.js", { "if-none-match": known })).status, 304, known)
      }
      assert.strictEqual((yield* get("assets/index-1.js", { "if-none-match": "\"x\"" })).status, 200)
    }))

  it.effect("have a page that knows its path and its nonce, which is new each time", () =>
    Effect.gen(function*() {
      const get = yield* built
      const [one, two] = [yield* get("", {}, "/a\"><script>/b"), yield* get("")]
      const nonceOf = (response: Response) =>
        /'nonce-([^']+)'/.exec(response.headers.get("content-security-policy") ?? "")?.[1] ?? ""
      const text = yield* textOf(one)
      assert.include(text, "<base href=\"/a&quot;&gt;&lt;script&gt;/b/\">")
      assert.include(text, `<meta property="csp-nonce" content="${nonceOf(one)}">`)
      assert.match(nonceOf(one), /^[A-Za-z0-9+/]{24}$/)
      assert.notStrictEqual(nonceOf(one), nonceOf(two))
      assert.strictEqual(two.headers.get("x-frame-options"), "DENY")
    }))

  it.effect("may not be built yet", () =>
    Effect.gen(function*() {
      const files = yield* StaticFiles.load(join(tmpdir(), "outdial-no-such-folder"))
      const response = yield* StaticFiles.respond(files, "", "/console").pipe(
        Effect.provideService(
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(new Request("https://outdial.test/"))
        ),
        Effect.provide(SecureRandom.layerWebCrypto)
      )
      assert.strictEqual(response.status, 503)
    }))
})
