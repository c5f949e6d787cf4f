import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { describe } from "vitest"
import * as DevProcess from "../support/DevProcess.ts"

const { eventually, request } = DevProcess

/** Polls seldom enough for the key's 300 requests in a minute. */
const polled = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.retry(effect, { times: 60, schedule: Schedule.spaced("1 second") })

const preload = resolve(import.meta.dirname, "../support/SteppedDate.ts")
const [hour, day] = [3_600_000, 86_400_000]

/** A folder, the way to set the clock of the processes in it, and how they are started. */
const world = Effect.gen(function*() {
  const data = yield* DevProcess.folderWithDatabase
  const file = join(data, "ahead")
  const set = (ahead: number) => Effect.promise(() => writeFile(file, String(ahead)))
  yield* set(0)
  const start = DevProcess.startWith({ NODE_OPTIONS: `--import=${preload}`, STEPPED_DATE: file }, data, "--speed", "10")
  return { data, set, start }
})

let numbers = 0
/** Calls to callees that talk to the end. */
const startCalls = (ready: typeof DevProcess.Ready.Type, count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(
      request(ready, "POST", "/v1/calls", {
        agent_id: ready.agent_id,
        phone_number: `+1415555${String(++numbers).padStart(3, "0")}1`,
        variables: { appointment: "Tuesday" }
      }),
      ({ body }) => String(body["id"])
    ))

const statuses = (ready: typeof DevProcess.Ready.Type, ids: ReadonlyArray<string>) =>
  Effect.forEach(ids, (id) => Effect.map(request(ready, "GET", `/v1/calls/${id}`), ({ body }) => body["status"]))

/** Waits until all of the calls have that status. */
const allAre = (ready: typeof DevProcess.Ready.Type, ids: ReadonlyArray<string>, status: string) =>
  polled(Effect.filterOrFail(
    statuses(ready, ids),
    (seen) => seen.every((one) => one === status),
    (seen) => new DevProcess.NotYet({ seen: seen.join() })
  ))

const reasons = (ready: typeof DevProcess.Ready.Type) =>
  Effect.map(request(ready, "GET", "/readyz"), ({ body, status }) => {
    const error = body["error"] as { readonly reasons?: ReadonlyArray<string> } | undefined
    return status === 200 ? [] : error?.reasons
  })

const readyIs = (ready: typeof DevProcess.Ready.Type, wanted: ReadonlyArray<string>) =>
  eventually(Effect.filterOrFail(
    reasons(ready),
    (seen) => JSON.stringify(seen) === JSON.stringify(wanted),
    (seen) => new DevProcess.NotYet({ seen: String(seen) })
  ))

/** Waits until so many calls were reported as completed. */
const eventsAre = (ready: typeof DevProcess.Ready.Type, count: number) =>
  polled(Effect.filterOrFail(
    Effect.map(
      request(ready, "GET", "/v1/events?limit=100"),
      ({ body }) =>
        (body["data"] as ReadonlyArray<{ readonly type: string }> ?? []).filter(({ type }) => type === "call.completed")
    ),
    ({ length }) => length === count,
    ({ length }) => new DevProcess.NotYet({ seen: `${length} events` })
  ))

/** Waits until it has logged the text so many times. */
const hasSaid = ({ output }: DevProcess.DevProcess, text: string, times: number) =>
  eventually(Effect.suspend(() => {
    const found = output().stderr.split(text).length - 1
    return found === times ? Effect.void : Effect.fail(new DevProcess.NotYet({ seen: `${found} times: ${text}` }))
  }))

describe("a process in a folder whose system clock is set", () => {
  it.live(
    "ends live calls in time, dials and removes nothing meanwhile, says so, and goes on when the clock is right",
    () =>
      Effect.gen(function*() {
        const { set, start } = yield* world
        const dev = yield* start
        const { ready } = dev
        const done = yield* startCalls(ready, 3)
        yield* eventsAre(ready, 3)

        const live = yield* startCalls(ready, 4)
        yield* allAre(ready, live, "in_progress")
        yield* set(-2 * hour)
        yield* readyIs(ready, ["clock_uncertain"])
        yield* allAre(ready, live, "completed")
        yield* set(0)
        yield* hasSaid(dev, "is correct again; Outdial continues", 1)
        yield* eventsAre(ready, 7)

        yield* set(40 * day)
        yield* readyIs(ready, ["clock_uncertain"])
        const waiting = yield* startCalls(ready, 2)
        // The janitor looks every ten seconds.
        yield* Effect.sleep("22 seconds")
        assert.deepStrictEqual(yield* statuses(ready, [...done, ...waiting]), [
          ...done.map(() => "completed"),
          ...waiting.map(() => "queued")
        ])
        yield* eventsAre(ready, 7)
        yield* set(0)
        yield* hasSaid(dev, "is correct again; Outdial continues", 2)
        yield* readyIs(ready, [])
        yield* eventsAre(ready, 9)
        yield* hasSaid(dev, "was set back by 2h.", 1)
        yield* hasSaid(dev, "was set forward by 40d.", 1)
      }),
    180_000
  )

  it.live(
    "is doubted on the next start, too, until it is right or its operator deletes clock.json",
    () =>
      Effect.gen(function*() {
        const { data, set, start } = yield* world
        const first = yield* start
        yield* readyIs(first.ready, [])
        yield* DevProcess.end(first, "SIGKILL")
        yield* set(-2 * hour)
        const second = yield* start
        yield* readyIs(second.ready, ["clock_uncertain"])
        const waiting = yield* startCalls(second.ready, 1)
        yield* DevProcess.end(second, "SIGTERM")
        assert.include(yield* Effect.promise(() => readFile(join(data, "clock.json"), "utf8")), "\"time\"")
        yield* Effect.promise(() => rm(join(data, "clock.json")))
        const third = yield* start
        yield* readyIs(third.ready, [])
        yield* allAre(third.ready, waiting, "completed")
      }),
    180_000
  )
})
