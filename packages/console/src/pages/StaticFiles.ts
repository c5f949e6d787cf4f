/**
 * The page's files, which the package contains. They are read once, and found by their exact names: a path that names none of them, however
 * it is written, is a page of the console, which `index.html` shows.
 */
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { securityHeaders } from "./SecurityHeaders.ts"

/** The build of `packages/console/app`, beside this package's sources and beside its compiled form. */
const directory = fileURLToPath(new URL("../../pages", import.meta.url))

interface File {
  readonly bytes: Uint8Array
  /** The same compressed, for text. */
  readonly gzip: Uint8Array | undefined
  readonly contentType: string
  readonly etag: string
}

/** The page's files by their paths below the console's, such as `assets/index-1.js`. */
export interface StaticFiles {
  readonly files: ReadonlyMap<string, File>
  /** The page. `undefined` when it has not been built. */
  readonly index: string | undefined
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2"
}

const isCompressed = (contentType: string) => contentType === "image/png" || contentType === "font/woff2"

const compress = promisify(gzip)

/** The files could not be read. */
export class PagesUnreadable extends Schema.TaggedError<PagesUnreadable>()("PagesUnreadable", {
  cause: Schema.Defect()
}) {}

/** Reads all files of the folder. A folder that does not exist has none. */
export const load = (from: string = directory): Effect.Effect<StaticFiles, PagesUnreadable> =>
  Effect.tryPromise({
    try: async () => {
      const entries = await readdir(from, { recursive: true, withFileTypes: true }).catch(() => [])
      const files = new Map<string, File>()
      for (const entry of entries.filter((entry) => entry.isFile())) {
        const path = join(entry.parentPath, entry.name)
        const bytes = await readFile(path)
        const contentType = contentTypes[extname(entry.name)] ?? "application/octet-stream"
        files.set(relative(from, path).split(sep).join("/"), {
          bytes,
          gzip: isCompressed(contentType) ? undefined : await compress(bytes),
          contentType,
          etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`
        })
      }
      const index = files.get("index.html")
      files.delete("index.html")
      return { files, index: index === undefined ? undefined : new TextDecoder().decode(index.bytes) }
    },
    catch: (cause) => new PagesUnreadable({ cause })
  })

/** Files with a hash of their content in their names never change. */
const hashed = "assets/"

const notBuilt = "The console's page has not been built. Run: npm run build:console\n"

/**
 * The response to a GET of the path below the base path. The page itself differs with each response, because of its nonce, and is not
 * cached; other files are, those with a hash in their names for good.
 */
export const respond = Effect.fnUntraced(function*(
  { files, index }: StaticFiles,
  path: string,
  basePath: string
) {
  const nonce = Base64.encode(yield* (yield* SecureRandom.SecureRandom).randomBytes(18))
  const headers = securityHeaders(nonce)
  const file = files.get(path)
  if (file !== undefined) return yield* fileResponse(file, path, headers)
  if (path.startsWith(hashed)) {
    return HttpServerResponse.text("There is no such file\n", { status: 404, headers: { ...headers, ...uncached } })
  }
  if (index === undefined) {
    return HttpServerResponse.text(notBuilt, { status: 503, headers: { ...headers, ...uncached } })
  }
  const page = index.replace(
    /<head>/i,
    (head) => `${head}<base href="${escaped(basePath)}/"><meta property="csp-nonce" content="${nonce}">`
  )
  return HttpServerResponse.text(page, {
    contentType: "text/html; charset=utf-8",
    headers: { ...headers, ...uncached }
  })
})

const uncached = { "cache-control": "no-store" }

const fileResponse = Effect.fnUntraced(function*(file: File, path: string, headers: Readonly<Record<string, string>>) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const cached = {
    ...headers,
    etag: file.etag,
    vary: "accept-encoding",
    "cache-control": path.startsWith(hashed) ? "public, max-age=31536000, immutable" : "no-cache"
  }
  if (isKnown(request.headers["if-none-match"], file.etag)) {
    return HttpServerResponse.empty({ status: 304, headers: cached })
  }
  const isGzip = file.gzip !== undefined && acceptsGzip(request.headers["accept-encoding"])
  return HttpServerResponse.uint8Array(isGzip && file.gzip !== undefined ? file.gzip : file.bytes, {
    contentType: file.contentType,
    headers: { ...cached, ...(isGzip && { "content-encoding": "gzip" }) }
  })
})

/** Whether the client has the file (RFC 9110 §13.1.2: weak comparison). */
const isKnown = (sent: string | undefined, etag: string): boolean =>
  sent !== undefined && sent.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag)

const acceptsGzip = (sent: string | undefined): boolean =>
  (sent ?? "").split(",").some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding))

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("\"", "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
