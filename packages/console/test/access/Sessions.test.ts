import { assert, describe, it } from "@effect/vitest"
import { Accounts, type ConsoleAccess, MemoryStorage, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { cookieOf, type Handler, layer, link, login, outcome, send } from "../Fixture.ts"

describe("Sessions of the console", () => {
  it.effect("a link becomes a session, once", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const token = yield* link({ role: "operator", name: "Grace" })
      assert.strictEqual(outcome(yield* send("session")), "401 unauthenticated")
      const opened = yield* send("session", { body: { token } })
      assert.strictEqual(opened.status, 200)
      const [setCookie = ""] = opened.headers.getSetCookie()
      assert.match(
        setCookie,
        /^outdial_console=[0-9A-Za-z]{43}; Max-Age=43200; Path=\/console; HttpOnly; Secure; SameSite=Strict$/
      )
      const cookie = cookieOf(opened)
      const session = yield* send("session", { cookie })
      assert.deepStrictEqual(session.body, {
        role: "operator",
        name: "Grace",
        account_id: null,
        accounts: [{ id: accountId, name: session.body.accounts[0].name, paused: false }],
        all_paused: false,
        expires_at: session.body.expires_at,
        version: session.body.version,
        carrier: session.body.carrier
      })
      assert.deepStrictEqual(opened.body, session.body)
      const again = yield* send("session", { body: { token } })
      assert.strictEqual(outcome(again), "401 link_invalid")
      assert.deepStrictEqual(again.headers.getSetCookie(), [])
    }).pipe(Effect.provide(layer())))

  it.effect("a link works for ten minutes, and a session for twelve hours", () =>
    Effect.gen(function*() {
      const [early, late] = [yield* link(), yield* link()]
      yield* TestClock.adjust("599 seconds")
      const cookie = cookieOf(yield* send("session", { body: { token: early } }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(outcome(yield* send("session", { body: { token: late } })), "401 link_invalid")
      yield* TestClock.adjust("43198 seconds")
      assert.strictEqual(outcome(yield* send("session", { cookie })), "200")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(outcome(yield* send("session", { cookie })), "401 unauthenticated")
    }).pipe(Effect.provide(layer())))

  it.effect("a session ends when its user or an admin ends it, and no other does", () =>
    Effect.gen(function*() {
      const [admin, operator, stolen] = [
        yield* login(),
        yield* login({ role: "operator" }),
        yield* login({ role: "viewer", name: "Mallory" })
      ]
      assert.strictEqual(outcome(yield* send("sessions", { cookie: operator })), "403 insufficient_role")
      const { body } = yield* send("sessions", { cookie: admin })
      assert.deepStrictEqual(
        body.data.map(({ current, name, role }: Record<string, unknown>) => [name, role, current]).toSorted(),
        [["Grace", "admin", true], ["Grace", "operator", false], ["Mallory", "viewer", false]]
      )
      const { id } = body.data.find(({ name }: { readonly name: string }) => name === "Mallory")
      const revoke = { method: "DELETE", cookie: admin }
      assert.strictEqual(
        outcome(yield* send(`sessions/${id}`, { ...revoke, cookie: operator })),
        "403 insufficient_role"
      )
      assert.strictEqual(outcome(yield* send(`sessions/${id}`, revoke)), "204")
      assert.strictEqual(outcome(yield* send(`sessions/${id}`, revoke)), "404 not_found")
      assert.strictEqual(outcome(yield* send("session", { cookie: stolen })), "401 unauthenticated")
      const ended = yield* send("session", { method: "DELETE", cookie: operator })
      assert.strictEqual(outcome(ended), "204")
      assert.match(ended.headers.getSetCookie()[0] ?? "", /^outdial_console=; Max-Age=0; /)
      assert.strictEqual(outcome(yield* send("session", { cookie: operator })), "401 unauthenticated")
      assert.strictEqual(outcome(yield* send("session", { cookie: admin })), "200")
    }).pipe(Effect.provide(layer())))

  it.effect("a session is known to another process on the storage, and to the same one after a restart", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Effect.provide(Storage.Storage, MemoryStorage.layer))
      const inProcess = <A, E>(work: Effect.Effect<A, E, Handler | ConsoleAccess.ConsoleAccess>) =>
        Effect.provide(work, layer({}, { storage }))
      const cookie = yield* inProcess(login({ name: "Ada" }))
      const { body, status } = yield* inProcess(send("session", { cookie }))
      assert.deepStrictEqual([status, body.name], [200, "Ada"])
    }))

  it.effect("a cookie that is not the server's, or is sent twice, is no session", () =>
    Effect.gen(function*() {
      const cookie = yield* login()
      const refused = ["outdial_console=", "outdial_console=x", `${cookie}x`, `${cookie}; outdial_console=x`, "a=b"]
      for (const cookie of refused) {
        assert.strictEqual(outcome(yield* send("session", { cookie })), "401 unauthenticated", cookie)
      }
      assert.strictEqual(outcome(yield* send("session", { cookie: `a=b; ${cookie}` })), "200")
    }).pipe(Effect.provide(layer())))

  it.effect("only a script of the console's own origin changes something", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const own = { "outdial-console": "1" }
      const forged: ReadonlyArray<Readonly<Record<string, string>>> = [
        {},
        { origin: "https://outdial.test", "sec-fetch-site": "same-origin" },
        { "outdial-console": "0" },
        { ...own, origin: "https://evil.test" },
        { ...own, origin: "null" },
        { ...own, "sec-fetch-site": "same-site" },
        { ...own, "sec-fetch-site": "cross-site" }
      ]
      for (const headers of forged) {
        for (const path of [`accounts/${accountId}/v1/calls`, "session"]) {
          const sent = { cookie, headers, body: { token: yield* link() } }
          assert.strictEqual(outcome(yield* send(path, sent)), "403 cross_origin_request", JSON.stringify(headers))
        }
      }
      assert.strictEqual(outcome(yield* send("session", { cookie, method: "DELETE", headers: own })), "204")
    }).pipe(Effect.provide(layer())))

  it.effect("a session for one account sees that account, and nothing of others", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const accounts = yield* Accounts.Accounts
      const other = yield* accounts.create({ name: "Other" })
      const [all, one] = [yield* login(), yield* login({ accountId, name: "Ada" })]
      const { body } = yield* send("session", { cookie: one })
      assert.deepStrictEqual([body.account_id, body.accounts.length], [accountId, 1])
      const calls = (id: string, cookie: string) => Effect.map(send(`accounts/${id}/v1/calls`, { cookie }), outcome)
      assert.strictEqual(yield* calls(accountId, one), "200")
      assert.strictEqual(yield* calls(other.id, one), "404 not_found")
      assert.strictEqual(yield* calls(other.id, all), "200")
      for (const id of ["acct_none", "..", "%2e%2e", "acct_1%00", "%zz", "acct_1%2F..", "*"]) {
        assert.match(yield* calls(id, all), /^404/, id)
      }
      const sessions = yield* send("sessions", { cookie: one })
      assert.deepStrictEqual(sessions.body.data.map(({ name }: { readonly name: string }) => name), ["Ada"])
      const foreign = (yield* send("sessions", { cookie: all })).body.data
        .find(({ current }: { readonly current: boolean }) => current)
      assert.strictEqual(
        outcome(yield* send(`sessions/${foreign.id}`, { method: "DELETE", cookie: one })),
        "404 not_found"
      )
      assert.strictEqual(outcome(yield* send("session", { cookie: all })), "200")
    }).pipe(Effect.provide(layer())))

  it.effect("the whole /v1 API is there by the session in place of a key", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const cookie = yield* login({ role: "operator" })
      const calls = `accounts/${accountId}/v1/calls`
      const body = { agent_id: agentId, phone_number: "+14155550100", variables: { topic: "your visit" } }
      const headers = { "outdial-console": "1", "idempotency-key": "once" }
      const [first, second] = [
        yield* send(calls, { cookie, body, headers }),
        yield* send(calls, { cookie, body, headers })
      ]
      assert.deepStrictEqual([first.status, second.status, second.body.id], [201, 200, first.body.id])
      const listed = yield* send(`${calls}?status=queued`, { cookie })
      assert.deepStrictEqual(listed.body.data.map(({ id }: { readonly id: string }) => id), [first.body.id])
      assert.isFalse(listed.headers.has("ratelimit"))
      assert.match(listed.headers.get("content-security-policy") ?? "", /^default-src 'none'/)
      assert.strictEqual(outcome(yield* send(calls, { headers: { "x-api-key": "vak_call_x" } })), "401 unauthenticated")
      for (const path of ["healthz", "metrics", "docs", "carriers/simulated/x", "openapi.json"]) {
        assert.match(outcome(yield* send(`accounts/${accountId}/${path}`, { cookie })), /^404/, path)
      }
    }).pipe(Effect.provide(layer())))
})
