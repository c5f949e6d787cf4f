import { assert, describe, it } from "@effect/vitest"
import { MemoryStorage, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { layer, link, login, outcome, send } from "../Fixture.ts"

interface Entry {
  readonly action: string
  readonly details: Readonly<Record<string, unknown>>
}

const number = "+14155550137"
const script = "A secret script about {{topic}}"

/** The log as admins see it, oldest first, without the sessions that the tests open. */
const entries = Effect.fnUntraced(function*(cookie: string) {
  const { body } = yield* send("audit?limit=100", { cookie })
  return body.data.toReversed().filter(({ action }: { readonly action: string }) => action !== "session.open")
})

describe("The audit log of the console", () => {
  it.effect("records each change with its user, its target and its status, and nothing of its content", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const [admin, operator] = [yield* login(), yield* login({ role: "operator", name: "Ada" })]
      const v1 = `accounts/${accountId}/v1`
      const call = { agent_id: agentId, phone_number: number, variables: { topic: "money" } }
      const started = yield* send(`${v1}/calls`, { cookie: operator, body: call })
      yield* send(`${v1}/calls/${started.body.id}/cancel`, { cookie: operator, method: "POST" })
      yield* send(`${v1}/calls/${started.body.id}/cancel`, { cookie: operator, method: "POST" })
      yield* send(`${v1}/do_not_call/${encodeURIComponent(number)}`, { cookie: operator, method: "DELETE" })
      yield* send(`${v1}/agents`, { cookie: operator, body: { name: "A", script } })
      yield* send(`accounts/${accountId}`, { cookie: operator, method: "PATCH", body: { lines: 9 } })
      yield* send(`accounts/${accountId}`, { cookie: admin, method: "PATCH", body: { lines: 9 } })
      yield* send(`${v1}/calls/preview`, { cookie: operator, body: { agent_id: agentId, phone_number: number } })
      yield* send(`${v1}/calls`, { cookie: operator })
      const log = yield* entries(admin)
      assert.deepStrictEqual(
        log.map((entry: Record<string, unknown>) => [
          entry["actor"],
          entry["role"],
          entry["action"],
          entry["target"],
          entry["status"]
        ]),
        [
          ["Ada", "operator", "calls.start", null, 201],
          ["Ada", "operator", "calls.cancel", started.body.id, 200],
          ["Ada", "operator", "calls.cancel", started.body.id, 409],
          ["Ada", "operator", "doNotCall.remove", null, 200],
          ["Ada", "operator", "agents.create", null, 403],
          ["Ada", "operator", "accounts.change", null, 403],
          ["Grace", "admin", "accounts.change", null, 200]
        ]
      )
      for (const { account_id } of log) assert.strictEqual(account_id, accountId)
      const text = JSON.stringify(log)
      for (const secret of [number.slice(2), "secret script", "money"]) assert.notInclude(text, secret)
    }).pipe(Effect.provide(layer())))

  it.effect("tells a pause from a resume, and names the changed fields of a policy and of an account", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const account = `accounts/${accountId}`
      for (const paused of [true, false]) {
        yield* send(`${account}/pause`, { cookie, body: { paused } })
        yield* send("pause", { cookie, body: { paused } })
      }
      yield* send(account, { cookie, method: "PATCH", body: { paused: true, lines: 9, name: "Acme" } })
      const { body } = yield* send(`${account}/policy`, { cookie })
      const policy = { ...body.policy, daily_limit: 7, retention: { call_days: 90 }, default_country: "US" }
      yield* send(`${account}/policy`, { cookie, method: "PUT", body: { policy } })
      yield* send(`${account}/policy`, { cookie, method: "PUT", body: { policy } })
      const { body: key } = yield* send(`${account}/keys`, { cookie, body: { name: "A", scopes: ["calls:read"] } })
      const { body: other } = yield* send("accounts", { cookie, body: { name: "Other" } })
      assert.deepStrictEqual(
        (yield* entries(cookie)).map(({ action, details: { session: _, ...added } }: Entry) => [action, added]),
        [
          ["switches.pause", { paused: true }],
          ["switches.pauseAll", { paused: true }],
          ["switches.pause", { paused: false }],
          ["switches.pauseAll", { paused: false }],
          ["accounts.change", { paused: true, lines: 9, changed: "name" }],
          ["policy.put", { changed: "daily_limit, default_country, retention" }],
          ["policy.put", { changed: "" }],
          ["keys.create", { key: key.id }],
          ["accounts.create", { account: other.id }]
        ]
      )
    }).pipe(Effect.provide(layer())))

  it.effect("has pages, for admins only, and shows an admin of one account that account's entries", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const admin = yield* login()
      const one = yield* login({ accountId, name: "Ada" })
      const { body: other } = yield* send("accounts", { cookie: admin, body: { name: "Other" } })
      for (const id of [accountId, other.id]) {
        yield* send(`accounts/${id}`, { cookie: admin, method: "PATCH", body: { lines: 3 } })
      }
      assert.strictEqual(
        outcome(yield* send("audit", { cookie: yield* login({ role: "operator" }) })),
        "403 insufficient_role"
      )
      const first = yield* send("audit?limit=2", { cookie: admin })
      assert.deepStrictEqual([first.body.data.length, first.body.has_more], [2, true])
      const second = yield* send(`audit?limit=2&cursor=${first.body.next_cursor}`, { cookie: admin })
      const ids = [...first.body.data, ...second.body.data].map(({ id }: { readonly id: string }) => id)
      assert.strictEqual(new Set(ids).size, 4)
      const seen = yield* entries(one)
      assert.deepStrictEqual(seen.map((entry: Record<string, unknown>) => entry["account_id"]), [accountId])
    }).pipe(Effect.provide(layer())))

  it.effect("has tries on accounts that the user may not see, in the user's own, for either API", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const admin = yield* login()
      const { body: other } = yield* send("accounts", { cookie: admin, body: { name: "Other" } })
      const one = yield* login({ accountId, name: "Ada" })
      const body = { agent_id: "x", phone_number: number }
      assert.strictEqual(outcome(yield* send(`accounts/${other.id}/v1/calls`, { cookie: one, body })), "404 not_found")
      const patch = { cookie: one, method: "PATCH", body: { lines: 9 } }
      assert.strictEqual(outcome(yield* send(`accounts/${other.id}`, patch)), "404 not_found")
      // An account that does not exist, by a user who may see all.
      assert.strictEqual(outcome(yield* send("accounts/acct_0/v1/calls", { cookie: admin, body })), "404 not_found")
      const log = yield* entries(admin)
      assert.deepStrictEqual(
        log.slice(1).map((entry: Record<string, unknown>) => [
          entry["actor"],
          entry["account_id"],
          entry["action"],
          entry["status"]
        ]),
        [
          ["Ada", accountId, "calls.start", 404],
          ["Ada", accountId, "accounts.change", 404],
          ["Grace", "acct_0", "calls.start", 404]
        ]
      )
      assert.strictEqual(log[0].action, "accounts.create")
    }).pipe(Effect.provide(layer())))

  it.effect("has every session that a link became, and no link is used up without", () =>
    Effect.gen(function*() {
      const token = yield* link({ role: "operator", name: "Ada" })
      failing = true
      assert.strictEqual(outcome(yield* send("session", { body: { token } })), "503 unavailable")
      failing = false
      const opened = yield* send("session", { body: { token } })
      assert.strictEqual(opened.status, 200)
      const admin = yield* login()
      const { body } = yield* send("audit", { cookie: admin })
      const { body: sessions } = yield* send("sessions", { cookie: admin })
      assert.deepStrictEqual(
        body.data.map(({ action, actor, status }: Record<string, unknown>) => [action, actor, status]),
        [["session.open", "Grace", 200], ["session.open", "Ada", 200]]
      )
      assert.sameMembers(
        body.data.map(({ target }: { readonly target: string }) => target),
        sessions.data.map(({ id }: { readonly id: string }) => id)
      )
    }).pipe(Effect.provide(layer({}, { storage: failingAudit }))))

  it.effect("refuses a change that it cannot record", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const cookie = yield* login()
      const v1 = `accounts/${accountId}/v1`
      const call = { agent_id: agentId, phone_number: number, variables: { topic: "x" } }
      failing = true
      const refused = yield* send(`${v1}/calls`, { cookie, body: call })
      failing = false
      assert.strictEqual(outcome(refused), "503 unavailable")
      assert.deepStrictEqual((yield* send(`${v1}/calls`, { cookie })).body.data, [])
      assert.strictEqual((yield* send(`${v1}/calls`, { cookie, body: call })).status, 201)
    }).pipe(Effect.provide(layer({}, { storage: failingAudit }))))
})

let failing = false

const diskFull = Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: new Error("disk full") }))

/** Memory, whose audit log cannot be written while `failing`. */
const failingAudit = Layer.effect(
  Storage.Storage,
  Effect.map(Storage.Storage, (storage) => ({
    ...storage,
    console: {
      ...storage.console,
      addAuditEntry: (entry: Parameters<Storage.ConsoleStore["Service"]["addAuditEntry"]>[0]) =>
        Effect.suspend(() =>
          failing
            ? diskFull
            : storage.console.addAuditEntry(entry)
        ),
      openLink: (options: Storage.OpenLinkOptions) =>
        Effect.suspend(() => failing ? diskFull : storage.console.openLink(options))
    }
  }))
).pipe(Layer.provide(MemoryStorage.layer))
