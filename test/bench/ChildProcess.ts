/** A process that gets requests as messages, one after the other, and answers each. */
import { Effect, Semaphore } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"

interface Answer {
  readonly value?: unknown
  readonly error?: string
}

const isGone = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

/** Started and ready; ends with the scope. */
export const start = Effect.fnUntraced(function*(file: string, args: ReadonlyArray<string>) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => fork(file, args, { execArgv: ["--conditions=@outdial/source", "--expose-gc"] })),
    (child) =>
      Effect.promise(async () => {
        if (isGone(child)) return
        child.kill("SIGKILL")
        await once(child, "exit")
      })
  )
  const answer = Effect.callback<unknown>((resume) => {
    const onMessage = ({ error, value }: Answer) => {
      child.off("exit", onExit)
      resume(error === undefined ? Effect.succeed(value) : Effect.die(new Error(error)))
    }
    const onExit = () => {
      child.off("message", onMessage)
      resume(Effect.die(new Error(`${file} has ended`)))
    }
    if (isGone(child)) return onExit()
    child.once("message", onMessage).once("exit", onExit)
  })
  const turns = yield* Semaphore.make(1)
  yield* answer
  return {
    ask: (message: object) => turns.withPermits(1)(Effect.andThen(Effect.sync(() => child.send(message)), answer))
  }
})
