/**
 * A batch of calls on `outdial serve` with three nodes on one Postgres, one of which is killed and one frozen in the middle of its
 * conversations. The records of the calls are compared with what the carrier knows.
 */
import { assert, it } from "@effect/vitest"
import type { SimulatedContact } from "@outdial/core"
import { Effect, Schedule } from "effect"
import { describe } from "vitest"
import * as Carrier from "../support/carrier/Carrier.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as Postgres from "../support/postgres.ts"
import * as ServeProcess from "../support/ServeProcess.ts"

const size = 100

/** Of these, how many are talked through when nodes fail; the others are dialed meanwhile. */
const first = 88

const questions = [
  "Will you come on Tuesday?",
  "Do you need a taxi?",
  "Is your address the same?",
  "Do you take any medicine?",
  "Shall we send you a letter?"
]

const hello = "Hello, this is Ada from the clinic."
const goodbye = /Goodbye\.$/u

/**
 * Words are on record 250 ms after they were said. Half a second more is for their way to the node and into the database, on a machine
 * that is busy.
 */
const durable = 250 + 500

const numberOf = (index: number) => `+1415555${1000 + index}`

const answers: SimulatedContact.Contact = ({ moves }) =>
  Effect.succeed({ _tag: "Says", text: `This is answer ${moves + 1} of mine` })

const saysNothing: SimulatedContact.Contact = () => Effect.succeed({ _tag: "IsSilent" })

/** By the last digit: six lines out of ten can move. */
const calleeOf = (phoneNumber: string): Carrier.Callee => {
  const digit = Number(phoneNumber.at(-1))
  return {
    contact: digit === 8 ? saysNothing : answers,
    moves: digit < 6,
    ...(digit === 9 && { unanswered: Number(phoneNumber.at(-2)) % 2 === 0 ? "busy" : "no_answer" })
  }
}

/** What the interface returns of a call. */
interface Listed {
  readonly id: string
  readonly status: string
  readonly phone_number: string
  readonly outcome: unknown
}

interface Turn {
  readonly speaker: "agent" | "contact"
  readonly text: string
}

const isSettled = ({ outcome, status }: Listed) =>
  !["queued", "dialing", "in_progress"].includes(status) && (status !== "completed" || outcome !== null)

const isTalking = ({ end, said }: Carrier.Call) =>
  end === undefined && said.some(({ speaker }) => speaker === "contact")

/** Whether the contact has spoken, if they will. */
const hasBegun = (call: Carrier.Call) =>
  call.callee.unanswered !== undefined || call.callee.contact === saysNothing || call.end !== undefined ||
  isTalking(call)

const until = (is: () => boolean) =>
  DevProcess.eventually(Effect.suspend(() => is() ? Effect.void : Effect.fail("not yet" as const)))

const count = (texts: ReadonlyArray<string>, text: string) => texts.filter((one) => one === text).length

/** When a node failed, by its name, in epoch milliseconds. */
type Faults = ReadonlyMap<string, number>

/** Compares the transcript with what was said on the line, up to the goodbye that the contact has heard. */
const checkTurns = ({ callId, callee, said: all }: Carrier.Call, turns: ReadonlyArray<Turn>, faults: Faults) => {
  const isDurable = ({ at, node }: Carrier.Said) => at < (faults.get(node) ?? Infinity) - durable
  const last = all.findIndex((turn) => goodbye.test(turn.text) && isDurable(turn))
  const said = last < 0 ? all : all.slice(0, last + 1)
  const textsOf = (of: ReadonlyArray<Turn>, by: Turn["speaker"]) =>
    of.flatMap(({ speaker, text }) => speaker === by ? [text] : [])
  const recorded = { agent: textsOf(turns, "agent"), contact: textsOf(turns, "contact") }
  const evidence = JSON.stringify({ callId, said: all, turns, faults: [...faults] })
  for (const turn of said.filter(isDurable)) {
    assert.isAtLeast(
      count(recorded[turn.speaker], turn.text),
      count(textsOf(said.filter(isDurable), turn.speaker), turn.text),
      `"${turn.text}" is missing: ${evidence}`
    )
  }
  // Each answer is another one: none is on record twice, in another order, or without having been said to the node that had the line.
  const order = textsOf(all, "contact").filter((text) => recorded.contact.includes(text))
  assert.deepStrictEqual(recorded.contact, order, evidence)
  if (said.some((turn) => turn.text === hello && isDurable(turn))) {
    assert.strictEqual(count(recorded.agent, hello), 1, `The conversation began again: ${evidence}`)
  }
  if (!callee.moves) return
  for (const question of questions) assert.include(recorded.agent, question, evidence)
  assert.match(recorded.agent.at(-1) ?? "", goodbye, evidence)
}

/** The status that the words on record deserve. */
const statusOf = (call: Carrier.Call | undefined, turns: ReadonlyArray<Turn>) => {
  // A node was killed between the permission to dial and the dial.
  if (call === undefined) return "failed"
  return call.callee.unanswered ?? (turns.some(({ speaker }) => speaker === "contact") ? "completed" : "no_answer")
}

describe("a batch of 100 calls on three nodes, one of which is killed and one frozen in the middle of conversations", () => {
  it.live(
    "rings no number twice, has every turn up to 250 ms before the fault, and ends each call once as its words deserve",
    () =>
      Effect.gen(function*() {
        const carrier = yield* Carrier.make({ calleeOf, speed: 2 })
        const databaseUrl = yield* Postgres.database
        const agent = { firstMessage: hello, questions, silenceSeconds: 3 }
        const tenancy = { databaseUrl, ...(yield* ServeProcess.tenant(databaseUrl, { agent, lines: size })) }
        const startNode = (name: string) =>
          Effect.gen(function*() {
            const node = yield* ServeProcess.startBeside(tenancy, {
              OUTDIAL_CONFIG: "test/support/carrier/carrier.config.ts",
              TEST_CARRIER_URL: carrier.url
            })
            return { ...node, name, port: Number(new URL(node.url).port) }
          })
        const [killed, frozen, other] = yield* Effect.all(
          [startNode("killed"), startNode("frozen"), startNode("other")],
          { concurrency: "unbounded" }
        )
        const nodes = [killed, frozen, other]
        for (const node of nodes) carrier.add(node)
        const get = (path: string) => Effect.promise(() => other.request("GET", path))
        const start = Effect.fnUntraced(function*(from: number, to: number) {
          const calls = Array.from({ length: to - from }, (_, index) => ({ phone_number: numberOf(from + index) }))
          const { status } = yield* Effect.promise(() =>
            other.request("POST", "/v1/batches", { agent_id: other.agentId, calls })
          )
          assert.strictEqual(status, 201)
        })
        yield* start(0, first)

        const faults = new Map<string, number>()
        const talkingOn = (node: string) =>
          carrier.calls().filter((call) => isTalking(call) && call.callee.moves && call.connection?.node === node)
        yield* until(() => carrier.calls().length >= first && carrier.calls().every(hasBegun))
        // First words are committed at once, with everything else that the process has to commit. Now the others wait for their time.
        yield* Effect.sleep("1 second")
        const moved = talkingOn("killed")
        faults.set("killed", Date.now())
        yield* DevProcess.end(killed, "SIGKILL")
        carrier.abandon("killed")

        yield* Effect.sleep("1500 millis")
        // A node that wakes up takes a line that it has not held yet for one that has just come.
        yield* until(() =>
          carrier.calls().every(({ connection }) => connection?.node !== "frozen" || connection.isHeld)
        )
        const taken = talkingOn("frozen")
        faults.set("frozen", Date.now())
        frozen.child.kill("SIGSTOP")
        yield* Effect.sleep("1 second")
        const abandoned = talkingOn("frozen")
        const left = abandoned.flatMap(({ connection }) => connection?.isHeld === true ? [connection] : [])
        carrier.abandon("frozen")
        yield* start(first, size)
        const unheard = "These words reach only the node that lost the line"
        for (const { socket } of left) socket.send(JSON.stringify({ _tag: "Heard", text: unheard, isFinal: true }))
        // A transaction of the frozen node may hold a log for half a minute.
        yield* until(() => abandoned.every(({ connection, end }) => end !== undefined || connection?.isHeld === true))
        // Longer than its lease.
        yield* Effect.sleep("11 seconds")
        frozen.child.kill("SIGCONT")
        carrier.add(frozen)
        assert.isAtLeast(moved.length, 5, "conversations on the node that was killed")
        assert.isAtLeast(taken.length, 5, "conversations on the node that was frozen")

        yield* until(() => left.every(({ closedAt }) => closedAt !== undefined))
        // It lets go of its lines. One word may have been on its way when the process was stopped.
        const said = left.flatMap(({ afterwards }) => afterwards.filter(({ type }) => type !== "stop"))
        assert.isAtMost(said.length, 1, `The frozen node went on: ${JSON.stringify(said)}`)

        const listed: ReadonlyArray<Listed> = yield* get(`/v1/calls?limit=${size}`).pipe(
          Effect.map(({ body }) => body.data),
          Effect.filterOrFail((calls: ReadonlyArray<Listed>) => calls.every(isSettled), (calls) => calls),
          Effect.retry({ schedule: Schedule.spaced("1 second"), times: 90 })
        )
        assert.lengthOf(listed, size)
        const rung = carrier.rings.map(({ phoneNumber }) => phoneNumber)
        assert.lengthOf(rung, new Set(rung).size, "a number rang twice")
        assert.isAtLeast(rung.length, size - 5)

        const events = new Map<string, Array<string>>()
        for (let query = "limit=100"; query !== "";) {
          const { body } = yield* get(`/v1/events?${query}`)
          for (const { data, type } of body.data) {
            if (/^call\.(completed|not_connected)$/u.test(type)) {
              events.set(data.id, [...events.get(data.id) ?? [], type])
            }
          }
          query = body.has_more ? `limit=100&cursor=${body.next_cursor}` : ""
        }
        const known = new Map(carrier.calls().map((call) => [call.callId, call]))
        for (const { id, status } of listed) {
          const { body } = yield* get(`/v1/calls/${id}/transcript`)
          assert.isTrue(body.sealed)
          const turns: ReadonlyArray<Turn> = body.turns
          const call = known.get(id)
          assert.strictEqual(status, statusOf(call, turns), JSON.stringify({ id, said: call?.said, turns }))
          assert.deepStrictEqual(events.get(id), [status === "completed" ? "call.completed" : "call.not_connected"])
          if (call !== undefined && call.callee.unanswered === undefined) checkTurns(call, turns, faults)
        }
        for (const { output } of nodes) assert.notMatch(output().stderr, /\+?1415555\d{4}/u)
      }),
    // The outcome of a call that the killed node was making waits for its lease, a minute.
    240_000
  )
})
