/** Claiming due calls. Locks the account first and looks later, so that two claims never give out the same line. */
import { type Account, type Call, CallLife, type Event, type Ids, Limits, type Storage } from "@outdial/core"
import { DateTime, Effect } from "effect"
import * as AgentsSql from "./AgentsSql.ts"
import * as CallRows from "./CallRows.ts"
import type { CallWrites } from "./CallWrites.ts"
import type { Database } from "./Database.ts"
import * as Rows from "./Rows.ts"

/** Candidates beyond the free lines in the first page: as many as may be held or ended without a second one. */
const spare = 8

/** Where a page of candidates starts: behind the last one of the page before. */
interface Cursor {
  readonly priority: number
  readonly dueAt: string
  readonly id: string
}

const first: Cursor = { priority: 0, dueAt: "-infinity", id: "" }

/** What stands about the account once it is locked. */
interface Standing {
  readonly account: Account.Account
  readonly deploymentPaused: boolean
  readonly freeLines: number
}

export const make = (database: Database, writes: CallWrites): Pick<Storage.Storage["Service"], "claimDue"> => {
  const { sql, transaction } = database

  const lockAccount = (id: Ids.AccountId) =>
    // Index: primary key. One claim of an account at a time; the loser does not wait, it has nothing to add.
    Effect.map(
      sql`
        select a.id
        from outdial_accounts as a
        where a.id = ${id}
        for no key update skip locked`,
      (rows) => rows.length > 0
    )

  const look = (id: Ids.AccountId) =>
    // Indexes: primary keys; outdial_calls_lines for the lines in use. Nobody else can take a line, and whoever changes
    // the account waits for the lock. A pause of the deployment may pass by, and is met at the fence.
    Effect.map(
      sql<Rows.AccountRow & { readonly deployment_paused: boolean; readonly lines_in_use: number }>`
        select a.*, g.paused, g.epoch, d.paused as deployment_paused, (
          select count(*)::int
          from outdial_calls as c
          where c.account_id = a.id
            and c.status in ('dialing', 'in_progress')
        ) as lines_in_use
        from outdial_accounts as a
        join outdial_gates as g on g.account_id = a.id
        cross join outdial_deployment as d
        where a.id = ${id}`,
      ([row]): Standing | undefined =>
        row && {
          account: Rows.toAccount(row),
          deploymentPaused: row.deployment_paused,
          freeLines: row.lines - row.lines_in_use
        }
    )

  const candidates = (options: Storage.ClaimOptions, after: Cursor, limit: number) =>
    // Index: outdial_calls_due, in its order. A row that somebody else holds is on its way out of the queue.
    sql<CallRows.CallRow>`
      select c.*
      from outdial_calls as c
      where c.account_id = ${options.accountId}
        and c.status = 'queued'
        and c.priority = ${after.priority}
        and c.due_at <= ${DateTime.toDateUtc(options.now)}
        and (c.due_at, c.id) > (${after.dueAt}::timestamptz, ${after.id})
      order by c.due_at, c.id
      limit ${limit}
      for no key update skip locked`

  const claim = Effect.fnUntraced(function*(options: Storage.ClaimOptions) {
    if (!(yield* lockAccount(options.accountId))) return nothing
    const standing = yield* look(options.accountId)
    if (standing === undefined) return nothing
    const round = makeRound(options, standing)
    let cursor = first
    let size = Math.max(1, Math.min(options.limit, standing.freeLines)) + spare
    for (let left = Limits.claimCandidates; left > 0 && !round.isOver();) {
      const limit = Math.min(size, left)
      const page = yield* candidates(options, cursor, limit)
      const calls = page.map(CallRows.toCall)
      round.decide(calls)
      left -= calls.length
      const last = calls[calls.length - 1]
      if (last !== undefined && calls.length === limit) {
        cursor = { priority: cursor.priority, dueAt: DateTime.formatIso(last.dueAt), id: last.id }
        size *= 2
      } else if (cursor.priority === first.priority) cursor = { ...first, priority: 1 }
      else break
    }
    yield* writes.save({ accountId: options.accountId, changes: round.changes, events: options.events })
    const dialing = round.changes.map(({ after }) => after).filter((call) => call.status === "dialing")
    return {
      claimed: yield* AgentsSql.withAgents(database, options.accountId, dialing),
      moved: round.changes.length - dialing.length
    }
  })

  return { claimDue: Effect.fn("Storage.claimDue")((options) => transaction(claim(options))) }
}

const nothing: Storage.ClaimResult = { claimed: [], moved: 0 }

/** Decides candidates in their order, each with the lines that those before it have left. */
const makeRound = (options: Storage.ClaimOptions, { account, deploymentPaused, freeLines }: Standing) => {
  const changes: Array<Event.CallChange> = []
  const terms = { now: options.now, token: options.token, epoch: account.epoch }
  let free = freeLines
  let claimed = 0
  let blocked = false

  const decideOne = (before: Call.CallRecord) => {
    const decision = options.decide(before, { now: options.now, account, deploymentPaused, freeLines: free })
    // No line, or a pause: what stands behind it would wait for the same.
    if (decision._tag === "wait") blocked = true
    const after = CallLife.decided(before, decision, terms)
    if (after === undefined) return
    changes.push({ before, after })
    if (after.status !== "dialing") return
    claimed += 1
    free -= 1
  }
  const isOver = () => blocked || claimed >= options.limit

  return {
    changes,
    isOver,
    decide: (calls: ReadonlyArray<Call.CallRecord>) => {
      for (const call of calls) if (!isOver()) decideOne(call)
    }
  }
}
