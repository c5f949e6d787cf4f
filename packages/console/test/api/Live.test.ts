import { assert, describe, it } from "@effect/vitest"
import { Accounts, Calls, DoNotCallList, Readiness } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Fiber } from "effect"
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
  const rest = Effect.gen(function*() {
    while ((yield* take) !== undefined);
  })
  return { response, read, take, rest, cancel: Effect.promise(async () => reader?.cancel()) }
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
        { event: "changed", id: "live", data: { topics: ["do_not_call"], call_ids: [] } }
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
      const stream = yield* open("", { headers: { "last-event-id": "live" } })
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
      assert.deepStrictEqual(turns.map(({ id }) => id), turns.map((_, index) => `${id}-${index + 1}`))
      assert.deepStrictEqual(yield* turnsFrom(turns[0]?.id), turns.slice(1))
      // A page that has followed another call has none of this one.
      for (const foreign of ["call_1-1", "live", `${id}-x`, "-1", ""]) {
        assert.deepStrictEqual(yield* turnsFrom(foreign), turns, foreign)
      }
      const other = yield* open("?call=call_0")
      assert.strictEqual(other.response.status, 404)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("takes so many streams of one session, and gives a place back", () =>
    Effect.gen(function*() {
      const openFor = (session: string) => open("", { headers: { "x-session": session } })
      const streams = yield* Effect.forEach(
        Array.from({ length: LiveStreams.streamsPerSession }),
        () => openFor("one")
      )
      assert.strictEqual((yield* openFor("one")).response.status, 429)
      assert.strictEqual((yield* openFor("two")).response.status, 200)
      yield* streams[0]?.cancel ?? Effect.void
      assert.strictEqual((yield* openFor("one")).response.status, 200)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("gives the place of a stream back of which nothing is taken, and ends it", () =>
    Effect.gen(function*() {
      const follow = open("", { headers: { "x-session": "session_1" } })
      const forgotten = yield* Effect.replicateEffect(follow, LiveStreams.streamsPerSession - 1)
      const read = yield* follow
      // The answer has begun, and its first comment is there.
      assert.isString(yield* read.take)
      assert.strictEqual((yield* follow).response.status, 429)
      for (let at = 0; at < 150; at += 15) {
        const next = yield* Effect.forkChild(read.take)
        yield* TestClock.adjust("15 seconds")
        assert.isString(yield* Fiber.join(next))
      }
      const again = yield* follow
      assert.strictEqual(again.response.status, 200)
      // A reader that comes back finds the end, and the page connects again.
      for (const { rest } of forgotten) yield* rest
      yield* read.cancel
      yield* again.cancel
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
