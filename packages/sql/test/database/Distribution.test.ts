/** The schema and the queries can be sharded by account, for example on Citus. */
import { assert, it } from "@effect/vitest"
import { Ids, Storage } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { Arbitrary, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import * as Commands from "../../../../test/model/Commands.ts"
import * as Knowledge from "../../../../test/model/Knowledge.ts"
import * as Storages from "../../../../test/model/Storages.ts"
import * as Looking from "../../../../test/model/Reads.ts"
import * as Postgres from "../../../../test/support/postgres.ts"

/** Small, and whole on every server: they are read before an account is known, or for all accounts. */
const everywhere = [
  "outdial_deployment",
  "outdial_api_keys",
  "outdial_migrations",
  "outdial_workers",
  "outdial_carriers",
  "outdial_console_links",
  "outdial_console_sessions",
  "outdial_audit_log"
]

/** The methods that read across accounts: those that find work, and those for operators. */
const acrossAccounts = [
  "work.accountsDue",
  "work.nextDueAt",
  "stats.strandedCalls",
  "stats.missingCarriers",
  "subscriptions.due",
  "accounts.list",
  // One statement for all accounts that are watched, each by its key.
  "overviews.marks",
  "secrets.listWebhooksNotUnder",
  "secrets.listErasureKeysNotUnder",
  "stats.snapshot",
  // One statement with `readMany`, which follows calls of any accounts, each by its key.
  "conversations.read",
  // Asks for the calls that this process talks with, each by its key.
  "conversations.machines"
]

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Plans"?: ReadonlyArray<Plan>
}

/** Scans of sharded tables without a condition on the account. */
const strayScans = ({ Plans: below = [], ...node }: Plan): ReadonlyArray<string> => {
  const table = node["Relation Name"]
  const isStray = table !== undefined && node["Node Type"] !== "ModifyTable" && !everywhere.includes(table) &&
    !/\bid = 'acct_/.test(JSON.stringify(node).replaceAll("account_id", "id"))
  return [...(isStray ? [`${node["Node Type"]} of ${table}`] : []), ...below.flatMap(strayScans)]
}

interface Said {
  readonly method: string
  readonly parameters: ReadonlyArray<unknown>
}

const useConsole = Effect.fnUntraced(function*(console: Storage.ConsoleStore["Service"], now: DateTime.Utc) {
  const id = Factories.consoleSessionId()
  const entry = Factories.auditEntryId()
  const access = { role: "viewer", name: "Grace" } as const
  yield* console.addLink({ ...access, hash: "link", createdAt: now, expiresAt: DateTime.add(now, { minutes: 10 }) })
  yield* console.openLink({
    hash: "link",
    now,
    session: { id, hash: "session", expiresAt: DateTime.add(now, { hours: 1 }) },
    entryId: Factories.auditEntryId()
  })
  yield* console.listLinks(now)
  yield* console.revokeLink("other")
  yield* console.useSession({ hash: "session", now })
  yield* console.listSessions(now)
  yield* console.revokeSession(id)
  yield* console.addAuditEntry({ id: entry, createdAt: now, actor: "Grace", role: "viewer", action: "a", details: {} })
  yield* console.completeAuditEntry({ id: entry, status: 200, details: {} })
  yield* console.listAuditEntries({}, { limit: 10, after: Option.none() })
  yield* console.listAuditEntries({ accountId: Factories.accountId() }, { limit: 10, after: Option.none() })
  yield* console.prune({ now, entriesBefore: now, limit: 10 })
})

/** The statements of storage in a run of the model: each text with the method that runs it. */
const listen = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const said = new Map<string, Said>()
  const called = new Set<string>()
  let method = ""
  const listening: Statement.Transformer = (self) =>
    Effect.sync(() => {
      const [text, parameters] = self.compile()
      if (!said.has(text)) said.set(text, { method, parameters })
      return self
    })
  const hear = (field: string, store: object) =>
    new Proxy(store, {
      get: (target, name, receiver) => {
        const member = Reflect.get(target, name, receiver)
        // Noted when it runs: callers may make several effects before they run the first.
        const noted = <A, E>(effect: Effect.Effect<A, E>) =>
          Effect.suspend(() => {
            method = `${field}.${String(name)}`
            called.add(method)
            return effect
          })
        if (Effect.isEffect(member)) return noted(member as Effect.Effect<unknown>)
        if (typeof member !== "function") return member
        return (...args: ReadonlyArray<unknown>) => noted(Reflect.apply(member, target, args) as Effect.Effect<unknown>)
      }
    })
  const fields = Object.keys(Storage.stores)
  const heard: Knowledge.Port = {
    ...storage,
    ...Object.fromEntries(fields.map((field) => [field, hear(field, Reflect.get(storage, field))]))
  }
  const knowledge = Knowledge.make()
  const talk = Effect.gen(function*() {
    yield* Storages.open(heard, knowledge)
    const [commands = []] = yield* Arbitrary.sampleEffect(
      Arbitrary.schema(Schema.Array(Commands.Command).check(Schema.isMinLength(2000), Schema.isMaxLength(2000))),
      { count: 1, seed: "citus" }
    )
    for (const command of commands) {
      const { learn } = yield* Commands.stepOf(knowledge, command).run(heard)
      learn(knowledge)
    }
    yield* Looking.readAll(heard, knowledge)
    yield* heard.accounts.list
    yield* heard.stats.state
    yield* heard.dispatch.adoptedPlanData(Knowledge.nowOf(knowledge))
    yield* heard.stats.snapshot(Knowledge.nowOf(knowledge))
    const logs = (yield* heard.accounts.list).map(({ id }) => ({ accountId: id, callId: Factories.callId(), after: 0 }))
    yield* heard.conversations.readMany({ logs, limit: 10 })
    yield* heard.conversations.machines(logs)
    const keys = logs.map(({ accountId }) => ({ accountId, id: Ids.ApiKeyId.make("key_unknown") }))
    yield* heard.access.usableApiKeys({ keys, now: Knowledge.nowOf(knowledge) })
    yield* useConsole(heard.console, Knowledge.nowOf(knowledge))
    for (const { id } of yield* heard.accounts.list) {
      const callIds = yield* heard.privacy.unwantedRecordings({ accountId: id, limit: 10 })
      yield* heard.privacy.forgetRecordings({ accountId: id, callIds })
      yield* heard.clock.setBack({ accountId: id, now: Knowledge.nowOf(knowledge) })
      const { id: agentId } = Factories.agentDefinition()
      yield* heard.agents.archive({ accountId: id, id: agentId, now: Knowledge.nowOf(knowledge) })
      yield* heard.agents.versions(id, agentId)
      yield* heard.agents.version(id, agentId, 1)
      yield* heard.overviews.activity({
        accountId: id,
        now: Knowledge.nowOf(knowledge),
        since: Knowledge.nowOf(knowledge)
      })
      yield* heard.overviews.marks([id])
      yield* heard.calls.sharedPeriods(id, [])
    }
  })
  yield* Effect.provideService(talk, Statement.CurrentTransformer, listening)
  return {
    said,
    called,
    methods: fields.flatMap((field) => Object.keys(Reflect.get(storage, field)).map((name) => `${field}.${name}`))
  }
})

it.layer(Layer.provideMerge(SqlStorage.layer, Postgres.layer), { excludeTestServices: true, timeout: "60 seconds" })(
  "Distribution by account",
  (it) => {
    it.effect("begins every key with the account, but for the small tables that are everywhere", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const keys = yield* sql<{ readonly table: string; readonly key: string; readonly first: string }>`
          select t.relname as table, i.relname as key, a.attname as first
          from pg_index as x
          join pg_class as t on t.oid = x.indrelid
          join pg_class as i on i.oid = x.indexrelid
          join pg_attribute as a on a.attrelid = t.oid and a.attnum = x.indkey[0]
          where x.indisunique and t.relname like 'outdial\_%'
          order by 1, 2`
        const others = keys.filter(({ first, table }) => first !== (table === "outdial_accounts" ? "id" : "account_id"))
        assert.deepStrictEqual(others.map(({ key }) => key), [
          "outdial_api_keys_hash",
          "outdial_audit_log_pkey",
          "outdial_carriers_pkey",
          "outdial_console_links_pkey",
          "outdial_console_sessions_hash",
          "outdial_console_sessions_pkey",
          "outdial_deployment_pkey",
          "outdial_migrations_pkey",
          "outdial_workers_pkey"
        ])
        assert.isAbove(keys.length, 20)
      }))

    it.effect("refers from table to table within an account only", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const references = yield* sql<{ readonly from: string; readonly to: string }>`
          select f.attname as from, t.attname as to
          from pg_constraint as c
          join pg_attribute as f on f.attrelid = c.conrelid and f.attnum = c.conkey[1]
          join pg_attribute as t on t.attrelid = c.confrelid and t.attnum = c.confkey[1]
          where c.contype = 'f' and c.conrelid::regclass::text like 'outdial\_%'`
        assert.isAbove(references.length, 3)
        for (const { from, to } of references) {
          assert.strictEqual(from, "account_id")
          assert.oneOf(to, ["account_id", "id"])
        }
      }))

    it.effect(
      "reads and writes within one account, but for what picks work and what operators ask",
      () =>
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          const { called, methods, said } = yield* listen
          assert.deepStrictEqual(methods.filter((name) => !called.has(name)), [])
          const strays = new Map<string, ReadonlyArray<string>>()
          for (const [text, { method, parameters }] of said) {
            const [row] = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
              `explain (format json) ${text}`,
              parameters
            )
            const found = (row?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => strayScans(Plan))
            if (found.length > 0) strays.set(method, found)
          }
          assert.sameMembers([...strays.keys()], acrossAccounts)
        }),
      120_000
    )
  }
)
