/** Accounts, and the switches that stop their dialing. */
import { HoldPeriods, type Ids, type Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Database } from "../database/Database.ts"
import * as Rows from "../database/Rows.ts"
import * as ClosedLanes from "../policy/ClosedLanes.ts"
import * as SharedPeriods from "../policy/SharedPeriods.ts"

const read = (sql: Database["sql"], id: Ids.AccountId) =>
  // Index: primary keys. A plain read.
  Effect.map(
    sql<Rows.AccountRow>`
      select a.*, g.paused, g.epoch
      from outdial_accounts as a
      join outdial_dial_switches as g on g.account_id = a.id
      where a.id = ${id}`,
    ([row]) => Option.map(Option.fromUndefinedOr(row), Rows.toAccount)
  )

const timeOf = ({ now }: Storage.ChangedAt) => now === undefined ? DateTime.now : Effect.succeed(now)

interface PeriodsRow extends Pick<Rows.AccountRow, "lines" | "paused"> {
  readonly hold_periods: SharedPeriods.PeriodRows
  readonly lines_in_use: number
}

/** What has held the account, and holds it since now by its settings; `undefined` when that is not new. */
const periodsAfter = Effect.fnUntraced(function*(
  sql: Database["sql"],
  { id, now, ...changes }: {
    readonly id: Ids.AccountId
    readonly now: DateTime.Utc
    readonly lines?: number | undefined
    readonly paused?: boolean | undefined
  }
) {
  // Index: primary key. Waits for a claim of the account, whose dials the next statement sees.
  yield* sql`
    select
    from outdial_accounts as a
    where a.id = ${id}
    for no key update`
  // Indexes: primary keys; outdial_calls_lines.
  const [row] = yield* sql<PeriodsRow>`
    select a.lines, a.hold_periods, g.paused, (
      select count(*)::int
      from outdial_calls as c
      where c.account_id = ${id}
        and c.stage = 'live'
    ) as lines_in_use
    from outdial_accounts as a
    join outdial_dial_switches as g on g.account_id = a.id
    where a.id = ${id}`
  const { lines = row?.lines, paused = row?.paused } = changes
  if (lines === undefined || paused === undefined) return undefined
  const before = SharedPeriods.toPeriods(row?.hold_periods ?? null)
  const periods = HoldPeriods.after(before, HoldPeriods.bySettings({ lines, paused }, row?.lines_in_use ?? 0), now)
  return periods === before ? undefined : periods
})

const asJson = (periods: HoldPeriods.HoldPeriods | undefined) => periods === undefined ? null : JSON.stringify(periods)

export const make = ({ sql, statement, transaction }: Database): Storage.AccountStore["Service"] => ({
  put: Effect.fn("AccountStore.put")((account, { ifExists = "replace", ...options } = {}) =>
    transaction(Effect.gen(function*() {
      if (ifExists === "keep") {
        // Index: primary key. The second of two writers waits for the first, and reads its row.
        const added = yield* sql`
          insert into outdial_accounts (id, name, lines, policy, plan_version, created_at)
          values (${account.id}, ${account.name}, ${account.lines}, '{}', 0, ${DateTime.toDateUtc(account.createdAt)})
          on conflict (id) do nothing
          returning id`
        if (added.length === 0) return Option.getOrThrow(yield* read(sql, account.id))
      }
      const now = yield* timeOf(options)
      const periods = yield* periodsAfter(sql, { ...account, now })
      // Index: primary key. Waits for a claim of the account, which holds this row.
      const [kept] = yield* sql<Pick<Rows.AccountRow, "created_at" | "erasure_key" | "plan_version">>`
        insert into outdial_accounts as a (id, name, lines, policy, plan_version, hold_periods, created_at)
        values (
          ${account.id}, ${account.name}, ${account.lines}, ${JSON.stringify(account.policy ?? {})}::json, 1, ${
        asJson(periods)
      }::json,
          ${DateTime.toDateUtc(account.createdAt)}
        )
        on conflict (id) do update
        set name = excluded.name,
          lines = excluded.lines,
          policy = excluded.policy,
          plan_version = a.plan_version + 1,
          blocked_until = null,
          day_started_at = null,
          hold_periods = coalesce(excluded.hold_periods, a.hold_periods)
        returning a.created_at, a.erasure_key, a.plan_version`
      // Index: primary key. Waits for submissions, which share this row; later submissions see the new value.
      const [switches] = yield* sql<Pick<Rows.AccountRow, "epoch">>`
        insert into outdial_dial_switches as g (account_id, paused, epoch)
        values (${account.id}, ${account.paused}, 1)
        on conflict (account_id) do update
        set paused = excluded.paused,
          epoch = g.epoch + 1
        returning g.epoch`
      yield* ClosedLanes.open(sql, account.id)
      if (kept === undefined || switches === undefined) return yield* Effect.die(new Error("An upsert returns its row"))
      return {
        ...account,
        epoch: switches.epoch,
        planVersion: kept.plan_version,
        createdAt: DateTime.fromDateUnsafe(kept.created_at),
        ...(kept.erasure_key !== null && { erasureKey: Rows.toSecret(kept.erasure_key) })
      }
    }))
  ),

  update: Effect.fn("AccountStore.update")((id, { lines, name, paused, policy }, options = {}) =>
    transaction(Effect.gen(function*() {
      const periods = yield* periodsAfter(sql, { id, now: yield* timeOf(options), lines, paused })
      // Index: primary key. Waits for a claim of the account, which holds this row. The reasons that held the account are
      // checked again, and its calls of today are counted again.
      const [row] = yield* sql<Omit<Rows.AccountRow, "epoch" | "paused">>`
        update outdial_accounts
        set name = coalesce(${name ?? null}::text, name),
          lines = coalesce(${lines ?? null}::int, lines),
          policy = coalesce(${policy === undefined ? null : JSON.stringify(policy)}::json, policy),
          plan_version = plan_version + ${policy === undefined ? 0 : 1}::int,
          blocked_until = null,
          day_started_at = null,
          hold_periods = coalesce(${asJson(periods)}::json, hold_periods)
        where id = ${id}
        returning *`
      // Index: primary key. Waits for submissions, which share this row; later submissions see the new value.
      const [switches] = yield* sql<Pick<Rows.AccountRow, "epoch" | "paused">>`
        update outdial_dial_switches
        set paused = coalesce(${paused ?? null}::boolean, paused),
          epoch = epoch + 1
        where account_id = ${id}
        returning paused, epoch`
      if (policy !== undefined) yield* ClosedLanes.open(sql, id)
      return row === undefined || switches === undefined
        ? Option.none()
        : Option.some(Rows.toAccount({ ...row, ...switches }))
    }))
  ),

  get: Effect.fn("AccountStore.get")((id) => statement(read(sql, id))),

  // No index: reads every account. Accounts are tenants, so they are few.
  list: statement(Effect.map(
    sql<Rows.AccountRow>`
      select a.*, g.paused, g.epoch
      from outdial_accounts as a
      join outdial_dial_switches as g on g.account_id = a.id
      order by a.created_at, a.id`,
    (rows) => rows.map(Rows.toAccount)
  )),

  updateDeployment: Effect.fn("AccountStore.updateDeployment")(({ paused }, options = {}) =>
    transaction(Effect.gen(function*() {
      const now = yield* timeOf(options)
      // The table has one row. Waits for submissions, which share it; later submissions see the new value.
      const [row] = yield* sql<{ readonly hold_periods: SharedPeriods.PeriodRows }>`
        select d.hold_periods
        from outdial_deployment as d
        for no key update`
      const hold = paused ? { code: "account_paused" as const } : undefined
      const periods = HoldPeriods.after(SharedPeriods.toPeriods(row?.hold_periods ?? null), hold, now)
      yield* sql`
        update outdial_deployment
        set paused = ${paused},
          hold_periods = ${asJson(periods)}::json`
    }))
  ),

  // The table has one row.
  getDeployment: statement(Effect.map(
    sql<{ readonly paused: boolean }>`select d.paused from outdial_deployment as d`,
    ([row]) => ({ paused: row?.paused === true })
  ))
})
