/** Claiming a hundred calls at a time, while ten thousand, a million or ten million wait. */
import { DialDecision, EventBodies, Lane } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect } from "effect"
import * as Measurement from "../Measurement.ts"
import * as Peers from "../Peers.ts"
import * as Pgbench from "../Pgbench.ts"
import * as Fixture from "../Fixture.ts"

const claims = 40
const limit = 100

const zone = "America/Los_Angeles"

/** The real rules, in one zone. */
const rules = DialDecision.make({
  offset: () => ({ offsetMs: 0, until: Number.MAX_SAFE_INTEGER }),
  originOf: () => ({ country: "US", isValid: true }),
  zonesOf: () => [zone]
})

/** Queues so many calls for the accounts, in one lane. */
const fill = Effect.fnUntraced(function*({ sql }: Fixture.Fixture, accountId: string, waiting: number) {
  const now = DateTime.toDateUtc(yield* DateTime.now)
  yield* sql`set statement_timeout = 0`
  yield* sql`
    insert into outdial_call_requests (
      account_id, id, agent_id, agent_version, batch_id, batch_index, test, phone_number, contact, variables, metadata,
      created_at
    )
    select ${accountId}, 'call_' || lpad(n::text, 26, '0'), a.id, 1, 'batch_' || n / 1000, n % 1000, false,
      '+1' || (2000000000 + n), '{"name":"Grace Hopper"}', '{"topic":"your visit on Tuesday","visits":3,"urgent":true}',
      '{"campaign":"spring","order":{"id":123456,"lines":["a","b"]}}', ${now}
    from generate_series(1, ${waiting}::int) as n, (
      select id from outdial_agents limit 1
    ) as a`.unprepared
  yield* sql`
    insert into outdial_calls (
      account_id, id, priority, test, phone_number, status, created_at, lane, due_at, expires_at, unavailable_count,
      has_recording, outcome_state
    )
    select ${accountId}, 'call_' || lpad(n::text, 26, '0'), 1, false, '+1' || (2000000000 + n), 'queued', ${now},
      ${Lane.make({ planVersion: 1, timeZones: [zone] })}, ${now}::timestamptz - interval '1 day' + n * interval '1 ms',
      ${now}::timestamptz + interval '7 days', 0, false, 'none'
    from generate_series(1, ${waiting}::int) as n`.unprepared
})

const beside = Effect.fnUntraced(function*(size: string, waiting: number) {
  const fixture = yield* Fixture.make(`bench_claims_${size}`)
  const { sql, storage } = fixture
  const [account] = yield* Fixture.accounts(fixture, 1)
  const accountId = account?.accountId ?? Factories.accountId()
  yield* fill(fixture, accountId, waiting)
  yield* fill(fixture, `acct_${"0".repeat(26)}`, waiting)
  yield* sql`analyze outdial_calls`.unprepared
  const peer = yield* Peers.start("pgBoss", fixture.name)
  // The peer's own way to fill its queue is one insert for each thousand: enough of it to claim from.
  yield* peer("fill", Math.min(waiting, 100_000))

  const claim = Effect.gen(function*() {
    const now = yield* DateTime.now
    yield* storage.dispatch.claimDue({
      carrier: Factories.carrier,
      accountId,
      now,
      limit,
      token: Factories.token(),
      rules,
      events: EventBodies.eventWriter(now)
    })
  })
  const givenBack = sql`
    update outdial_calls
    set status = 'queued', claim_token = null, claim_epoch = null, lease_until = null, dial_by = null, dialed_at = null
    where stage = 'live'`
  const ours = Effect.gen(function*() {
    const elapsed = yield* Measurement.timed(Effect.repeat(claim, { times: claims - 1 }))
    yield* givenBack
    return [Measurement.perSecond(claims * limit, elapsed)]
  })
  const pgbench = yield* Pgbench.contender(fixture, {
    label: "pgbench, the rows claimed by 100",
    script: "claim100",
    rows: limit,
    clients: 1,
    until: { transactions: claims }
  })
  return yield* Measurement.measured({
    figures: [{ name: `claims-${size}`, unit: "calls/s", better: "more" }],
    ours: () => ours,
    peers: [
      ...pgbench.map(({ label, run }) => ({ label, run: () => Effect.tap(run(), givenBack) })),
      {
        label: `${Peers.labelOf("pgBoss")}, fetched by 100`,
        run: () => Effect.map(peer("claims", claims * limit), (pace) => [Number(pace)])
      }
    ],
    first: claims * limit,
    most: claims * limit
  })
})

export const claims10k = beside("10k", 10_000)
export const claims1m = beside("1m", 1_000_000)
export const claims10m = beside("10m", 10_000_000)
