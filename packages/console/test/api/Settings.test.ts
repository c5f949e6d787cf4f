import { assert, describe, it } from "@effect/vitest"
import { Agents, Calls, DoNotCallList } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Effect } from "effect"
import * as Fixture from "./Fixture.ts"

const night = [{ start: "01:00", end: "02:00" }]
const nights = { mon: night, tue: night, wed: night, thu: night, fri: night, sat: night, sun: night }

describe("policy", () => {
  it.effect("is shown with the defaults, and replaced as a whole", () =>
    Effect.gen(function*() {
      const before = yield* Fixture.inAccount("/policy", { role: "viewer" })
      assert.strictEqual(before.body["defaults"].recall_gap_seconds, 14_400)
      const put = yield* Fixture.inAccount("/policy", { method: "PUT", body: { policy: { calling_hours: nights } } })
      assert.deepStrictEqual([put.status, put.body["policy"]], [200, { calling_hours: nights }])
      assert.include(put.body["warnings"].map(({ code }: { readonly code: string }) => code), "open_at_night")
      assert.deepStrictEqual((yield* Fixture.inAccount("/policy")).body, put.body)
      const wrong = yield* Fixture.inAccount("/policy", {
        method: "PUT",
        body: { policy: { time_zone: "Mars/Olympus", recall_gap_seconds: -1, "<b>": 1 } }
      })
      assert.strictEqual(wrong.status, 400)
      assert.sameMembers([...Fixture.problems(wrong)], [
        "/policy/time_zone",
        "/policy/recall_gap_seconds",
        "/policy/<b>"
      ])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("a preview says what would become of waiting calls, and changes nothing", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const calls = yield* Calls.Calls
      const start = (
        phoneNumber: string,
        times: { readonly notBefore?: DateTime.Utc; readonly expiresAt?: DateTime.Utc }
      ) => calls.start(accountId, { agentId, phoneNumber, variables: { topic: "x" }, ...times })
      yield* start("+14155550100", {})
      yield* start("+14155550101", { notBefore: DateTime.makeUnsafe(86_400_000) })
      yield* start("+14155550102", { expiresAt: DateTime.makeUnsafe(60_000) })
      const stored = (yield* Fixture.inAccount("/policy")).body
      const preview = (policy: unknown, more: object = {}) =>
        Fixture.inAccount("/policy/preview", { role: "operator", body: { policy, ...more } })
      const open = yield* preview({ calling_hours: null })
      assert.deepStrictEqual(open.body["effect"], {
        waiting_calls: 3,
        waiting_calls_examined: 3,
        now_callable: 2,
        later: 1,
        expire: 0
      })
      const closed = yield* preview({ calling_hours: nights, fallback_time_zone: "UTC" }, {
        phone_number: "+1 415 555-0109",
        time_zone: "Europe/Paris"
      })
      assert.deepStrictEqual(closed.body["effect"], {
        waiting_calls: 3,
        waiting_calls_examined: 3,
        now_callable: 0,
        later: 2,
        expire: 1
      })
      assert.deepStrictEqual(closed.body["explanation"].time_zones, ["Europe/Paris"])
      const ofViewer = (more: object) =>
        Fixture.inAccount("/policy/preview", { role: "viewer", body: { policy: {}, ...more } })
      assert.strictEqual((yield* ofViewer({})).status, 200)
      assert.strictEqual((yield* ofViewer({ phone_number: "+14155550109" })).status, 403)
      const wrong = yield* preview({ calling_hours: { mon: "always" } })
      assert.deepStrictEqual([wrong.status, wrong.body["problems"].length, wrong.body["effect"]], [200, 1, null])
      assert.strictEqual((yield* preview({}, { preset: "atlantis" })).status, 400)
      assert.deepStrictEqual((yield* Fixture.inAccount("/policy")).body, stored)
      const presets = yield* Fixture.inAccount("/policy/presets")
      assert.isAbove(presets.body["data"].length, 5)
      const [first] = presets.body["data"]
      assert.strictEqual((yield* preview(first.policy, { preset: first.id })).status, 200)
      const narrowed = yield* preview({ calling_hours: { sun: night }, recall_gap_seconds: 9_999_999 }, {
        preset: "de"
      })
      assert.deepStrictEqual(
        [narrowed.body["narrowed"].calling_hours, narrowed.body["narrowed"].recall_gap_seconds],
        [{}, 9_999_999]
      )
      // Rules of a single agent hold for a number that the agent would call.
      const own = { calling_hours: null, agents: { [agentId]: { calling_hours: {} } } }
      const decision = (more: object) =>
        Effect.map(
          preview(own, { phone_number: "+14155550109", ...more }),
          ({ body }) =>
            (body["explanation"].rules as ReadonlyArray<{ readonly rule: string; readonly allows: boolean }>)
              .find(({ rule }) => rule === "outside_calling_hours")?.allows
        )
      assert.deepStrictEqual([yield* decision({}), yield* decision({ agent_id: agentId })], [true, false])
      const unknown = "00000000-0000-4000-8000-00000000000f"
      assert.isAtLeast((yield* preview(own, { phone_number: "+14155550109", agent_id: unknown })).status, 400)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("agents", () => {
  it.effect("lists versions, shows one, and checks a definition with every problem", () =>
    Effect.gen(function*() {
      const { accountId, agentId } = yield* TestEngine.Tenant
      const agents = yield* Agents.Agents
      const { archivedAt: _, createdAt: __, updatedAt: ___, version: ____, ...agent } = yield* agents.get(
        accountId,
        agentId
      )
      yield* agents.put(accountId, { ...agent, name: "<i>Grace</i>" })
      const listed = yield* Fixture.inAccount(`/agents/${agentId}/versions`)
      assert.deepStrictEqual(listed.body["data"].map(({ name, version }: Record<string, unknown>) => [version, name]), [
        [2, "<i>Grace</i>"],
        [1, agent.name]
      ])
      const first = yield* Fixture.inAccount(`/agents/${agentId}/versions/1`)
      assert.strictEqual(first.body["content"].script, agent.script)
      assert.strictEqual((yield* Fixture.inAccount(`/agents/${agentId}/versions/9`)).status, 404)
      const check = (definition: unknown) =>
        Effect.map(Fixture.inAccount("/agents/check", { body: { definition } }), ({ body }) => body)
      const good = { name: "Ada", script: "Hello {{who}}", questions: [], dispositions: ["done"] }
      assert.deepStrictEqual(yield* check(good), { problems: [], required: ["who"] })
      const bad = yield* check({ ...good, script: "{{1}}", dispositions: [], first_mesage: "x" })
      assert.deepStrictEqual(bad["problems"].map(({ path }: { readonly path: string }) => path).sort(), [
        "/dispositions",
        "/first_mesage",
        "/script"
      ])
      assert.strictEqual((yield* check("text"))["problems"].length, 1)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("keys, accounts, usage and the do-not-call list", () => {
  it.effect("shows a key once, and revokes it", () =>
    Effect.gen(function*() {
      const created = yield* Fixture.inAccount("/keys", { body: { name: "crm", scopes: ["calls:read"] } })
      assert.strictEqual(created.status, 201)
      assert.match(created.body["api_key"], /^vak_call_/u)
      const listed = yield* Fixture.inAccount("/keys")
      const { api_key: _, ...shown } = created.body
      assert.deepStrictEqual(listed.body["data"], [shown])
      assert.isUndefined(listed.body["data"][0].hash)
      const revoked = yield* Fixture.inAccount(`/keys/${created.body["id"]}`, { method: "DELETE" })
      assert.deepStrictEqual(revoked.body, { id: created.body["id"], revoked: true })
      assert.strictEqual((yield* Fixture.inAccount("/keys/key_0", { method: "DELETE" })).status, 404)
      const wrong = yield* Fixture.inAccount("/keys", { body: { name: "", scopes: ["all"] } })
      assert.deepStrictEqual([wrong.status, Fixture.problems(wrong)], [400, ["/name", "/scopes/0"]])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("creates, changes and lists accounts", () =>
    Effect.gen(function*() {
      const created = yield* Fixture.send("/accounts", { body: { name: "Clinic", lines: 2 } })
      assert.deepStrictEqual([created.status, created.body["lines"], created.body["paused"]], [201, 2, false])
      const changed = yield* Fixture.send(`/accounts/${created.body["id"]}`, {
        method: "PATCH",
        body: { name: "Clinic 2", paused: true }
      })
      assert.deepStrictEqual(changed.body, { ...created.body, name: "Clinic 2", paused: true })
      const listed = yield* Fixture.send("/accounts")
      assert.deepStrictEqual([listed.body["data"].length, listed.body["all_paused"]], [2, false])
      const wrong = yield* Fixture.send(`/accounts/${created.body["id"]}`, { method: "PATCH", body: { lines: 10_001 } })
      assert.deepStrictEqual(Fixture.problems(wrong), ["/lines"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("shows usage by day, and refuses a range that ends before it begins", () =>
    Effect.gen(function*() {
      const usage = yield* Fixture.inAccount("/usage?from=1970-01-01&to=1970-01-02", { role: "viewer" })
      assert.deepStrictEqual(usage.body, {
        time_zone: "UTC",
        data: ["1970-01-01", "1970-01-02"].map((day) => ({ day, calls_placed: 0, seconds_talked: 0, costs: [] }))
      })
      const wrong = yield* Fixture.inAccount("/usage?from=1970-01-02&to=1970-01-01")
      assert.deepStrictEqual([wrong.status, wrong.body["error"].param], [400, "/to"])
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("lets other work go on while it reads a long list", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const list = yield* DoNotCallList.DoNotCallList
      let turns = 0
      const others = Effect.forever(Effect.andThen(Effect.sync(() => turns += 1), Effect.yieldNow))
      yield* Effect.forkChild(others, { startImmediately: true })
      // Without a number, so that nothing is stored.
      yield* Effect.flip(list.importLines(accountId, Array.from({ length: 10_000 }, () => "none")))
      assert.isAtLeast(turns, 20)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("imports a list, and reports lines without a number", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const text = "phone,name\r\n+14155550100,Ada\n# nobody\n<script>1</script>\n+14155550101"
      const imported = yield* Fixture.inAccount("/do-not-call/import", { body: { text }, role: "operator" })
      const { rejected, ...counts } = imported.body
      assert.deepStrictEqual(counts, { read: 2, added: 2, canceled: 0, rejected_count: 1 })
      assert.deepStrictEqual([rejected[0].line, rejected[0].text], [4, "<script>1</script>"])
      const list = yield* DoNotCallList.DoNotCallList
      assert.strictEqual((yield* list.get(accountId, "+14155550101")).source, "import")
      assert.strictEqual((yield* Fixture.inAccount("/do-not-call/import", { body: { text: "none" } })).status, 400)
    }).pipe(Effect.provide(Fixture.layer())))
})
