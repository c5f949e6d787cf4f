/** The processes of a run: started, killed, frozen, and started again whenever they are gone. */
import { Deferred, Effect, Ref } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { createWriteStream } from "node:fs"
import { join, resolve } from "node:path"
import type { SeededRandom } from "./SeededRandom.ts"
import * as FaultPoints from "./FaultPoints.ts"
import type { RunSettings } from "./Fixture.ts"
import { realMillis } from "./Timeline.ts"

export interface Worker {
  readonly name: string
  readonly kill: Effect.Effect<void>
  readonly freeze: (millis: number) => Effect.Effect<void>
  readonly thaw: Effect.Effect<void>
}

/** How long leases last at most, and a little more, in milliseconds of the timeline. */
export const longerThanAnyLease = 66_000

const root = resolve(import.meta.dirname, "../..")

/** What is counted while it happens. */
export interface Incidents {
  readonly note: (what: string) => void
}

/** Starts the process and keeps it: who is gone comes back a little later. Returns when it is there. */
export const start = Effect.fnUntraced(function*(
  { name, settings, program }: { readonly name: string; readonly program: string; readonly settings: RunSettings },
  random: SeededRandom,
  incidents: Incidents
) {
  const current = yield* Ref.make<ChildProcess | undefined>(undefined)
  const isThere = yield* Deferred.make<void>()
  const log = createWriteStream(join(settings.folder, `${name}.log`), { flags: "a" })
  const send = (signal: NodeJS.Signals) => Effect.map(Ref.get(current), (child) => child?.kill(signal))
  const run = Effect.runForkWith(yield* Effect.context())

  const live = (life: number) =>
    Effect.callback<void>((resume) => {
      const child = spawn(
        process.execPath,
        [
          "--conditions=@outdial/source",
          join(import.meta.dirname, program),
          JSON.stringify({ ...settings, name, life })
        ],
        {
          cwd: root,
          stdio: "pipe",
          env: { ...process.env, NODE_COMPILE_CACHE: join(root, "node_modules/.cache/outdial/compiled") }
        }
      )
      run(Ref.set(current, child))
      child.stderr.pipe(log, { end: false })
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        for (const line of text.trim().split("\n")) {
          if (line === "ready") run(Deferred.succeed(isThere, undefined))
          else if (FaultPoints.isFault(line)) incidents.note(`${name} ${line}`)
          else log.write(`${line}\n`)
          if (line.startsWith(FaultPoints.frozen)) {
            // Mostly a moment, sometimes longer than any lease.
            const millis = realMillis(
              settings.timeline,
              random.chance(0.35) ? longerThanAnyLease : random.between(500, 12_000)
            )
            run(Effect.andThen(Effect.sleep(millis), Effect.sync(() => child.kill("SIGCONT"))))
          }
        }
      })
      child.once("exit", (code, signal) => {
        if (signal !== "SIGKILL") incidents.note(`${name} ended unexpectedly (${code ?? signal})`)
        resume(Effect.void)
      })
      return Effect.sync(() => child.kill("SIGKILL"))
    })

  const lives = Effect.gen(function*() {
    for (let life = 0;; life++) {
      yield* live(life)
      yield* Effect.sleep(random.between(200, 2500))
    }
  })
  yield* Effect.forkScoped(lives)
  yield* Deferred.await(isThere)
  const worker: Worker = {
    name,
    kill: Effect.asVoid(send("SIGKILL")),
    freeze: (millis) =>
      Effect.asVoid(send("SIGSTOP").pipe(Effect.andThen(Effect.sleep(millis)), Effect.ensuring(send("SIGCONT")))),
    thaw: Effect.asVoid(send("SIGCONT"))
  }
  return worker
})
