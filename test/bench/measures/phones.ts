/**
 * Calls over Twilio: callbacks through signature, token and storage; how soon after its fence the request for a call reaches the carrier;
 * and answers over the relay. Carrier and node are processes, and speak over HTTP and WebSockets.
 */
import { Effect, Schedule } from "effect"
import { join } from "node:path"
import * as ChildProcess from "../ChildProcess.ts"
import { latencies, maxDurationSeconds } from "../conversations/Answers.ts"
import * as Conversing from "../conversations/Conversing.ts"
import type { LineEnd } from "../conversations/line.ts"
import * as Fixture from "../Fixture.ts"
import * as Measurement from "../Measurement.ts"
import type * as Carrier from "../phones/carrier.ts"

const file = (name: string) => join(import.meta.dirname, "../phones", name)

/** Left the queue, rings, answered, ended. */
const callbacksOfCall = 4

/** What a process answers about the numbers of calls. */
type Times = ReadonlyArray<readonly [phoneNumber: string, at: number]>

/** A node and its carrier. */
const calling = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { ask } = yield* ChildProcess.start(file("carrier.ts"), [])
  const carrier = (request: Carrier.Request) => ask(request)
  const port = Number(yield* carrier({ task: "port" }))
  const node = yield* ChildProcess.start(file("node.ts"), [fixture.url, `http://127.0.0.1:${port}`])
  const accounts = yield* Fixture.accounts(fixture, 1, { maxDurationSeconds })
  const arrived = Effect.map(carrier({ task: "arrived" }), (times) => times as Times)

  /** Has so many calls placed. Returns when each request has reached the carrier, by its number. */
  const place = Effect.fnUntraced(function*(count: number) {
    yield* Fixture.accept(fixture, accounts, count)
    const all: Array<Times[number]> = []
    while (all.length < count) {
      all.push(...yield* arrived)
      yield* Effect.sleep("5 millis")
    }
    return new Map(all)
  })
  const dials = Effect.map(node.ask({}), (times) => times as Times)
  const settled = fixture.isLeft.pipe(Effect.repeat({ schedule: Schedule.spaced("10 millis"), until: (left) => !left }))
  return { carrier, dials, place, settled }
})

const callbacks = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { carrier, place, settled } = yield* calling(fixture)
  const ours = Effect.fnUntraced(function*(count: number) {
    yield* place(Math.ceil(count / callbacksOfCall))
    const rate = Number(yield* carrier({ task: "callbacks", to: "application" }))
    yield* settled
    return [rate]
  })
  const theirs = Effect.map(carrier({ task: "callbacks", to: "least" }), (rate) => [Number(rate)])
  return yield* Measurement.measured({
    figures: [{ name: "callbacks", unit: "callbacks/s", better: "more" }],
    ours,
    peers: [{ label: "node:http, a server that only checks signatures", run: () => theirs }],
    first: 1_000,
    most: 8_000
  })
}, Effect.scoped)

const percentile = (sorted: ReadonlyArray<number>, percent: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))] ?? Number.NaN

const dials = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { carrier, dials, place } = yield* calling(fixture)
  const ours = Effect.fnUntraced(function*(count: number) {
    yield* dials
    const times: Array<number> = []
    for (let call = 0; call < count; call++) {
      const arrivedAt = yield* place(1)
      for (const [phoneNumber, at] of yield* dials) times.push((arrivedAt.get(phoneNumber) ?? Number.NaN) - at)
    }
    yield* carrier({ task: "callbacks", to: "application" })
    const sorted = times.toSorted((a, b) => a - b)
    return [percentile(sorted, 50), percentile(sorted, 99)]
  })
  return yield* Measurement.measured({
    figures: latencies("dial-request", {}),
    ours,
    peers: [],
    first: 120,
    most: 120
  })
}, Effect.scoped)

const relayed = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const { carrier, place } = yield* calling(fixture)
  const lines = yield* Conversing.lines
  const talk = { every: 50, speech: 0, turns: 100 }
  yield* place(1)
  yield* lines.openRelays((yield* carrier({ task: "relays", count: 1 })) as ReadonlyArray<LineEnd>)
  yield* lines.talk({ ...talk, every: 3000, turns: 1 })
  const measurements = yield* Measurement.measured({
    figures: latencies("relay-answer", {}),
    ours: (turns) =>
      Effect.flatMap(
        lines.talk({ ...talk, turns }),
        ({ lost, p50, p99 }) =>
          lost === 0 ? Effect.succeed([p50, p99]) : Effect.die(new Error(`${lost} turns have no answer`))
      ),
    peers: [],
    first: talk.turns,
    most: talk.turns
  })
  yield* lines.close
  return measurements
}, Effect.scoped)

export const phones = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_phones")
  return [...yield* callbacks(fixture), ...yield* dials(fixture), ...yield* relayed(fixture)]
})
