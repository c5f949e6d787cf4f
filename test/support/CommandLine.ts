/** The command line as a process of its own, run to its end. */
import { Effect } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as DevProcess from "./DevProcess.ts"

export interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly env?: Record<string, string>
  /** What it finds on standard input. */
  readonly input?: string | Uint8Array
}

export const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>, { env = {}, input }: Options = {}) {
  const { child, output } = yield* DevProcess.spawnOutdial(args, { PORT: "4010", ...env }, input)
  const code = yield* Effect.callback<number | null>((resume) => {
    child.once("close", (status) => resume(Effect.succeed(status)))
  })
  const result: Result = { code, ...output() }
  return result
})

/** The command line over one folder. */
export const over = (data: string) => {
  const env = { OUTDIAL_DATA: data }
  return {
    run: (...args: ReadonlyArray<string>) => run(args, { env }),
    /** With this on standard input. */
    fed: (input: string | Uint8Array, ...args: ReadonlyArray<string>) => run(args, { env, input }),
    /** What it prints with `--json`. */
    json: (...args: ReadonlyArray<string>) => Effect.map(run([...args, "--json"], { env }), parse),
    /** A file in the folder, by its path. */
    file: (name: string, content: string | Uint8Array) =>
      Effect.as(Effect.promise(() => writeFile(join(data, name), content)), join(data, name))
  }
}

const parse = ({ stderr, stdout }: Result) => {
  if (stdout === "") throw new Error(`Nothing was printed but ${stderr}`)
  return JSON.parse(stdout)
}
