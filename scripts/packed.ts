/** Packs the packages as npm would publish them, and reports their problems. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { tool } from "./tools.ts"

const run = promisify(execFile)

const root = resolve(import.meta.dirname, "..")

/** In the order of their dependencies. */
export const names = ["core", "http", "sql", "node", "testkit", "ai", "carriers", "console", "server"] as const

/** Where the package stands. */
export const folder = (name: string): string => join(root, "packages", name)

export interface Packed {
  readonly name: string
  readonly tarball: string
  readonly files: ReadonlyArray<string>
  /** Bytes to download and bytes on disk. */
  readonly size: number
  readonly unpackedSize: number
}

const workspaces = names.flatMap((name) => ["--workspace", `@outdial/${name}`])

/** Packs the packages, which have been built, into the folder. */
export const packAll = async (into: string): Promise<ReadonlyArray<Packed>> => {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", into, ...workspaces], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024
  })
  const packed: ReadonlyArray<{
    readonly name: string
    readonly filename: string
    readonly files: ReadonlyArray<{ readonly path: string }>
    readonly size: number
    readonly unpackedSize: number
  }> = JSON.parse(stdout)
  return packed.map((each) => ({
    ...each,
    tarball: join(into, each.filename),
    files: each.files.map(({ path }) => path)
  }))
}

/** What publint and are-the-types-wrong say against a packed package; nothing when all is well. */
export const problems = async ({ files, name, tarball }: Packed): Promise<ReadonlyArray<string>> => {
  const { buffer } = new Uint8Array(await readFile(tarball))
  const withoutPage = name === "@outdial/console" && !files.includes("pages/index.html")
  return [
    ...await lint(buffer),
    ...await wrongTypes(buffer),
    ...(withoutPage ? ["the console's page is not built: npm run build:console"] : [])
  ]
}

/** What npm says against publishing the packages as they stand; a dry run, which needs no account. */
export const publishWarnings = async (): Promise<ReadonlyArray<string>> => {
  const { stderr } = await run("npm", ["publish", "--dry-run", "--loglevel=warn", ...workspaces], { cwd: root })
  return stderr.split("\n").filter((line) => /^npm (warn publish|error)/.test(line) && !line.includes("logged in"))
}

const lint = async (tarball: ArrayBuffer): Promise<ReadonlyArray<string>> => {
  const [{ publint }, { formatMessage }] = await Promise.all([tool("publint"), tool("publint/utils")])
  const { messages, pkg } = await publint({ strict: true, pack: { tarball } })
  return messages.map((message: unknown) => `publint: ${formatMessage(message, pkg, { color: false })}`)
}

/** These come of being ESM only, for a Node that can `require` ESM: `exports` alone, and no CommonJS. */
const ofEsmOnly = new Set(["NoResolution node10", "CJSResolvesToESM node16-cjs"])

const wrongTypes = async (tarball: ArrayBuffer): Promise<ReadonlyArray<string>> => {
  const { checkPackage, createPackageFromTarballData } = await tool("@arethetypeswrong/core")
  const result: {
    readonly types: false | { readonly kind: string }
    readonly problems?: ReadonlyArray<
      { readonly kind: string; readonly entrypoint?: string; readonly resolutionKind?: string }
    >
  } = await checkPackage(createPackageFromTarballData(new Uint8Array(tarball)))
  if (result.types === false) return ["are-the-types-wrong: there are none"]
  return (result.problems ?? [])
    .filter(({ kind, resolutionKind }) => !ofEsmOnly.has(`${kind} ${resolutionKind}`))
    .map((problem) => `are-the-types-wrong: ${JSON.stringify(problem)}`)
}
