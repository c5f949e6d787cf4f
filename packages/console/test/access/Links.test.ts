import { assert, describe, it } from "@effect/vitest"
import { Accounts, type AuditEntry } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { cookieOf, layer, login, outcome, send } from "../Fixture.ts"

const opened = (token: string) => send("session", { body: { token } })

describe("Links that admins make in the console", () => {
  it.effect("works once, for ten minutes, with the role, the name and the account that the admin chose", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const { body, headers, status } = yield* send("links", {
        cookie,
        body: { role: "viewer", name: "Ada Lovelace", account_id: accountId }
      })
      assert.strictEqual(status, 201)
      assert.match(body.token, /^[0-9A-Za-z]{43}$/)
      assert.strictEqual(Date.parse(body.expires_at) - Date.parse(body.created_at), 600_000)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      const { token, ...listed } = body
      assert.deepStrictEqual((yield* send("links", { cookie })).body, { data: [listed] })
      assert.deepInclude(listed, { role: "viewer", name: "Ada Lovelace", account_id: accountId })

      const session = yield* opened(token)
      assert.deepInclude(session.body, { role: "viewer", name: "Ada Lovelace", account_id: accountId })
      assert.strictEqual(outcome(yield* opened(token)), "401 link_invalid")
      assert.deepStrictEqual((yield* send("links", { cookie })).body.data, [])
      // The new user is a viewer, and viewers make no links.
      const refused = yield* send("links", { cookie: cookieOf(session), body: { role: "viewer", name: "Eve" } })
      assert.strictEqual(outcome(refused), "403 insufficient_role")

      const late = yield* send("links", { cookie, body: { role: "admin", name: "Late", account_id: null } })
      assert.strictEqual(late.body.account_id, null)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(outcome(yield* opened(late.body.token)), "401 link_invalid")
      assert.deepStrictEqual((yield* send("links", { cookie })).body.data, [])
    }).pipe(Effect.provide(layer())))

  it.effect("an admin revokes a link that has not been opened", () =>
    Effect.gen(function*() {
      const cookie = yield* login()
      const body = { role: "operator", name: "Mallory" }
      const [bad, good] = [(yield* send("links", { cookie, body })).body, (yield* send("links", { cookie, body })).body]
      const revoke = (id: string, by: string) =>
        Effect.map(send(`links/${id}`, { method: "DELETE", cookie: by }), outcome)
      assert.strictEqual(yield* revoke(bad.id, yield* login({ role: "operator" })), "403 insufficient_role")
      assert.strictEqual(yield* revoke(bad.id, cookie), "204")
      assert.strictEqual(yield* revoke(bad.id, cookie), "404 not_found")
      assert.strictEqual(outcome(yield* opened(bad.token)), "401 link_invalid")
      assert.strictEqual((yield* opened(good.token)).status, 200)
      for (const id of ["link_", "link_%00", "..", "session_1", good.token]) {
        assert.match(yield* revoke(id, cookie), /^(400|404)/, id)
      }
    }).pipe(Effect.provide(layer())))

  it.effect("an admin of one account makes links for that account alone, and sees no others", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const other = yield* (yield* Accounts.Accounts).create({ name: "Other" })
      const [all, one] = [yield* login(), yield* login({ accountId, name: "Ada" })]
      const create = (cookie: string, account_id?: string | null) =>
        send("links", { cookie, body: { role: "admin", name: "New", account_id } })
      assert.strictEqual(outcome(yield* create(one)), "403 insufficient_role")
      assert.strictEqual(outcome(yield* create(one, null)), "403 insufficient_role")
      assert.strictEqual(outcome(yield* create(one, other.id)), "404 not_found")
      assert.strictEqual(outcome(yield* create(all, "acct_none")), "404 not_found")
      const own = yield* create(one, accountId)
      const foreign = yield* create(all, other.id)
      const ofAll = yield* create(all)
      assert.deepStrictEqual([own.status, foreign.status, ofAll.status], [201, 201, 201])
      const ids = (cookie: string) =>
        Effect.map(send("links", { cookie }), ({ body }) => body.data.map(({ id }: { readonly id: string }) => id))
      assert.deepStrictEqual(yield* ids(one), [own.body.id])
      assert.sameMembers(yield* ids(all), [own.body.id, foreign.body.id, ofAll.body.id])
      for (const { body } of [foreign, ofAll]) {
        const refused = yield* send(`links/${body.id}`, { method: "DELETE", cookie: one })
        assert.strictEqual(outcome(refused), "404 not_found")
      }
      assert.deepInclude((yield* opened(own.body.token)).body, { role: "admin", account_id: accountId })
    }).pipe(Effect.provide(layer())))

  it.effect("refuses names, roles and accounts that are none, and a request that the page did not send", () =>
    Effect.gen(function*() {
      const cookie = yield* login()
      const body = { role: "viewer", name: "Ada" }
      const hostile: ReadonlyArray<unknown> = [
        {},
        [],
        "viewer",
        { ...body, role: "owner" },
        { ...body, role: ["admin"] },
        { ...body, role: "__proto__" },
        { ...body, name: "" },
        { ...body, name: " " },
        { ...body, name: "Ada " },
        { ...body, name: "Ada\u034f" },
        { ...body, name: "a\u0000b" },
        { ...body, name: "Ada\u202e" },
        { ...body, name: "\ud800" },
        { ...body, name: "x".repeat(101) },
        { ...body, name: { first: "Ada" } },
        { ...body, account_id: "%" },
        { ...body, account_id: "' or 1=1" },
        { ...body, token: "x".repeat(43) },
        { ...body, expires_at: "2999-01-01T00:00:00Z" }
      ]
      for (const body of hostile) {
        assert.match(
          outcome(yield* send("links", { cookie, body })),
          /^400 invalid_(request|json)$/,
          JSON.stringify(body)
        )
      }
      for (const headers of [{}, { "outdial-console": "1", origin: "https://evil.test" }]) {
        assert.strictEqual(outcome(yield* send("links", { cookie, body, headers })), "403 cross_origin_request")
      }
      assert.strictEqual(outcome(yield* send("links", { body })), "401 unauthenticated")
      for (const role of ["viewer", "operator"] as const) {
        const low = yield* login({ role })
        assert.strictEqual(outcome(yield* send("links", { cookie: low, body })), "403 insufficient_role")
        assert.strictEqual(outcome(yield* send("links", { cookie: low })), "403 insufficient_role")
      }
      assert.deepStrictEqual((yield* send("links", { cookie })).body.data, [])
      const name = "<img src=x onerror=alert(1)> '\"📞"
      assert.strictEqual((yield* send("links", { cookie, body: { ...body, name } })).body.name, name)
    }).pipe(Effect.provide(layer())))

  it.effect("the audit log has who made a link for whom, and never its token", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const body = { role: "viewer", name: "Ada", account_id: accountId }
      const created = (yield* send("links", { cookie, body })).body
      const revoked = (yield* send("links", { cookie, body: { role: "admin", name: "Eve" } })).body
      yield* send(`links/${revoked.id}`, { method: "DELETE", cookie })
      yield* send("links", { cookie: yield* login({ accountId, name: "Mallory" }), body: { role: "admin", name: "M" } })
      const log = yield* send("audit", { cookie })
      const entries = log.body.data
        .filter(({ action }: { readonly action: string }) => action.startsWith("links."))
        .toReversed()
      assert.deepStrictEqual(
        entries.map(({ action, actor, details: { session: _, ...details }, status, target }: AuditEntry.AuditEntry) => [
          actor,
          action,
          target,
          status,
          details
        ]),
        [
          ["Grace", "links.create", null, 201, {
            role: "viewer",
            name: "Ada",
            account_id: accountId,
            link: created.id
          }],
          ["Grace", "links.create", null, 201, { role: "admin", name: "Eve", link: revoked.id }],
          ["Grace", "links.revoke", revoked.id, 204, {}],
          ["Mallory", "links.create", null, 403, { role: "admin", name: "M" }]
        ]
      )
      // Also of two users with one name it is known who did what.
      const sessions = entries.map(({ details }: AuditEntry.AuditEntry) => details["session"])
      assert.match(sessions[0], /^session_/)
      assert.deepStrictEqual(sessions.slice(0, 3), [sessions[0], sessions[0], sessions[0]])
      assert.notStrictEqual(sessions[3], sessions[0])
      for (const { token } of [created, revoked]) assert.notInclude(log.text, token)
    }).pipe(Effect.provide(layer())))

  it.effect("a user of the host makes none, because a link would open nothing", () =>
    Effect.gen(function*() {
      const refused = yield* send("links", { body: { role: "viewer", name: "Ada" } })
      assert.strictEqual(outcome(refused), "404 not_found")
      assert.match(refused.body.error.message, /signs its users in itself/)
      assert.deepStrictEqual((yield* send("links")).body.data, [])
    }).pipe(Effect.provide(layer({ authenticate: () => ({ role: "admin", name: "Hopper" }) }))))
})
