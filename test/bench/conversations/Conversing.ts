/** Conversations in progress: a node, the lines' process, and calls between them. */
import { Effect, Schedule } from "effect"
import { join } from "node:path"
import * as ChildProcess from "../ChildProcess.ts"
import * as Fixture from "../Fixture.ts"
import type * as Line from "./line.ts"
import type * as Node from "./node.ts"

const file = (name: string) => join(import.meta.dirname, name)

/** The lines' process. */
export const lines = Effect.gen(function*() {
  const { ask } = yield* ChildProcess.start(file("line.ts"), [])
  const task = (request: Line.Request) => ask(request)
  return {
    open: (port: number, ids: ReadonlyArray<string>) =>
      task({ task: "open", ends: ids.map((id) => ({ url: `ws://127.0.0.1:${port}/${id}` })) }),
    /** The same to the relays of calls over Twilio. */
    openRelays: (ends: ReadonlyArray<Line.LineEnd>) => task({ task: "open", ends }),
    talk: (talk: Omit<Line.Talk, "task">) =>
      Effect.map(task({ task: "talk", ...talk }), (talked) => talked as Line.Talked),
    close: task({ task: "close" })
  }
})

const waited = Schedule.spaced("5 millis")

/** A node that holds conversations, with a language model if it is given the address of one. */
export const node = Effect.fnUntraced(function*(fixture: Fixture.Fixture, modelUrl?: string) {
  const { ask } = yield* ChildProcess.start(file("node.ts"), [
    fixture.url,
    ...modelUrl === undefined ? [] : [modelUrl]
  ])
  const task = (task: Node.Request["task"]) => ask({ task } satisfies Node.Request)
  const port = Number(yield* task("port"))
  const answered = Effect.map(task("answered"), (ids) => ids as ReadonlyArray<string>)

  /** Calls that are answered and wait for their lines. */
  const answer = Effect.fnUntraced(function*(accounts: ReadonlyArray<Fixture.Account>, count: number) {
    yield* Fixture.accept(fixture, accounts, count)
    return yield* answered.pipe(Effect.repeat({ schedule: waited, until: (ids) => ids.length >= count }))
  })

  /** Returns when all calls have ended and their outcomes, events and deliveries are stored. */
  const settled = Effect.gen(function*() {
    yield* answered.pipe(Effect.repeat({ schedule: waited, until: (ids) => ids.length === 0 }))
    yield* fixture.isLeft.pipe(Effect.repeat({ schedule: waited, until: (left) => !left }))
  })
  return { port, task, answer, settled }
})

/** The port of the least that answers the lines' frames, by itself or with a language model. */
export const bareServer = Effect.fnUntraced(function*(modelUrl?: string) {
  const { ask } = yield* ChildProcess.start(file("bareServer.ts"), modelUrl === undefined ? [] : [modelUrl])
  return Number(yield* ask({}))
})

/** The address of a language model. */
export const model = Effect.gen(function*() {
  const { ask } = yield* ChildProcess.start(file("modelServer.ts"), [])
  return String(yield* ask({}))
})
