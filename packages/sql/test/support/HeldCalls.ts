/** The cost of a long queue whose calls are all held: the cases, for any size of the queue. */
import { assert } from "@effect/vitest"
import { DialDecision, EventBodies, Ids, Lane, Limits, PhoneNumber, type Policy, type Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Option, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import * as Account from "./Account.ts"

/** How many lanes the calls wait in. */
export const laneCount = 40

const zoneOf = (phoneNumber: string) => `Zone/${Number(phoneNumber) % laneCount}`

/** More lines than any test needs. */
const lines = 10_000

const hour = 3600

/** Open from 09:00 to 12:00 on Monday and Tuesday; `Factories.start` is 10:00 on a Monday. */
const morning: Policy.PolicyDocument = {
  ...Factories.openPolicy,
  callingHours: { mon: [{ start: "09:00", end: "12:00" }], tue: [{ start: "09:00", end: "12:00" }] }
}

export type Queue = Effect.Success<ReturnType<typeof make>>

/** An account with so many queued calls, due since `Factories.start` and spread over the lanes. */
export const make = Effect.fnUntraced(function*(options: { readonly calls: number; readonly lanes?: number }) {
  const sql = yield* SqlClient.SqlClient
  const { events, id, storage } = yield* Account.make(lines)
  const [agent] = yield* storage.agents.list(id)
  const { planVersion } = Option.getOrThrow(yield* storage.accounts.get(id))
  // As `CallWriter.add` would, but in one statement for all of them.
  yield* sql`
    insert into outdial_calls (
      account_id, id, priority, test, phone_number, status,
      created_at, lane, due_at, expires_at, unavailable_count, has_recording, outcome_state
    )
    select
      ${id}, 'call_' || lpad(n::text, 26, '0'), 0, false, '+' || (14150000000 + n), 'queued', ${
    DateTime.toDateUtc(Factories.start)
  },
      ${planVersion}::int || '|Zone/' || (14150000000 + n) % ${options.lanes ?? laneCount}::int || '|',
      ${DateTime.toDateUtc(Factories.start)}, ${DateTime.toDateUtc(Factories.at(100 * 24 * hour))}, 0, false, 'none'
    from generate_series(1, ${options.calls}::int) as n`
  // Half of the callees were called before, in the two days until yesterday.
  yield* sql`
    insert into outdial_calls (
      account_id, id, priority, test, phone_number, status,
      created_at, lane, due_at, expires_at, unavailable_count, dialed_at, ended_at, has_recording, outcome_state
    )
    select
      c.account_id, c.id || '_before', 0, false, c.phone_number, 'no_answer', c.created_at,
      c.lane, c.due_at, c.expires_at, 0, ${DateTime.toDateUtc(Factories.at(-72 * hour))} + n * interval '1 second',
      ${DateTime.toDateUtc(Factories.start)}, false, 'none'
    from (select c.*, row_number() over () % ${
    2 * 24 * hour
  }::int as n from outdial_calls as c where c.account_id = ${id}) as c
    where n % 2 = 0`
  yield* sql`
    insert into outdial_call_requests (
      account_id, id, agent_id, agent_version, test, phone_number, contact, variables, metadata, created_at
    )
    select c.account_id, c.id, ${agent?.id ?? ""}, 1, c.test, c.phone_number, '{}', '{}', '{}', c.created_at
    from outdial_calls as c
    where c.account_id = ${id}`

  let judged = 0
  const real = DialDecision.make({
    offset: () => ({ offsetMs: 0, until: Number.MAX_SAFE_INTEGER }),
    originOf: () => ({ isValid: true }),
    zonesOf: ({ phoneNumber }) => [zoneOf(phoneNumber)]
  })
  const rules: DialDecision.DialRules = {
    ...real,
    decide: (call, facts) => {
      judged += 1
      return real.decide(call, facts)
    }
  }

  const claim = (seconds: number, limit = 100) => {
    const now = Factories.at(seconds)
    const [token, events] = [Factories.token(), EventBodies.eventWriter(now)]
    return Effect.map(
      storage.dispatch.claimDue({ accountId: id, carrier: Factories.carrier, now, limit, token, rules, events }),
      ({ claimed, moved }) => ({ token, moved, ids: claimed.map(({ call }) => call.id) })
    )
  }

  /** A round of the dispatcher: claims from due accounts. Returns how many calls it changed. */
  const round = (seconds: number) =>
    Effect.gen(function*() {
      const due = yield* storage.work.accountsDue({ kind: "dial", now: Factories.at(seconds), limit: 32 })
      if (!due.includes(id)) return 0
      const { ids, moved } = yield* claim(seconds)
      return ids.length + moved
    })

  /** The cost of the work: its statements, the calls that the rules decided on, the rows that it wrote by table. */
  const costOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.gen(function*() {
      const judgedBefore = judged
      const before = yield* rowsWritten
      const statements = yield* statementsOf(work)
      const after = yield* rowsWritten
      const written = Object.entries(after).map(([table, count]) => [table, count - (before[table] ?? 0)] as const)
      return {
        statements,
        judged: judged - judgedBefore,
        written: Object.fromEntries(written.filter(([, count]) => count > 0))
      }
    })

  return { id, storage, events, rules, claim, round, costOf, calls: options.calls, planVersion, agentId: agent?.id }
})

/** Rolls back what the test does to the queue; all work inside uses one connection. */
export const undone = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql.withTransaction(Effect.andThen(test, Effect.fail("undone" as const))).pipe(
      Effect.catchIf((error) => error === "undone", () => Effect.void)
    )
  })

/** Nothing, and no call is read, however often it is repeated. */
const atRest = Effect.fnUntraced(function*({ costOf, round }: Queue, seconds: number) {
  const rounds = Effect.forEach([0, 1, 2, 3, 4], (more) => round(seconds + more))
  assert.deepStrictEqual(yield* costOf(rounds), { statements: 5, judged: 0, written: {} })
})

export const cases: {
  readonly [name: string]: (queue: Queue) => Effect.Effect<void, unknown, SqlClient.SqlClient | Storage.Storage>
} = {
  "a daily limit that is used up is one row": Effect.fnUntraced(function*(queue) {
    const { claim, costOf, id, storage } = queue
    yield* storage.accounts.update(id, { policy: { ...Factories.openPolicy, dailyLimit: 3 } })
    yield* replanned(queue, 1)
    assert.lengthOf((yield* claim(1)).ids, 3)
    const noticing = yield* costOf(claim(2))
    assert.isAtMost(noticing.judged, 1)
    assert.deepStrictEqual(noticing.written, {})
    yield* atRest(queue, 3)
    assert.strictEqual(yield* queue.round(14 * hour - 1), 0)
    assert.strictEqual(yield* queue.round(14 * hour), 3)
  }),

  "a pause of the account is two rows": Effect.fnUntraced(function*(queue) {
    const { costOf, id, storage } = queue
    const pausing = yield* costOf(storage.accounts.update(id, { paused: true }))
    assert.deepStrictEqual(pausing.written, { outdial_accounts: 1, outdial_dial_switches: 1 })
    yield* atRest(queue, 1)
    assert.deepStrictEqual((yield* costOf(queue.claim(10))).written, {})
    yield* storage.accounts.update(id, { paused: false })
    assert.strictEqual(yield* queue.round(20), 100)
  }),

  "a pause of the deployment is one row": Effect.fnUntraced(function*(queue) {
    const { costOf, storage } = queue
    const pausing = yield* costOf(storage.accounts.updateDeployment({ paused: true }))
    assert.deepStrictEqual(pausing.written, { outdial_deployment: 1 })
    yield* atRest(queue, 1)
    yield* storage.accounts.updateDeployment({ paused: false })
    assert.strictEqual(yield* queue.round(20), 100)
  }),

  "calling hours that are over are one row for each lane": Effect.fnUntraced(function*(queue) {
    const { costOf, id, round, storage } = queue
    yield* storage.accounts.update(id, { policy: morning })
    yield* replanned(queue, 1)
    assert.strictEqual(yield* round(2), 100)
    const closing = yield* costOf(round(2 * hour))
    assert.strictEqual(closing.judged, 0)
    assert.deepStrictEqual(closing.written, { outdial_closed_lanes: laneCount })
    yield* atRest(queue, 2 * hour + 1)
    assert.strictEqual(yield* round(23 * hour - 1), 0)
    assert.strictEqual(yield* round(23 * hour), 100)
  }),

  "calls of another account are claimed meanwhile": Effect.fnUntraced(function*(queue) {
    const other = yield* Account.make()
    yield* other.start()
    yield* queue.storage.accounts.update(queue.id, { policy: { ...Factories.openPolicy, dailyLimit: 0 } })
    yield* queue.claim(0)
    const due = yield* queue.storage.work.accountsDue({ kind: "dial", now: Factories.start, limit: 32 })
    assert.include(due, other.id)
    assert.lengthOf((yield* other.claim(Factories.token())).claimed, 1)
  }),

  "a change of the policy plans them anew in sets": Effect.fnUntraced(function*(queue) {
    const sql = yield* SqlClient.SqlClient
    const { calls, costOf, id, planVersion, storage } = queue
    // All are held for long: the new policy may allow them sooner. One statement for all takes some time.
    yield* sql`set local statement_timeout = '60s'`
    yield* sql`
      update outdial_calls
      set due_at = ${DateTime.toDateUtc(Factories.at(50 * hour))}, status_code = 'recall_gap'
      where account_id = ${id} and status = 'queued'`
    yield* storage.accounts.update(id, { policy: { ...Factories.openPolicy, dailyLimit: 0 } })
    const { statements, written } = yield* costOf(replanned(queue, hour))
    assert.strictEqual(written["outdial_calls"], calls)
    // A handful for each set of a thousand, and one more set to see that it is done.
    assert.isAtMost(statements, (calls / 1000 + 1) * 16)
    const rows = yield* sql<{ readonly lane: Lane.Lane; readonly phone_number: string; readonly due_at: Date }>`
      select lane, phone_number, due_at from outdial_calls where account_id = ${id} and status = 'queued'`
    const expected = (phoneNumber: string) =>
      Lane.make({ planVersion: planVersion + 1, timeZones: [zoneOf(phoneNumber)] })
    const wrong = rows.filter(({ due_at, lane, phone_number }) =>
      lane !== expected(phone_number) || due_at.getTime() !== Factories.at(hour).epochMilliseconds
    )
    assert.deepStrictEqual(wrong, [])
    assert.lengthOf(rows, calls)
  }),

  "dialing after a change of the policy looks at a handful": Effect.fnUntraced(function*(queue) {
    const { claim, costOf, id, storage } = queue
    yield* storage.accounts.update(id, { policy: { ...Factories.openPolicy, callsPerSecond: 100 } })
    const { judged, written } = yield* costOf(Effect.map(claim(1, 5), ({ ids }) => assert.lengthOf(ids, 5)))
    assert.isAtMost(judged, 5)
    // Replanned, and of those the ones that are dialed.
    assert.isAtMost(written["outdial_calls"] ?? 0, 20)
  }),

  "those that are held do not starve those behind them": Effect.fnUntraced(function*(queue) {
    const sql = yield* SqlClient.SqlClient
    const { claim, id, storage } = queue
    const held = 1200
    // The first ones were dialed a minute ago.
    yield* sql`
      insert into outdial_calls (
        account_id, id, priority, test, phone_number, status,
        created_at, lane, due_at, expires_at, unavailable_count, dialed_at, ended_at, has_recording, outcome_state
      )
      select
        c.account_id, c.id || 'd', 0, false, c.phone_number, 'no_answer', c.created_at, c.lane,
        c.due_at, c.expires_at, 0, ${DateTime.toDateUtc(Factories.start)}, ${DateTime.toDateUtc(Factories.start)},
        false, 'none'
      from outdial_calls as c
      where c.account_id = ${id}
      order by c.id
      limit ${held}`
    yield* storage.accounts.update(id, { policy: { ...Factories.openPolicy, recallGapSeconds: hour } })
    yield* replanned(queue, 60)
    const claims = yield* Effect.forEach([1, 2, 3], (seconds) => claim(60 + seconds, 50))
    assert.isAtLeast(claims.flatMap(({ ids }) => ids).length, 50)
    assert.isAtMost(claims.reduce((sum, { moved }) => sum + moved, 0), held)
  }),

  "every step finds its calls by an index": Effect.fnUntraced(function*(queue) {
    const sql = yield* SqlClient.SqlClient
    const { claim, events, id, storage } = queue
    const numbers = Array.from(
      { length: 50 },
      (_, n) => PhoneNumber.PhoneNumber.make(`+${14150000000 + queue.calls - n}`)
    )
    const now = Factories.at(1)
    const entries = numbers.slice(0, 2).map((phoneNumber) => ({ phoneNumber, source: "api" as const, createdAt: now }))
    const erased = PhoneNumber.PhoneNumber.make("+14150000001")
    const { rules } = queue
    // Few, as on any day: if thousands of calls were live, the planner might read all.
    const few = claim(1, 5)
    let last: { readonly token: Ids.ClaimToken; readonly ids: ReadonlyArray<Ids.CallId> } = yield* few
    const claiming = Effect.map(few, (claimed) => {
      last = claimed
    })
    const steps: { readonly [name: string]: readonly [Effect.Effect<unknown, unknown>, ReadonlyArray<string>] } = {
      claim: [claiming, [
        "outdial_calls_due",
        "outdial_calls_lines",
        "outdial_calls_dialed",
        "outdial_calls_pkey",
        "outdial_calls_dials",
        "outdial_calls_one_queued"
      ]],
      accountsDue: [
        storage.work.accountsDue({ kind: "dial", now, limit: 32 }),
        ["outdial_calls_due", "outdial_calls_lines"]
      ],
      plans: [storage.work.accountsDue({ kind: "plan", now, limit: 32 }), ["outdial_calls_due"]],
      nextDueAt: [storage.work.nextDueAt({}), ["outdial_calls_due", "outdial_calls_expiry", "outdial_calls_lines"]],
      dialFacts: [
        storage.calls.dialFacts({ accountId: id, phoneNumbers: numbers, now, rules }),
        ["outdial_calls_one_queued", "outdial_calls_dials", "outdial_calls_lines", "outdial_calls_dialed"]
      ],
      submit: [
        Effect.suspend(() => storage.dispatch.submit({ accountId: id, callIds: last.ids, token: last.token, now })),
        ["outdial_calls_pkey"]
      ],
      returnToQueue: [
        Effect.suspend(() =>
          storage.dispatch.returnToQueue({
            accountId: id,
            callIds: last.ids,
            token: last.token,
            now,
            reason: "carrier_unavailable",
            events
          })
        ),
        ["outdial_calls_pkey", "outdial_calls_one_queued"]
      ],
      report: [
        Effect.suspend(() =>
          storage.dispatch.report({
            accountId: id,
            now,
            reports: last.ids.map((callId) => ({
              callId,
              event: { _tag: "Ended", at: now, result: "busy", transcript: [], recorded: false }
            })),
            events
          })
        ),
        ["outdial_calls_pkey"]
      ],
      doNotCall: [storage.doNotCall.add({ accountId: id, entries, now, events }), ["outdial_calls_one_queued"]],
      expiry: [storage.dispatch.expireCalls({ accountId: id, now, limit: 100, rules, events }), [
        "outdial_calls_expiry"
      ]],
      usage: [
        storage.usage.read({
          accountId: id,
          days: [{ day: "2026-02-27", from: Factories.at(-72 * hour), until: Factories.at(-71 * hour) }]
        }),
        ["outdial_calls_dialed"]
      ],
      toErase: [
        storage.privacy.callsToErase({ accountId: id, phoneNumber: erased, until: now, limit: 100 }),
        ["outdial_call_requests_number", "outdial_calls_pkey"]
      ],
      oldCalls: [storage.privacy.oldCalls({ accountId: id, before: Factories.at(-1), limit: 9 }), [
        "outdial_calls_stage"
      ]],
      oldTranscripts: [storage.privacy.oldTranscripts({ accountId: id, before: now, limit: 200 }), [
        "outdial_calls_stage"
      ]]
    }
    for (const hasStatistics of [false, true]) {
      if (hasStatistics) yield* sql`analyze outdial_calls, outdial_call_requests`
      for (const [name, [step, indexes]] of Object.entries(steps)) {
        // Often enough for the database to keep a generic plan.
        for (let times = 0; times < 7; times++) {
          const before = yield* scans
          const readBefore = yield* rowsRead
          yield* step
          const after = yield* scans
          const read = ((yield* rowsRead)["outdial_calls"] ?? 0) - (readBefore["outdial_calls"] ?? 0)
          assert.isBelow(read, queue.calls / 10, `${name} reads too many calls`)
          const used = Object.keys(after).filter((key) => (after[key] ?? 0) > (before[key] ?? 0))
          assert.notInclude(used, "outdial_calls", `${name} reads all calls`)
          const missing = indexes.filter((names) => !names.split("|").some((index) => used.includes(index)))
          assert.deepStrictEqual(missing, [], name)
          if (name === "submit" || name === "returnToQueue" || name === "report") yield* claiming
        }
      }
    }
  })
}

/** Replans until no call has the old plan. */
const replanned = Effect.fnUntraced(function*({ events, id, rules, storage }: Queue, seconds: number) {
  const now = Factories.at(seconds)
  for (;;) {
    const planned = yield* storage.dispatch.replanCalls({
      accountId: id,
      now,
      limit: Limits.replannedCalls,
      rules,
      events
    })
    if (planned === 0) return
  }
})

const counts = Effect.fnUntraced(function*(column: "written" | "read" | "scans") {
  const sql = yield* SqlClient.SqlClient
  // Of this transaction; a table counts full scans, an index its own.
  const rows = yield* sql<
    { readonly name: string; readonly written: number; readonly read: number; readonly scans: number }
  >`
    select
      c.relname as name,
      case when c.relkind = 'r' then (
        pg_stat_get_xact_tuples_inserted(c.oid) + pg_stat_get_xact_tuples_updated(c.oid)
          + pg_stat_get_xact_tuples_deleted(c.oid)
      ) else 0 end::int as written,
      (pg_stat_get_xact_tuples_returned(c.oid) + pg_stat_get_xact_tuples_fetched(c.oid))::int as read,
      pg_stat_get_xact_numscans(c.oid)::int as scans
    from pg_class as c
    where c.relname like 'outdial_%' and c.relkind in ('r', 'i')`
  return Object.fromEntries(rows.map((row): readonly [string, number] => [row.name, row[column]]))
})

const rowsWritten = counts("written")
const rowsRead = counts("read")
const scans = counts("scans")

/** How many statements the effect runs. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  let statements = 0
  const tracer = Tracer.make({
    span: (options) => {
      if (options.kind === "client") statements += 1
      return new Tracer.NativeSpan(options)
    }
  })
  return Effect.map(Effect.provideService(effect, Tracer.Tracer, tracer), () => statements)
}
