/** The state of carriers: a row for each, which the nodes update in short statements. */
import { type Carrier, type CarrierReason, CarrierSlots, type Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import type { Database } from "../database/Database.ts"

interface SlotsRow {
  readonly slots_taken_at: Date | null
  readonly slots_taken: number
  readonly is_taken: boolean
}

export const make = ({ sql, statement }: Database): Storage.CarrierStore["Service"] => {
  /** Takes slots if they are free, and returns the last ones that were taken. */
  const take = ({ callsPerSecond, carrier, now }: Storage.TakeSlotsOptions, count: number) =>
    // No index: the table has a row for each carrier. Same as `CarrierSlots.freeAt`. A concurrent statement waits for the row and then finds
    // the slots taken. The commit need not be flushed: slots that a crash of the database gives back are long used up when it answers again.
    sql<SlotsRow>`
      with taken as (
        update outdial_carriers as k
        set calls_per_second = ${callsPerSecond}::float8,
          slots_taken_at = ${DateTime.toDateUtc(now)}::timestamptz,
          slots_taken = ${count}::int
        where k.name = ${carrier}
          and (
            k.slots_taken_at is null
            or k.slots_taken_at > ${DateTime.toDateUtc(DateTime.addDuration(now, Limits.clockUncertainty))}
            or k.slots_taken_at + ceil(k.slots_taken * 1000 / ${callsPerSecond}::float8) * interval '1 ms'
              <= ${DateTime.toDateUtc(now)}
          )
        returning k.slots_taken_at, k.slots_taken
      )
      select t.slots_taken_at, t.slots_taken, true as is_taken, set_config('synchronous_commit', 'off', true)
      from taken as t
      union all
      select k.slots_taken_at, k.slots_taken, false, null
      from outdial_carriers as k
      where k.name = ${carrier}
        and not exists (select from taken)`

  const add = (carrier: Ids.CarrierName) =>
    // Index: primary key. Once for a carrier.
    sql`
      insert into outdial_carriers (name)
      values (${carrier})
      on conflict (name) do nothing`

  const takeSlots = Effect.fnUntraced(function*(options: Storage.TakeSlotsOptions) {
    const { callsPerSecond, carrier, now } = options
    const count = CarrierSlots.most(callsPerSecond)
    let [row] = yield* take(options, count)
    if (row === undefined) {
      yield* add(carrier)
      row = (yield* take(options, count))[0]
    }
    const last = row === undefined ? undefined : toTakenSlots(row)
    return { taken: row?.is_taken === true ? count : 0, freeAt: CarrierSlots.freeAt(last, callsPerSecond, now) }
  })

  return {
    takeSlots: Effect.fn("CarrierStore.takeSlots")((options) => statement(takeSlots(options))),

    returnSlots: Effect.fn("CarrierStore.returnSlots")(({ carrier, takenAt, unused }) =>
      // No index: the table has a row for each carrier. Not flushed, as above.
      Effect.asVoid(statement(sql`
        with returned as (
          update outdial_carriers as k
          set slots_taken = greatest(0, k.slots_taken - ${unused}::int)
          where k.name = ${carrier}
            and k.slots_taken_at = ${DateTime.toDateUtc(takenAt)}
          returning k.name
        )
        select set_config('synchronous_commit', 'off', true)
        from returned`))
    ),

    list: Effect.map(
      // No index: the table has a row for each carrier.
      statement(sql<CarrierRow>`
        select k.name, k.paused_at, k.paused_by, k.pause_reason, k.checked_at
        from outdial_carriers as k
        order by k.name`),
      (rows) => rows.map(toCarrier)
    ),

    pause: Effect.fn("CarrierStore.pause")(({ by, carrier, now, reason }) => {
      const at = DateTime.toDateUtc(now)
      // Index: primary key. Same as `CarrierPauses.paused`.
      return Effect.map(
        statement(sql`
          insert into outdial_carriers as k (name, paused_at, paused_by, pause_reason, checked_at)
          values (
            ${carrier}, ${at}, ${by}, ${reason === undefined ? null : JSON.stringify(reason)}::json,
            ${by === "fault" ? at : null}::timestamptz
          )
          on conflict (name) do update
          set paused_at = excluded.paused_at,
            paused_by = excluded.paused_by,
            pause_reason = excluded.pause_reason,
            checked_at = excluded.checked_at
          where k.paused_at is null
            or (k.paused_by = 'fault' and excluded.paused_by = 'operator')
          returning k.name`),
        (rows) => rows.length > 0
      )
    }),

    resume: Effect.fn("CarrierStore.resume")(({ by, carrier }) =>
      // No index: the table has a row for each carrier.
      Effect.map(
        statement(sql`
          update outdial_carriers
          set paused_at = null,
            paused_by = null,
            pause_reason = null,
            checked_at = null
          where name = ${carrier}
            and paused_at is not null
            ${by === undefined ? sql`` : sql`and paused_by = ${by}`}
          returning name`),
        (rows) => rows.length > 0
      )
    ),

    claimCheck: Effect.fn("CarrierStore.claimCheck")(({ carrier, every, now }) =>
      // No index: the table has a row for each carrier. Same as `CarrierPauses.isCheckDue`. A concurrent statement waits for the row, and
      // then finds that the check is not due.
      Effect.map(
        statement(sql`
          update outdial_carriers
          set checked_at = ${DateTime.toDateUtc(now)}
          where name = ${carrier}
            and paused_by = 'fault'
            and (
              coalesce(checked_at, paused_at) <= ${DateTime.toDateUtc(DateTime.subtractDuration(now, every))}
              or coalesce(checked_at, paused_at) > ${
          DateTime.toDateUtc(DateTime.addDuration(now, Limits.clockUncertainty))
        }
            )
          returning name`),
        (rows) => rows.length > 0
      )
    )
  }
}

interface CarrierRow {
  readonly name: Ids.CarrierName
  readonly paused_at: Date | null
  readonly paused_by: Carrier.CarrierPause["by"] | null
  readonly pause_reason: CarrierReason.CarrierReason | null
  readonly checked_at: Date | null
}

const toCarrier = ({ checked_at, name, pause_reason, paused_at, paused_by }: CarrierRow): Carrier.Carrier => ({
  name,
  ...(paused_at !== null && paused_by !== null && {
    pause: {
      at: DateTime.fromDateUnsafe(paused_at),
      by: paused_by,
      ...(pause_reason !== null && { reason: pause_reason }),
      ...(checked_at !== null && { checkedAt: DateTime.fromDateUnsafe(checked_at) })
    }
  })
})

const toTakenSlots = ({ slots_taken, slots_taken_at }: SlotsRow): Storage.TakenSlots | undefined =>
  slots_taken_at === null ? undefined : { at: DateTime.fromDateUnsafe(slots_taken_at), count: slots_taken }
