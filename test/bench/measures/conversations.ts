/** How soon a node answers the contact, alone and beside other conversations, and what conversations take of memory and log. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { cpus } from "node:os"
import { reportedTurns } from "../conversations/SocketTelephony.ts"
import { answers, atMost, latencies, maxDurationSeconds } from "../conversations/Answers.ts"
import * as Conversing from "../conversations/Conversing.ts"
import * as Fixture from "../Fixture.ts"
import * as Measurement from "../Measurement.ts"
import * as Written from "../Written.ts"

/** Conversations that a node holds at once. */
const held = 500

/** Milliseconds from one turn of a conversation to the next, and until the contact has heard an answer. */
const pace = { every: 4000, speech: 1000 }

/** What conversations take of the memory of a node that held none before. */
const memory = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const accounts = yield* Fixture.accounts(fixture, 1, { maxDurationSeconds })
  const ours = Effect.fnUntraced(function*(count: number) {
    const node = yield* Conversing.node(fixture)
    const lines = yield* Conversing.lines
    const used = Effect.map(node.task("memory"), Number)
    const ids = yield* node.answer(accounts, count)
    // A first one, with which the node compiles what it runs.
    yield* lines.open(node.port, ids.slice(0, 1))
    yield* lines.talk({ every: 50, speech: 0, turns: 20 })
    const before = yield* used
    yield* lines.open(node.port, ids.slice(1))
    yield* lines.talk({ ...pace, turns: 1 })
    const after = yield* used
    yield* lines.close
    yield* node.settled
    return [(after - before) / (count - 1)]
  }, Effect.scoped)
  return yield* Measurement.measured({
    figures: [{
      name: "conversation-memory",
      unit: "bytes of a node's memory a conversation",
      better: "less",
      goals: [{ text: "≤ 200 KB", isReached: (value) => value <= 200 * 1024 }]
    }],
    ours,
    peers: [],
    first: held,
    most: held
  })
})

/** Ten turns after the greeting, five of each side, slow enough that each is committed by itself. */
const tenTurns = { every: 1000, speech: 500, turns: reportedTurns }

/** Bytes of write-ahead log that ten turns take, beside a call whose carrier reports the same transcript at its end. */
const log = Effect.fnUntraced(function*(fixture: Fixture.Fixture) {
  const accounts = yield* Fixture.accounts(fixture, 1, { webhook: "https://receiver.test/hook" })
  const node = yield* Conversing.node(fixture)
  const lines = yield* Conversing.lines
  const logOf = Effect.fnUntraced(function*(count: number, calls: Effect.Effect<unknown, unknown>) {
    const before = yield* Written.written(fixture.sql)
    yield* calls
    return ((yield* Written.written(fixture.sql)).log - before.log) / count
  })
  const withLines = Effect.fnUntraced(function*(count: number) {
    yield* lines.open(node.port, yield* node.answer(accounts, count))
    yield* lines.talk(tenTurns)
    yield* lines.close
    yield* node.settled
  })
  const withoutLines = Effect.fnUntraced(function*(count: number) {
    yield* Fixture.accept(fixture, accounts, count)
    yield* node.settled
  })
  return yield* Measurement.measured({
    figures: [{
      name: "conversation-log",
      unit: "bytes of WAL that a call writes more",
      better: "less",
      goals: [{ text: "≤ 6 KB for ten turns", isReached: (value) => value <= 6 * 1024 }]
    }],
    ours: Effect.fnUntraced(function*(count) {
      yield* node.task("without-lines")
      const without = yield* logOf(count, withoutLines(count))
      yield* node.task("with-lines")
      return [(yield* logOf(count, withLines(count))) - without]
    }),
    peers: [],
    first: 100,
    most: 100
  })
})

export const conversations = Effect.gen(function*() {
  const fixture = yield* Fixture.make("bench_conversations")
  return [
    ...yield* answers(fixture, {
      count: 1,
      figures: latencies("answer", { p50: atMost(1), p99: atMost(5) }),
      talk: { every: 15, speech: 0, turns: 200 }
    }),
    ...yield* answers(fixture, {
      count: held,
      figures: latencies(`answer-${held}`, { p99: atMost(20) }),
      talk: { ...pace, turns: 1 }
    }),
    ...yield* memory(fixture),
    ...yield* log(fixture)
  ]
})

/** A thousand conversations of ten minutes, in a node that has one core to itself. */
export const conversationsHeld = Effect.gen(function*() {
  const count = 1000
  const turns = 10 * 60 * 1000 / pace.every
  const fixture = yield* Fixture.make("bench_conversations_held")
  const accounts = yield* Fixture.accounts(fixture, 1, { maxDurationSeconds })
  const node = yield* Conversing.node(fixture)
  const core = `${cpus().length - 1}`
  const pid = `${Number(yield* node.task("pid"))}`
  execFileSync("taskset", ["-a", "-p", "-c", core, pid], { stdio: "ignore" })
  const lines = yield* Conversing.lines
  const used = Effect.map(node.task("memory"), Number)
  const cpu = Effect.map(node.task("cpu"), Number)
  const ids = yield* node.answer(accounts, count)
  const before = yield* used
  yield* lines.open(node.port, ids)
  const start = { cpu: yield* cpu, at: performance.now() }
  const { alive, lost, max, p50, p99 } = yield* lines.talk({ ...pace, turns })
  const share = ((yield* cpu) - start.cpu) / (performance.now() - start.at) * 100
  const bytes = ((yield* used) - before) / count
  yield* lines.close
  yield* node.settled
  return Measurement.once([
    {
      name: "conversations-1000-ended",
      unit: "conversations before ten minutes were over",
      better: "less",
      goals: [{ text: "0", isReached: (value) => value === 0 }]
    },
    {
      name: "conversations-1000-lost",
      unit: "turns without an answer",
      better: "less",
      goals: [{ text: "0", isReached: (value) => value === 0 }]
    },
    ...latencies("conversations-1000", {}),
    { name: "conversations-1000-max", unit: "ms", better: "less" },
    { name: "conversations-1000-cpu", unit: "% of one core", better: "less" },
    { name: "conversations-1000-memory", unit: "bytes of a node's memory a conversation", better: "less" }
  ], [count - alive, lost, p50, p99, max, share, bytes])
})
