import { assert, describe, it } from "@effect/vitest"
import { Calls, ConsoleAccess, Readiness } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { HostUser } from "../../src/index.ts"
import * as LiveStreams from "../../src/api/LiveStreams.ts"
import { layer, login, openStream, outcome, send } from "../Fixture.ts"

/** Reads to the end. */
const rest = (read: Effect.Effect<string | undefined>) => Effect.repeat(read, { until: (text) => text === undefined })

/** More than a look-up of sessions takes, and the last bytes. */
const lookUp = TestClock.adjust("10 seconds")

const waitingCall = Effect.gen(function*() {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  return yield* calls.start(accountId, { agentId, phoneNumber: "+14155550100", variables: { topic: "x" } })
})

type Answer = () => HostUser | undefined | Promise<HostUser>

const grace: Answer = () => ({ role: "operator", name: "Grace" })

/** A host that names a user by the header of a request. It may throw. */
const host = (answers: Map<string, Answer>) =>
  Layer.merge(
    layer({ authenticate: async (request) => (answers.get(request.headers.get("x-user") ?? "") ?? grace)() }),
    Logger.layer([])
  )

describe("Streams of the console", () => {
  it.effect("end within ten seconds of their session, and no others", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const access = yield* ConsoleAccess.ConsoleAccess
      const call = yield* waitingCall
      const paths = [
        `accounts/${accountId}/live`,
        `accounts/${accountId}/live?call=${call.id}`,
        `accounts/${accountId}/v1/calls/${call.id}/transcript`
      ]
      const headers = { accept: "text/event-stream" }
      const [stolen, other] = [yield* login({ role: "viewer", name: "Mallory" }), yield* login()]
      const streams = yield* Effect.forEach(paths, (path) => openStream(path, { cookie: stolen, headers }))
      const [first = "", ...more] = paths
      const others = yield* Effect.forEach([first, ...more], (path) => openStream(path, { cookie: other, headers }))
      const session = (yield* access.sessions).find(({ name }) => name === "Mallory")
      assert.isTrue(session !== undefined && (yield* access.revoke(session.id)))
      yield* lookUp
      for (const { read } of streams) yield* rest(read)
      assert.strictEqual(outcome(yield* send("session", { cookie: stolen })), "401 unauthenticated")
      yield* TestClock.adjust("20 seconds")
      for (const { read } of others) assert.isString(yield* read)
    }).pipe(Effect.provide(layer()), Effect.scoped))

  it.effect("end when their session expires", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      yield* TestClock.adjust("719 minutes")
      const { read } = yield* openStream(`accounts/${accountId}/live`, { cookie })
      yield* TestClock.adjust("70 seconds")
      yield* rest(read)
    }).pipe(Effect.provide(layer()), Effect.scoped))

  const changes: Readonly<Record<string, Answer>> = {
    "signs out": () => undefined,
    "gets another role": () => ({ role: "viewer", name: "Grace" }),
    "is limited to an account": () => ({ role: "operator", name: "Grace", accountId: "acct_1" }),
    "is another one": () => ({ role: "operator", name: "Ada" }),
    "cannot be looked up": () => {
      throw new Error("no session store")
    },
    "is looked up without end": () => new Promise<HostUser>(() => {})
  }
  it.effect("end within a minute when the host's user changes, and otherwise after ten minutes", () => {
    const answers = new Map<string, Answer>()
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const open = (user: string) => openStream(`accounts/${accountId}/live`, { headers: { "x-user": user } })
      const streams = yield* Effect.forEach(Object.keys(changes), (user) => open(user))
      const unchanged = yield* open("stays")
      yield* TestClock.adjust("31 seconds")
      for (const { read, status } of [...streams, unchanged]) {
        assert.strictEqual(status, 200)
        assert.isString(yield* read)
      }
      for (const [user, answer] of Object.entries(changes)) answers.set(user, answer)
      // In steps, as the host's answers are promises.
      yield* Effect.replicateEffect(TestClock.adjust("10 seconds"), 6)
      for (const { read } of streams) yield* rest(read)
      yield* TestClock.adjust("7 minutes")
      assert.isString(yield* unchanged.read)
      yield* TestClock.adjust("2 minutes")
      yield* rest(unchanged.read)
    }).pipe(Effect.provide(host(answers)), Effect.scoped)
  })

  it.effect("are limited for a user of the host as for a session", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const open = openStream(`accounts/${accountId}/live`)
      const streams = yield* Effect.replicateEffect(open, LiveStreams.streamsPerSession)
      assert.deepStrictEqual([...new Set(streams.map(({ status }) => status))], [200])
      assert.strictEqual((yield* open).status, 429)
      // A stream that is over gives its place back.
      yield* Effect.replicateEffect(TestClock.adjust("1 minute"), 11)
      for (const { read } of streams) yield* rest(read)
      assert.strictEqual((yield* open).status, 200)
    }).pipe(Effect.provide(host(new Map())), Effect.scoped))

  it.effect("end when the process drains, and none begins", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const call = yield* waitingCall
      const cookie = yield* login()
      const paths = [`live?call=${call.id}`, `live`, `v1/calls/${call.id}/transcript`]
      const headers = { accept: "text/event-stream" }
      const open = (path: string) => openStream(`accounts/${accountId}/${path}`, { cookie, headers })
      const streams = yield* Effect.forEach(paths, open)
      yield* (yield* Readiness.Readiness).drain
      for (const { read } of streams) yield* rest(read)
      for (const path of paths) assert.strictEqual((yield* open(path)).status, 503, path)
    }).pipe(Effect.provide(layer()), Effect.scoped))
})
