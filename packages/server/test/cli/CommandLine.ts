/** The command line in this process: processes of their own would take most of the time. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Context, Effect, FileSystem, Layer, Path, Redacted, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import * as PgliteTemplate from "../../../../test/support/PgliteTemplate.ts"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as Admin from "../../src/cli/Admin.ts"
import * as StorageLayer from "../../src/config/StorageLayer.ts"
import { report } from "../../src/cli/Report.ts"
import { outdial } from "../../src/main.ts"

export interface Result {
  /** As of a process. */
  readonly code: 0 | 1
  readonly stdout: string
  readonly stderr: string
}

/** One that is gone after the test, with an empty database in it. */
export const folder = Effect.suspend(() =>
  Effect.tap(temporary, (data) => Effect.promise(() => PgliteTemplate.copyInto(data)))
)

/** A folder for files that is gone after the test. */
const temporary = Effect.flatMap(
  Layer.build(NodeServices.layer),
  (services) => Context.get(services, FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "outdial-cli-" })
)

/** On a Postgres of its own, which opens faster than an embedded one. */
export const open = Effect.gen(function*() {
  const url = yield* Postgres.database
  return yield* on({ _tag: "Postgres", url: Redacted.make(url) }, { DATABASE_URL: url }, yield* temporary)
})

/** Over a folder that no other process has open; it is opened once. */
export const over = (data: string) => on({ _tag: "Folder", path: data }, { OUTDIAL_DATA: data }, data)

const on = Effect.fnUntraced(function*(
  location: StorageLayer.StorageLocation,
  variables: Record<string, string>,
  data: string
) {
  yield* Effect.scoped(Layer.build(StorageLayer.layer(location)))
  // Commands provide the same layer, which is remembered in the context that is given to them.
  const services = yield* Layer.build(
    Admin.layer.pipe(Layer.provideMerge(environment(variables)), Layer.provideMerge(NodeServices.layer))
  )
  const files = Context.get(services, FileSystem.FileSystem)
  const paths = Context.get(services, Path.Path)
  return {
    ...commands(services),
    /** Where files for the commands are. */
    data,
    /** What the commands stand on. */
    services,
    /** A file in the folder, by its path. */
    file: (name: string, content: string | Uint8Array) => {
      const path = paths.join(data, name)
      return Effect.as(files.writeFile(path, bytes(content)), path)
    }
  }
})

/** Where the environment names no database. */
export const withoutDatabase = Effect.map(Layer.build(Layer.merge(NodeServices.layer, environment({}))), commands)

/** With these variables; the folder they name is open only while a command runs. */
export const inEnvironment = (variables: Record<string, string>) =>
  Effect.map(Layer.build(Layer.merge(NodeServices.layer, environment(variables))), commands)

function environment(variables: Record<string, string>) {
  return ConfigProvider.layer(ConfigProvider.fromUnknown(variables))
}

function commands(services: Context.Context<NodeServices.NodeServices>) {
  /** With this on standard input. */
  const fed = (input: string | Uint8Array, ...args: ReadonlyArray<string>) =>
    Effect.suspend(() => {
      const written = { stdout: "", stderr: "" }
      return Command.runWith(outdial, { version: "test" })(args).pipe(
        Effect.tapCause(report),
        Effect.match({ onFailure: () => 1 as const, onSuccess: () => 0 as const }),
        Effect.map((code): Result => ({ code, ...written })),
        Effect.provideService(Console.Console, {
          ...console,
          log: (text: string) => void (written.stdout += `${text}\n`),
          error: (text: string) => void (written.stderr += `${text}\n`)
        }),
        Effect.provide(Stdio.layerTest({ stdin: Stream.make(bytes(input)) })),
        Effect.provideContext(services)
      )
    })
  const run = (...args: ReadonlyArray<string>) => fed("", ...args)
  return {
    fed,
    run,
    /** What it prints with `--json`. */
    json: (...args: ReadonlyArray<string>) => Effect.map(run(...args, "--json"), ({ stdout }) => JSON.parse(stdout))
  }
}

function bytes(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content
}
