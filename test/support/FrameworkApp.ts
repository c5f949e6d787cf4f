/**
 * An example that mounts Outdial in a framework, in a folder of its own: with the very framework that its lock file names, the
 * packages as npm would publish them, and by its own scripts.
 */
import { SecretBox } from "@outdial/core"
import { postgres } from "@outdial/sql"
import { Effect, Layer, Redacted } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import process from "node:process"
import { inject } from "vitest"
import { fetched, root, run, running } from "./Consumer.ts"
import * as HttpTargets from "./HttpTargets.ts"
import type {} from "./packedSetup.ts"
import * as Postgres from "./postgres.ts"

export type Name = "nest" | "next"

export interface FrameworkApp {
  readonly folder: string
  /** What it names, with the versions that are installed. */
  readonly packages: ReadonlyArray<string>
  readonly scripts: { readonly start: string }
}

/** Where the scripts find what they name, and the Node that runs the tests. */
const pathOf = (folder: string) =>
  [join(folder, "node_modules", ".bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter)

export const secretKey = Buffer.alloc(32, 1).toString("base64")

/** The module of each example that opens the engine. */
const opening: Readonly<Record<Name, string>> = { nest: "OutdialModule.ts", next: "outdial.ts" }

/** Calls over Twilio where the environment names its API, as a host does by a layer in place of the simulator's. */
const overTwilio = (source: string): string => {
  const simulated = "SimulatedTelephony.layer(),"
  if (!source.includes(simulated)) throw new Error("The example has another carrier")
  return `import { TwilioTelephony } from "@outdial/carriers/twilio"
import { PhoneNumber } from "@outdial/core"
import { Redacted } from "effect"
${
    source.replace(
      simulated,
      `process.env.TWILIO_API_URL === undefined
      ? SimulatedTelephony.layer()
      : TwilioTelephony.layer({
        accountSid: process.env.TWILIO_ACCOUNT_SID ?? "",
        authToken: Redacted.make(process.env.TWILIO_AUTH_TOKEN ?? ""),
        apiUrl: process.env.TWILIO_API_URL,
        publicUrl: process.env.OUTDIAL_PUBLIC_URL ?? "",
        callerId: PhoneNumber.PhoneNumber.make("+14155550100")
      }),`
    )
  }`
}

/** Installs and builds the example, which is gone with the scope. */
export const build = Effect.fnUntraced(function*(name: Name) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), `outdial-${name}-`))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const example = join(root, "examples/frameworks", name)
  const env = { PATH: pathOf(folder), NEXT_TELEMETRY_DISABLED: "1" }
  // npm refuses a lock file that does not fit.
  yield* run("npm", ["ci", "--dry-run", "--ignore-scripts", "--no-audit"], { cwd: example, env })
  const { stdout: files } = yield* run("git", ["ls-files", "-co", "--exclude-standard"], { cwd: example })
  yield* Effect.promise(() =>
    Promise.all(files.trim().split("\n").map((file) => cp(join(example, file), join(folder, file))))
  )
  const opens = join(folder, opening[name])
  writeFileSync(opens, overTwilio(readFileSync(opens, "utf8")))
  const { dependencies, scripts }: {
    readonly dependencies: Record<string, string>
    readonly scripts: FrameworkApp["scripts"]
  } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const needed = { ...dependencies, "@outdial/carriers": "" }
  const tarballs = inject("packed").filter((packed) => packed.name in needed).map(({ tarball }) => tarball)
  const install = ["install", "--prefer-offline", "--no-fund", "--no-audit", "--loglevel=error"]
  yield* run("npm", [...install, ...tarballs], { cwd: folder, env })
  yield* run("npm", ["run", "build"], { cwd: folder, env })
  const version = (name: string): string =>
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version
  return { folder, scripts, packages: Object.keys(dependencies).map((name) => `${name} ${version(name)}`) }
})

/** Starts the example on the database; answers where its `/v1` is, as soon as it answers there. */
export const start = Effect.fnUntraced(function*(
  { folder, scripts }: FrameworkApp,
  databaseUrl: string,
  port: number,
  environment: Readonly<Record<string, string>> = {}
) {
  const env = {
    ...environment,
    PATH: pathOf(folder),
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    OUTDIAL_SECRET_KEY: secretKey,
    NEXT_TELEMETRY_DISABLED: "1"
  }
  const { child } = yield* running("sh", ["-ec", `exec ${scripts.start}`], { cwd: folder, env })
  const url = `http://127.0.0.1:${port}`
  const baseUrl = `${url}/api`
  yield* Effect.orDie(fetched(`${baseUrl}/readyz`))
  return { child, fetch, url, baseUrl }
})

/** The contract's target: what the example serves, with the accounts and keys that this process makes in its database. */
export const target = (app: Effect.Effect<FrameworkApp>, port: number) =>
  Layer.unwrap(Effect.map(Postgres.database, (url) =>
    HttpTargets.layer(
      Layer.empty,
      Effect.flatMap(app, (built) => start(built, url, port)),
      {
        // The example puts one of its own, which takes the place of any of its name.
        agent: { name: "Grace" },
        storage: Layer.orDie(postgres({ url }).storage),
        secretBox: Layer.orDie(SecretBox.SecretBox.layer({ key: Redacted.make(secretKey), previous: [] }))
      }
    )))
