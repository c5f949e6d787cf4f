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

/** The user whom the host of a test names for every request; it may throw. */
const host = () => {
  const state: { answer: () => HostUser | undefined | Promise<HostUser>; asked: number } = {
    answer: () => ({ role: "operator", name: "Grace" }),
    asked: 0
  }
  const authenticate = async () => {
    state.asked += 1
    return state.answer()
  }
  return { state, layer: Layer.merge(layer({ authenticate }), Logger.layer([])) }
}

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

  const changes: Readonly<Record<string, () => HostUser | undefined | Promise<HostUser>>> = {
    "signs out": () => undefined,
    "gets another role": () => ({ role: "viewer", name: "Grace" }),
    "is limited to an account": () => ({ role: "operator", name: "Grace", accountId: "acct_1" }),
    "is another one": () => ({ role: "operator", name: "Ada" }),
    "cannot be looked up": () => {
      throw new Error("no session store")
    },
    "is looked up without end": () => new Promise<HostUser>(() => {})
  }
  for (const [change, answer] of Object.entries(changes)) {
    const { layer, state } = host()
    it.effect(`end within a minute when the host's user ${change}`, () =>
      Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { read, status } = yield* openStream(`accounts/${accountId}/live`)
        assert.strictEqual(status, 200)
        yield* TestClock.adjust("31 seconds")
        yield* Effect.repeat(read, { times: 1 })
        assert.isAtLeast(state.asked, 2)
        state.answer = answer
        yield* TestClock.adjust("60 seconds")
        yield* rest(read)
      }).pipe(Effect.provide(layer), Effect.scoped))
  }

  const { layer: unchanged } = host()
  it.effect("of a host's user end after ten minutes, for hosts that know their users when a request begins", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { read } = yield* openStream(`accounts/${accountId}/live`)
      yield* TestClock.adjust("9 minutes")
      assert.isString(yield* read)
      yield* TestClock.adjust("2 minutes")
      yield* rest(read)
    }).pipe(Effect.provide(unchanged), Effect.scoped))

  const { layer: ofHost } = host()
  it.effect("are limited for a user of the host as for a session", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const open = openStream(`accounts/${accountId}/live`)
      for (let count = 0; count < LiveStreams.streamsPerSession; count++) {
        assert.strictEqual((yield* open).status, 200)
      }
      assert.strictEqual((yield* open).status, 429)
    }).pipe(Effect.provide(ofHost), Effect.scoped))

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
