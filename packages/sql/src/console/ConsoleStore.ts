/** Links, sessions and the audit log of the console. The tables belong to no account. */
import { type AuditEntry, type ConsoleRole, ConsoleSession, type Ids, Storage } from "@outdial/core"
import { DateTime, Effect, Option } from "effect"
import type { Database } from "../database/Database.ts"
import * as Paging from "../database/Paging.ts"

interface SessionRow {
  readonly id: Ids.ConsoleSessionId
  readonly role: ConsoleRole.Role
  readonly name: string
  readonly account_id: Ids.AccountId | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly last_used_at: Date
}

interface LinkRow {
  readonly hash: string
  readonly role: ConsoleRole.Role
  readonly name: string
  readonly account_id: Ids.AccountId | null
  readonly created_at: Date
  readonly expires_at: Date
}

interface EntryRow {
  readonly id: Ids.AuditEntryId
  readonly created_at: Date
  readonly actor: string
  readonly role: ConsoleRole.Role
  readonly account_id: Ids.AccountId | null
  readonly action: string
  readonly target: string | null
  readonly status: number | null
  readonly details: AuditEntry.Details
}

const toSession = (row: SessionRow): ConsoleSession.ConsoleSession => ({
  id: row.id,
  role: row.role,
  name: row.name,
  ...(row.account_id !== null && { accountId: row.account_id }),
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  expiresAt: DateTime.fromDateUnsafe(row.expires_at),
  lastUsedAt: DateTime.fromDateUnsafe(row.last_used_at)
})

const toLink = (row: LinkRow): ConsoleSession.ConsoleLink => ({
  hash: row.hash,
  role: row.role,
  name: row.name,
  ...(row.account_id !== null && { accountId: row.account_id }),
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  expiresAt: DateTime.fromDateUnsafe(row.expires_at)
})

const toEntry = (row: EntryRow): AuditEntry.AuditEntry => ({
  id: row.id,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  actor: row.actor,
  role: row.role,
  ...(row.account_id !== null && { accountId: row.account_id }),
  action: row.action,
  ...(row.target !== null && { target: row.target }),
  ...(row.status !== null && { status: row.status }),
  details: row.details
})

const minuteOf = (now: DateTime.Utc) => DateTime.toDateUtc(DateTime.startOf(now, "minute"))

export const make = (database: Database): Storage.ConsoleStore["Service"] => {
  const { sql, statement } = database
  const paging = Paging.make(database, { alias: "a" })

  return {
    addLink: Effect.fn("ConsoleStore.addLink")(({ accountId, createdAt, expiresAt, hash, name, role }) =>
      // Index: primary key.
      Effect.asVoid(statement(sql`
        insert into outdial_console_links (hash, role, name, account_id, created_at, expires_at)
        values (
          ${hash}, ${role}, ${name}, ${accountId ?? null}, ${DateTime.toDateUtc(createdAt)},
          ${DateTime.toDateUtc(expiresAt)}
        )`))
    ),

    openLink: Effect.fn("ConsoleStore.openLink")(({ entryId, hash, now, session }) =>
      // Index: primary key. One statement: of two that open a link at once, the second waits for the row and finds it deleted.
      statement(Effect.map(
        sql<SessionRow>`
          with opened as (
            delete from outdial_console_links as l
            where l.hash = ${hash}
              and l.expires_at > ${DateTime.toDateUtc(now)}
            returning l.role, l.name, l.account_id
          ), logged as (
            insert into outdial_audit_log (id, created_at, actor, role, account_id, action, target, status, details)
            select ${entryId}, ${
          DateTime.toDateUtc(now)
        }::timestamptz, o.name, o.role, o.account_id, ${Storage.openAction},
              ${session.id}, 200, ${JSON.stringify({ link: ConsoleSession.linkId({ hash }) })}::json
            from opened as o
          )
          insert into outdial_console_sessions (
            id, hash, role, name, account_id, created_at, expires_at, last_used_at
          )
          select ${session.id}, ${session.hash}, o.role, o.name, o.account_id, ${DateTime.toDateUtc(now)}::timestamptz,
            ${DateTime.toDateUtc(session.expiresAt)}::timestamptz, ${minuteOf(now)}::timestamptz
          from opened as o
          returning *`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), toSession)
      ))
    ),

    listLinks: Effect.fn("ConsoleStore.listLinks")((now) =>
      // No index: the table has the links of ten minutes.
      statement(Effect.map(
        sql<LinkRow>`
          select l.*
          from outdial_console_links as l
          where l.expires_at > ${DateTime.toDateUtc(now)}
          order by l.created_at desc, l.hash desc`,
        (rows) => rows.map(toLink)
      ))
    ),

    revokeLink: Effect.fn("ConsoleStore.revokeLink")((hash) =>
      // Index: primary key.
      statement(Effect.map(
        sql`
          delete from outdial_console_links
          where hash = ${hash}
          returning hash`,
        (rows) => rows.length > 0
      ))
    ),

    useSession: Effect.fn("ConsoleStore.useSession")(({ hash, now }) =>
      // Unique index: outdial_console_sessions_hash; primary key for the write, at most once a minute.
      statement(Effect.map(
        sql<SessionRow>`
          with found as (
            select s.*
            from outdial_console_sessions as s
            where s.hash = ${hash}
              and s.expires_at > ${DateTime.toDateUtc(now)}
          ), used as (
            update outdial_console_sessions as s
            set last_used_at = ${minuteOf(now)}
            from found as f
            where s.id = f.id
              and f.last_used_at < ${minuteOf(now)}
          )
          select f.id, f.role, f.name, f.account_id, f.created_at, f.expires_at,
            greatest(f.last_used_at, ${minuteOf(now)}::timestamptz) as last_used_at
          from found as f`,
        ([row]) => Option.map(Option.fromUndefinedOr(row), toSession)
      ))
    ),

    listSessions: Effect.fn("ConsoleStore.listSessions")((now) =>
      // No index: the table has the sessions of half a day.
      statement(Effect.map(
        sql<SessionRow>`
          select s.*
          from outdial_console_sessions as s
          where s.expires_at > ${DateTime.toDateUtc(now)}
          order by s.created_at desc, s.id desc`,
        (rows) => rows.map(toSession)
      ))
    ),

    revokeSession: Effect.fn("ConsoleStore.revokeSession")((id) =>
      // Index: primary key.
      statement(Effect.map(
        sql`
          delete from outdial_console_sessions
          where id = ${id}
          returning id`,
        (rows) => rows.length > 0
      ))
    ),

    addAuditEntry: Effect.fn("ConsoleStore.addAuditEntry")((entry) =>
      // Index: primary key.
      Effect.asVoid(statement(sql`
        insert into outdial_audit_log (id, created_at, actor, role, account_id, action, target, status, details)
        values (
          ${entry.id}, ${DateTime.toDateUtc(entry.createdAt)}, ${entry.actor}, ${entry.role},
          ${entry.accountId ?? null}, ${entry.action}, ${entry.target ?? null}, ${entry.status ?? null},
          ${JSON.stringify(entry.details)}::json
        )`))
    ),

    completeAuditEntry: Effect.fn("ConsoleStore.completeAuditEntry")(({ details, id, status }) =>
      // Index: primary key. One process completes an entry, once.
      Effect.asVoid(statement(sql`
        update outdial_audit_log
        set status = ${status},
          details = (details::jsonb || ${JSON.stringify(details)}::jsonb)::json
        where id = ${id}`))
    ),

    listAuditEntries: Effect.fn("ConsoleStore.listAuditEntries")(({ accountId }, page) =>
      // Index: outdial_audit_log_list, or outdial_audit_log_of_account for one account; both backwards.
      statement(Effect.map(
        sql<EntryRow>`
          select a.*
          from outdial_audit_log as a
          where ${
          sql.and([
            sql`true`,
            ...(accountId === undefined ? [] : [sql`a.account_id = ${accountId}`]),
            ...paging.behind(page)
          ])
        }
          order by ${paging.order}
          limit ${paging.limit(page)}`.unprepared,
        (rows) => Paging.toPage(rows, page, toEntry)
      ))
    ),

    prune: Effect.fn("ConsoleStore.prune")(({ entriesBefore, limit, now }) =>
      // Links and sessions have no index by time: the tables are small. Entries: outdial_audit_log_list, then the
      // primary key.
      statement(Effect.map(
        sql<{ readonly n: number }>`
          with links as (
            delete from outdial_console_links
            where expires_at <= ${DateTime.toDateUtc(now)}
            returning 1
          ), sessions as (
            delete from outdial_console_sessions
            where expires_at <= ${DateTime.toDateUtc(now)}
            returning 1
          ), entries as (
            delete from outdial_audit_log
            where id = any(array(
              select a.id
              from outdial_audit_log as a
              where a.created_at < ${DateTime.toDateUtc(entriesBefore)}
              order by a.created_at, a.id
              limit ${limit}
            ))
            returning 1
          )
          select (
            (select count(*) from links) + (select count(*) from sessions) + (select count(*) from entries)
          )::int as n`,
        ([row]) => row?.n ?? 0
      ))
    )
  }
}
