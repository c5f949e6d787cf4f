import { assert, describe, it } from "@effect/vitest"
import { Accounts, Calls, ConsoleAccess, DoNotCallList, Readiness } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import * as LiveStreams from "../../src/api/LiveStreams.ts"
import * as Fixture from "./Fixture.ts"

interface Received {
  readonly event: string
  readonly id: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape; the assertions judge it
  readonly data: any
}

const parse = (text: string): ReadonlyArray<Received> =>
  text.split("\n\n").flatMap((block) => {
    const fields = new Map(
      block.split("\n").map((line) => {
        const [name = "", ...rest] = line.split(":")
        return [name, rest.join(":").trim()] as const
      })
    )
    const event = fields.get("event")
    return event === undefined ? [] : [{ event, id: fields.get("id"), data: JSON.parse(fields.get("data") ?? "null") }]
  })

/** Opens the stream; `read` takes the next events, and `rest` reads to the end. */
const open = Effect.fnUntraced(function*(query = "", sent: Fixture.Sent = {}) {
  const { accountId } = yield* TestEngine.Tenant
  const response = yield* Fixture.respond(`/accounts/${accountId}/live${query}`, { role: "viewer", ...sent })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const take = Effect.promise(async () => {
    const chunk = await reader?.read()
    return chunk?.done === true || chunk === undefined ? undefined : decoder.decode(chunk.value)
  })
  const read = Effect.gen(function*() {
    while (true) {
      const text = yield* take
      if (text === undefined) return []
      const events = parse(text)
      if (events.length > 0) return events
    }
  })
  return { response, read, take, cancel: Effect.promise(async () => reader?.cancel()) }
})

/** More than the time between two polls. */
const poll = TestClock.adjust("1500 millis")

describe("GET live", () => {
  it.effect("says what has changed, and nothing while nothing does", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const stream = yield* open()
      assert.strictEqual(stream.response.headers.get("content-type"), "text/event-stream")
      yield* poll
      const list = yield* DoNotCallList.DoNotCallList
      yield* list.add(accountId, ["+14155550109"])
      yield* poll
      assert.deepStrictEqual(yield* stream.read, [
        { event: "changed", id: "turn-0", data: { topics: ["do_not_call"], call_ids: [] } }
      ])
      const calls = yield* Calls.Calls
      const { id } = yield* calls.start(accountId, { agentId, phoneNumber: "+14155550100", variables: { topic: "x" } })
      yield* TestEngine.drain
      yield* poll
      const [changed] = yield* stream.read
      assert.deepStrictEqual(changed?.data.call_ids, [id])
      assert.includeMembers(changed?.data.topics, ["overview", "calls"])
      yield* stream.cancel
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("tells a page that was away that everything may have changed", () =>
    Effect.gen(function*() {
      const stream = yield* open("", { headers: { "last-event-id": "turn-3" } })
      const [changed] = yield* stream.read
      assert.includeMembers(changed?.data.topics, ["overview", "policy", "keys", "carriers"])
      yield* stream.cancel
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("follows the transcript of one call, and continues after the last turn", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const { id } = yield* calls.start(accountId, { agentId, phoneNumber: "+14155550100", variables: { topic: "x" } })
      yield* TestEngine.advance("5 minutes")
      const turnsFrom = Effect.fnUntraced(function*(lastEventId?: string) {
        const stream = yield* open(
          `?call=${id}`,
          lastEventId === undefined ? {} : { headers: { "last-event-id": lastEventId } }
        )
        const received: Array<Received> = []
        while (!received.some(({ event }) => event === "sealed")) received.push(...(yield* stream.read))
        yield* stream.cancel
        return received.filter(({ event }) => event === "turn")
      })
      const turns = yield* turnsFrom()
      assert.deepStrictEqual(turns.map(({ id }) => id), turns.map((_, index) => `turn-${index + 1}`))
      assert.deepStrictEqual(yield* turnsFrom("turn-1"), turns.slice(1))
      const other = yield* open("?call=call_0")
      assert.strictEqual(other.response.status, 404)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("ends with its session, and takes so many streams of one", () =>
    Effect.gen(function*() {
      const access = yield* ConsoleAccess.ConsoleAccess
      const session = Effect.gen(function*() {
        const { token } = yield* access.createLink({ role: "viewer", name: "Ada" })
        return Option.getOrThrow(yield* access.openLink(token)).session.id
      })
      const [one, two] = [yield* session, yield* session]
      const openFor = (id: string) => open("", { headers: { "x-session": id } })
      const streams = yield* Effect.forEach(Array.from({ length: LiveStreams.streamsPerSession }), () => openFor(one))
      assert.strictEqual((yield* openFor(one)).response.status, 429)
      const other = yield* openFor(two)
      assert.strictEqual(other.response.status, 200)
      yield* access.revoke(one)
      yield* poll
      for (const { read } of streams) assert.deepStrictEqual(yield* read, [])
      // The other session lasts.
      const { accountId } = yield* TestEngine.Tenant
      const accounts = yield* Accounts.Accounts
      yield* accounts.set(accountId, { paused: true })
      yield* poll
      assert.strictEqual((yield* other.read).length, 1)
      yield* other.cancel
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("ends when the process drains", () =>
    Effect.gen(function*() {
      const stream = yield* open()
      const readiness = yield* Readiness.Readiness
      yield* readiness.drain
      assert.deepStrictEqual(yield* stream.read, [])
      assert.strictEqual((yield* open()).response.status, 503)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("says nothing of other accounts, and sends a comment while it is idle", () =>
    Effect.gen(function*() {
      const stream = yield* open()
      assert.strictEqual(yield* stream.take, ":\n\n")
      const accounts = yield* Accounts.Accounts
      const other = yield* accounts.create({ name: "Other" })
      yield* accounts.set(other.id, { paused: true })
      yield* TestClock.adjust("16 seconds")
      assert.strictEqual(yield* stream.take, ":\n\n")
      yield* stream.cancel
    }).pipe(Effect.provide(Fixture.layer())))
})
