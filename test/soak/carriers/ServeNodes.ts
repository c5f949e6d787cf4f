/** Processes of `outdial serve` behind one public address, which are killed and frozen, and come back. */
import { Effect, Ref, Schedule } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { connect, createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join, resolve } from "node:path"
import type { SeededRandom } from "../SeededRandom.ts"
import { freePort, secretKey } from "../../support/ServeProcess.ts"

export interface ServeNode {
  readonly name: string
  readonly port: number
  readonly kill: Effect.Effect<void>
  readonly freeze: (millis: number) => Effect.Effect<void>
}

const root = resolve(import.meta.dirname, "../../..")

/** Leads each connection to a node at random; to another one when nothing listens there. */
export const publicAddress = (ports: ReadonlyArray<number>, random: SeededRandom) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
      const server = createServer((near) => {
        near.on("error", () => {})
        const tryNext = (left: ReadonlyArray<number>) => {
          const [port, ...others] = left
          if (port === undefined) return void near.destroy()
          const far = connect(port, "127.0.0.1")
          let isOpen = false
          far.on("connect", () => {
            isOpen = true
            near.pipe(far)
            far.pipe(near)
            near.on("close", () => far.destroy())
          })
          far.on("error", () => {
            if (!isOpen) tryNext(others)
          })
          far.on("close", () => {
            if (isOpen) near.destroy()
          })
        }
        tryNext(random.shuffled(ports))
      }).listen(0, "127.0.0.1", () => {
        resume(Effect.succeed({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          close: () => void server.close()
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

export const newPort = freePort

/** How often is tried again what fails while nodes and the database are away. */
export const retryEvery = Schedule.spaced("250 millis")

/** Keeps the process: when it is gone, it comes back a little later. Returns when it serves. */
export const start = Effect.fnUntraced(function*(
  { environment, folder, name, port }: {
    readonly name: string
    readonly port: number
    readonly folder: string
    readonly environment: Readonly<Record<string, string>>
  },
  { note, random }: { readonly random: SeededRandom; readonly note: (what: string) => void }
) {
  const current = yield* Ref.make<ChildProcess | undefined>(undefined)
  const log = createWriteStream(join(folder, `${name}.log`), { flags: "a" })
  const send = (signal: NodeJS.Signals) => Effect.map(Ref.get(current), (child) => child?.kill(signal))
  const run = Effect.runForkWith(yield* Effect.context())

  const live = Effect.callback<void>((resume) => {
    const child = spawn(
      process.execPath,
      ["--conditions=@outdial/source", join(root, "packages/server/src/main.ts"), "serve"],
      {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: process.env["PATH"],
          NODE_COMPILE_CACHE: join(root, "node_modules/.cache/outdial/compiled"),
          OUTDIAL_SECRET_KEY: secretKey,
          OUTDIAL_DATA: folder,
          PORT: String(port),
          ...environment
        }
      }
    )
    run(Ref.set(current, child))
    child.stdout.pipe(log, { end: false })
    child.stderr.pipe(log, { end: false })
    child.once("exit", (code, signal) => {
      if (signal !== "SIGKILL") note(`${name} ended unexpectedly (${code ?? signal})`)
      resume(Effect.void)
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(live, Effect.suspend(() => Effect.sleep(random.between(200, 2500)))))
  )
  yield* Effect.tryPromise(async () => {
    const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`)
    if (!ok) throw new Error("It is not ready")
  }).pipe(Effect.retry({ times: 240, schedule: retryEvery }), Effect.orDie)
  const node: ServeNode = {
    name,
    port,
    kill: Effect.asVoid(send("SIGKILL")),
    freeze: (millis) =>
      Effect.asVoid(send("SIGSTOP").pipe(Effect.andThen(Effect.sleep(millis)), Effect.ensuring(send("SIGCONT"))))
  }
  return node
})
