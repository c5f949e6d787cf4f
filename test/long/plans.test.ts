/**
 * That every statement runs by the index that the comment above it names, beside 400,000 calls: for small accounts and for a
 * huge one, and for generic plans of prepared statements. What runs is what the storage contract asks for.
 */
import { assert, it } from "@effect/vitest"
import { Ids, Storage } from "@outdial/core"
import { Migrations, SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { StorageContract } from "@outdial/testkit/contracts"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll } from "vitest"
import * as ManyCalls from "../support/plans/ManyCalls.ts"
import * as Plans from "../support/plans/Plans.ts"
import * as Recorder from "../support/plans/Recorder.ts"
import * as SourceStatements from "../support/plans/SourceStatements.ts"
import * as Postgres from "../support/postgres.ts"

/** A table with fewer rows is as well read from end to end. */
const smallTable = 400

/** Maximum cost of a statement: counting the dials of a day. Reading the huge account costs far more. */
const costMost = 5000

/**
 * Statements that are asked for more: all that a claim looks at; a set of a thousand rows, each with a look at what it belongs to; the
 * calls of many days.
 */
const costMostOf: Readonly<Record<string, number>> = {
  "dispatch/ClaimCandidates.ts": 10_000,
  "privacy/Retention.ts": 10_000,
  "account/UsageStore.ts": 500_000,
  // Counts the waiting calls of every lane by the index alone; the planner expects a hundred lanes and as many calls in each as may be.
  "overview/OverviewStore.ts": 5_000_000
}

const database = ManagedRuntime.make(
  Layer.effectDiscard(ManyCalls.fill).pipe(
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(Postgres.layerEmpty)
  )
)
beforeAll(() => database.context(), 300_000)
afterAll(() => database.dispose())

const log: Recorder.Log = new Map()
const recorded = SqlStorage.layer.pipe(
  Layer.provide(Recorder.layer(log)),
  Layer.provide(Layer.effectContext(Effect.promise(() => database.context())))
)

StorageContract.contract("Postgres, beside 400,000 calls", recorded, {
  // Where so many wait they are not counted to the last one.
  except: ["counts queued calls, live calls and pending deliveries of all accounts together"]
})

// What the contract leaves out: what concerns everybody, and lists that it has no need of.
it.effect("the rest is run, too", () =>
  Effect.gen(function*() {
    const storage = yield* Storage.Storage
    yield* storage.accounts.updateDeployment({ paused: true })
    assert.isTrue((yield* storage.accounts.getDeployment).paused)
    yield* storage.accounts.updateDeployment({ paused: false })
    assert.isTrue(Option.isSome(yield* storage.work.nextDueAt({})))
    const sending = yield* storage.deliveries.list({
      accountId: ManyCalls.hugeAccount,
      filter: { states: ["sending"] },
      page: { limit: 10, after: Option.none() }
    })
    assert.isNotEmpty(sending.items)
    const ofAgent = yield* storage.calls.list({
      accountId: ManyCalls.hugeAccount,
      filter: { agentId: ManyCalls.agent, statuses: ["completed", "in_progress"] },
      page: { limit: 10, after: Option.none() }
    })
    assert.isNotEmpty(ofAgent.items)
    const tests = yield* storage.calls.list({
      accountId: ManyCalls.hugeAccount,
      filter: { test: true, statuses: ["completed"] },
      page: { limit: 10, after: Option.none() }
    })
    assert.isNotEmpty(tests.items)
  }).pipe(Effect.provide(recorded)))

/**
 * Of tables and indexes, for a list that finds little or nothing: some for each stage, and some for each row of the page; where two
 * lists are looked into in turn, some for each turn.
 */
const pagesMost = 1_500

it.effect("a page of a list reads few rows, also if it is empty", () =>
  Effect.gen(function*() {
    const asked: Recorder.Log = new Map()
    const storage = yield* Storage.Storage.pipe(
      Effect.provide(SqlStorage.layer.pipe(
        Layer.provide(Recorder.layer(asked)),
        Layer.provide(Layer.effectContext(Effect.promise(() => database.context())))
      ))
    )
    const { hugeAccount: accountId } = ManyCalls
    const page = { limit: 20, after: Option.none() }
    const agentId = Factories.agentId()
    const rare = ["in_progress", "canceled"] as const
    // How the ids of all calls begin.
    const callId = Ids.CallId.make("call_0")
    const filters: ReadonlyArray<Storage.CallFilter> = [
      {},
      { agentId },
      { agentId, statuses: ["completed"] },
      { agentId: ManyCalls.agent, statuses: ["canceled"] },
      { agentId: ManyCalls.seldomAgent, statuses: ["completed"] },
      { test: true, statuses: ["completed"] },
      { statuses: rare },
      { phoneNumber: Factories.phoneNumber(), agentId: ManyCalls.agent },
      { statuses: rare, createdBefore: Factories.at(-365 * 86_400) },
      // The rest of what the console's list of calls offers.
      { test: false },
      { test: false, agentId: ManyCalls.seldomAgent, statuses: ["completed"] },
      { externalId: "none" },
      { externalId: "none", statuses: rare },
      { batchId: Ids.BatchId.make("batch_0") },
      { batchId: Ids.BatchId.make("batch_0"), statuses: ["completed"], test: false },
      { createdAfter: Factories.at(365 * 86_400) },
      { createdAfter: Factories.at(-10 * 86_400), createdBefore: Factories.at(-9 * 86_400) },
      { agentId: ManyCalls.agent, createdBefore: Factories.at(-365 * 86_400) }
    ]
    // Also far down the list.
    const deep = { limit: 20, after: Option.some({ createdAt: Factories.at(-20 * 86_400), id: "call_" }) }
    for (const filter of filters) {
      yield* storage.calls.list({ accountId, filter, page })
      yield* storage.calls.list({ accountId, filter, page: deep })
    }
    yield* storage.events.list({ accountId, filter: { callId }, page })
    yield* storage.events.list({ accountId, filter: { type: "call.dialing" }, page })
    yield* storage.deliveries.list({ accountId, filter: { callId }, page })
    yield* storage.deliveries.list({ accountId, filter: { states: ["held"] }, page })
    for (const { samples, text } of asked.values()) {
      for (const sample of samples) {
        const pages = yield* Effect.promise(() => database.runPromise(Plans.pagesFor(text, sample)))
        assert.isAtMost(pages, pagesMost, `${text}\n${JSON.stringify(sample)}`)
      }
    }
  }))

const control = /^\s*(?:begin|commit|rollback|savepoint|release)\b/iu

/** The sample with the huge account in place of its own. */
const ofHugeAccount = (values: ReadonlyArray<unknown>) =>
  values.map((value) => typeof value === "string" && value.startsWith("acct_") ? ManyCalls.hugeAccount : value)

/** Reads no rows. */
const isEmpty = (values: ReadonlyArray<unknown>) => values.some((value) => Array.isArray(value) && value.length === 0)

const plansOf = Effect.fnUntraced(function*({ prepared, samples, text }: Recorder.Recorded) {
  const values = samples.filter((sample) => !isEmpty(sample)).flatMap((sample) => [sample, ofHugeAccount(sample)])
  const plans = yield* Effect.forEach(values, (sample) => Plans.forValues(text, sample))
  return prepared ? [...plans, yield* Plans.forAnyValues(text, samples[0]?.length ?? 0)] : plans
})

const catalog = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string; readonly isSmall: boolean }>`
    select c.relname as name, c.reltuples < ${smallTable}::int as "isSmall"
    from pg_class as c
    where c.relkind = 'r'`
  const unique = yield* sql<{ readonly table: string; readonly name: string }>`
    select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name
    from pg_index as i
    where i.indisunique`
  return {
    tables: new Set(tables.map(({ name }) => name)),
    small: new Set(tables.flatMap(({ isSmall, name }) => isSmall ? [name] : [])),
    unique
  }
})

/** What reads every account joins by primary keys or whole tables, as the tables' statistics have it. */
const isJoin = ({ isOfEveryAccount }: SourceStatements.Template, index: string) =>
  isOfEveryAccount && index === SourceStatements.primaryKey

/** What is wrong with the plans of the statements, and with what the comments say of them. */
const faults = Effect.gen(function*() {
  const { small, tables, unique } = yield* catalog
  const templates = SourceStatements.read()
  const found = new Set<string>()
  const served = new Map<SourceStatements.Template, Set<string>>()
  for (const statement of log.values()) {
    if (control.test(statement.text)) continue
    const wholes = SourceStatements.wholesOf(templates, statement.text)
    const [whole] = wholes
    if (whole === undefined) {
      found.add(`is not in the source: ${statement.text}`)
      continue
    }
    const made = [...wholes, ...SourceStatements.partsOf(templates, whole, statement.text)]
    const named = new Set(made.flatMap(({ indexes }) => [...indexes]))
    const fault = (what: string) => found.add(`${whole.file}:${whole.line} ${what}`)
    for (const plan of yield* plansOf(statement)) {
      if (!made.some(({ isOfEveryAccount }) => isOfEveryAccount)) {
        plan.scanned.filter((table) => !small.has(table)).forEach((table) => fault(`reads all of ${table}`))
        if (plan.cost > (costMostOf[whole.file] ?? costMost)) fault(`costs ${plan.cost}`)
      }
      const used = plan.indexes.filter((index) => !index.startsWith("pg_")).map(nameOf)
      used.filter((index) => !named.has(index) && !made.some((template) => isJoin(template, index)))
        .forEach((index) => fault(`uses ${index}, which no comment names`))
      const asked = unique.filter(({ table }) => plan.inserted.includes(table)).map(({ name }) => nameOf(name))
      made.forEach((template) => served.set(template, new Set([...served.get(template) ?? [], ...used, ...asked])))
    }
  }
  for (const [template, used] of served) {
    const { file, indexes, line } = template
    indexes.forEach((index) =>
      used.has(index) || tables.has(index) || isJoin(template, index) ||
      found.add(`${file}:${line} names ${index}, which no plan uses`)
    )
  }
  templates.filter((template) => template.indexes.size > 0 && !served.has(template))
    .forEach(({ file, line }) => found.add(`${file}:${line} was not run`))
  return [...found].sort()
})

const nameOf = (index: string) => index.endsWith("_pkey") ? SourceStatements.primaryKey : index

it("every statement is planned by the indexes that its comment names", async () => {
  assert.deepStrictEqual(await database.runPromise(faults), [])
}, 120_000)
