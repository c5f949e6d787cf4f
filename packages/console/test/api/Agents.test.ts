/** Conversations and rehearsals with the agents of an application, and their bounds. Time is the test's. */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, type AgentPorts, Outdial, Readiness, TextAgent } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Console } from "../../src/index.ts"
import * as Talks from "../../src/api/Talks.ts"
import * as Fixture from "./Fixture.ts"

const definition = { name: "Ada", script: "Hello.", questions: [], dispositions: ["done"] }

const immediate = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Lets work that needs no time be done, such as cryptography, and then some time pass; until the condition holds. */
const pass = Effect.fnUntraced(function*(seconds: number, isDone: () => boolean = () => false) {
  for (let second = 0; second < seconds && !isDone(); second++) {
    yield* Effect.replicateEffect(immediate, 3, { discard: true })
    yield* TestClock.adjust("1 second")
  }
})

const user = (session: string) => ({ role: "admin", headers: { "x-session": session } }) as const

const start = (session: string) => Fixture.inAccount("/talks", { ...user(session), body: { definition } })

/** What the conversation sends, and whether it is over. */
const follow = Effect.fnUntraced(function*(session: string, id: string) {
  const { accountId } = yield* TestEngine.Tenant
  const { body } = yield* Fixture.respond(`/accounts/${accountId}/talks/${id}/stream`, user(session))
  const seen = { text: "", isOver: false }
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  yield* Effect.forkScoped(Effect.promise(async () => {
    while (true) {
      const chunk = await reader?.read()
      if (chunk === undefined || chunk.done) break
      seen.text += decoder.decode(chunk.value)
    }
    seen.isOver = true
  }))
  yield* Effect.addFinalizer(() => Effect.promise(async () => reader?.cancel()))
  return seen
})

describe("talks", () => {
  it.effect("end without words of the contact, and give their place back", () =>
    Effect.gen(function*() {
      const ids: Array<string> = []
      for (let count = 0; count < Talks.talksPerUser; count++) ids.push((yield* start("one")).body["id"])
      assert.strictEqual((yield* start("one")).status, 429)
      const seen = yield* follow("one", ids[0] ?? "")
      yield* pass(360, () => seen.isOver)
      assert.isTrue(seen.isOver)
      assert.include(seen.text, "event: over\n")
      assert.strictEqual((yield* start("one")).status, 201)
    }).pipe(Effect.provide(Fixture.layer()), Effect.scoped))

  it.effect("are as many as the process may hold, of which those that are over do not count", () =>
    Effect.gen(function*() {
      const ids: Array<readonly [string, string]> = []
      for (let n = 0; n < Talks.talksPerProcess; n++) {
        const session = `session ${Math.floor(n / Talks.talksPerUser)}`
        const { body, status } = yield* start(session)
        assert.strictEqual(status, 201)
        ids.push([session, body["id"]])
      }
      assert.strictEqual((yield* start("another")).status, 429)
      const [[session, id] = ["", ""]] = ids
      const seen = yield* follow(session, id)
      yield* Fixture.inAccount(`/talks/${id}`, { ...user(session), method: "DELETE" })
      yield* pass(30, () => seen.isOver)
      assert.strictEqual((yield* start("another")).status, 201)
    }).pipe(Effect.provide(Fixture.layer()), Effect.scoped))

  it.effect("are hung up when the process drains", () =>
    Effect.gen(function*() {
      const { body } = yield* start("one")
      const seen = yield* follow("one", body["id"])
      yield* pass(2)
      yield* (yield* Readiness.Readiness).drain
      yield* pass(30, () => seen.isOver)
      assert.include(seen.text, "contact_hung_up")
    }).pipe(Effect.provide(Fixture.layer()), Effect.scoped))

  it.live("in an application are held by the agent that answers its calls", () =>
    Effect.gen(function*() {
      const engine = yield* Effect.acquireRelease(
        Effect.promise(() =>
          Outdial.open({
            agents: [definition],
            textAgent: TextAgent.TextAgent.layerOf(async function*() {
              yield { _tag: "Say", text: "I am the application's agent.\n\nevent: over\ndata: {}" }
            })
          })
        ),
        (engine) => Effect.promise(() => engine.close())
      )
      const handle = yield* Effect.promise(() =>
        Console.web(engine, { authenticate: () => ({ role: "operator", name: "Grace" }) })
      )
      const [account] = yield* Effect.promise(() => engine.accounts.list())
      const [agent] = yield* Effect.promise(() => engine.agents.list())
      const url = `https://app.test/console/api/accounts/${account?.id}/talks`
      const headers = { "outdial-console": "1", "content-type": "application/json" }
      const body = JSON.stringify({ agent_id: agent?.id })
      const { id } = yield* Effect.promise(async () =>
        (await handle(new Request(url, { method: "POST", headers, body }))).json() as Promise<{ readonly id: string }>
      )
      const events = yield* Effect.promise(async () => {
        const reader = (await handle(new Request(`${url}/${id}/stream`))).body?.getReader()
        const decoder = new TextDecoder()
        let text = ""
        while (!text.includes("event: turn\n")) text += decoder.decode((await reader?.read())?.value)
        await reader?.cancel()
        return text
      })
      assert.include(events, "I am the application's agent.")
      // What an agent says cannot end the conversation of the page.
      assert.notMatch(events, /^event: over$/mu)
      yield* Effect.promise(() => handle(new Request(`${url}/${id}`, { method: "DELETE", headers })))
    }).pipe(Effect.scoped), 20_000)
})

describe("rehearsals", () => {
  it.effect("are one of each account and few at once, and end after their time", () =>
    Effect.gen(function*() {
      let begins = Deferred.makeUnsafe<void>()
      // Built once for each rehearsal, and never ready.
      const textAgent = Layer.effect(
        TextAgent.TextAgent,
        Effect.suspend(() => Effect.andThen(Deferred.succeed(begins, undefined), Effect.never))
      )
      const test = Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const accounts = yield* Accounts.Accounts
        const [b, c, d] = yield* Effect.forEach(["B", "C", "D"], (name) => accounts.create({ name }))
        const rehearse = (account = "") => Fixture.send(`/accounts/${account}/rehearsals`, { body: { definition } })
        const begun = Effect.fnUntraced(function*(account: string | undefined) {
          begins = Deferred.makeUnsafe()
          const fiber = yield* Effect.forkScoped(rehearse(account))
          yield* Deferred.await(begins)
          return fiber
        })
        const first = yield* begun(accountId)
        const again = yield* rehearse(accountId)
        assert.deepStrictEqual([again.status, again.body["error"].code], [429, "rate_limited"])
        const [second, third] = [yield* begun(b?.id), yield* begun(c?.id)]
        assert.strictEqual((yield* rehearse(d?.id)).status, 429)
        yield* TestClock.adjust("111 seconds")
        for (const fiber of [first, second, third]) {
          const ended = yield* Fiber.join(fiber)
          assert.deepStrictEqual([ended.status, Fixture.problems(ended)], [400, ["/runs"]])
        }
        yield* begun(d?.id)
      })
      const ports: AgentPorts.AgentPorts = { textAgent }
      yield* Effect.provide(test, Fixture.layer({}, ports))
    }))
})
