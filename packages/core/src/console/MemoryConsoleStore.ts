/** Links, sessions and the audit log of the console in memory. */
import { DateTime, Effect, Option } from "effect"
import { type ConsoleSession, linkId } from "../domain/ConsoleSession.ts"
import * as Page from "../domain/Page.ts"
import type { Database } from "../storage/MemoryTables.ts"
import { type ConsoleStore, openAction } from "./ConsoleStore.ts"

const isOver = ({ expiresAt }: { readonly expiresAt: DateTime.Utc }, now: DateTime.Utc) =>
  DateTime.isLessThanOrEqualTo(expiresAt, now)

export const make = ({ auditLog, consoleLinks, consoleSessions }: Database): ConsoleStore["Service"] => ({
  addLink: (link) => Effect.sync(() => void consoleLinks.set(link.hash, link)),

  openLink: ({ entryId, hash, now, session: { expiresAt, hash: sessionHash, id } }) =>
    Effect.sync(() => {
      const link = consoleLinks.get(hash)
      if (link === undefined || isOver(link, now)) return Option.none()
      consoleLinks.delete(hash)
      const account = link.accountId === undefined ? {} : { accountId: link.accountId }
      const session: ConsoleSession = {
        id,
        role: link.role,
        name: link.name,
        ...account,
        createdAt: now,
        expiresAt,
        lastUsedAt: DateTime.startOf(now, "minute")
      }
      consoleSessions.set(sessionHash, session)
      auditLog.set(entryId, {
        id: entryId,
        createdAt: now,
        actor: link.name,
        role: link.role,
        ...account,
        action: openAction,
        target: id,
        status: 200,
        details: { link: linkId(link) }
      })
      return Option.some(session)
    }),

  listLinks: (now) =>
    Effect.sync(() =>
      [...consoleLinks.values()]
        .filter((link) => !isOver(link, now))
        .sort((a, b) => DateTime.Order(b.createdAt, a.createdAt) || (a.hash < b.hash ? 1 : -1))
    ),

  revokeLink: (hash) => Effect.sync(() => consoleLinks.delete(hash)),

  useSession: ({ hash, now }) =>
    Effect.sync(() => {
      const session = consoleSessions.get(hash)
      if (session === undefined || isOver(session, now)) return Option.none()
      const used = { ...session, lastUsedAt: DateTime.max(session.lastUsedAt, DateTime.startOf(now, "minute")) }
      consoleSessions.set(hash, used)
      return Option.some(used)
    }),

  listSessions: (now) =>
    Effect.sync(() => [...consoleSessions.values()].filter((session) => !isOver(session, now)).sort(Page.compare)),

  revokeSession: (id) =>
    Effect.sync(() => {
      const found = [...consoleSessions].find(([, session]) => session.id === id)
      if (found !== undefined) consoleSessions.delete(found[0])
      return found !== undefined
    }),

  addAuditEntry: (entry) => Effect.sync(() => void auditLog.set(entry.id, entry)),

  completeAuditEntry: ({ details, id, status }) =>
    Effect.sync(() => {
      const entry = auditLog.get(id)
      if (entry !== undefined) auditLog.set(id, { ...entry, status, details: { ...entry.details, ...details } })
    }),

  listAuditEntries: ({ accountId }, page) =>
    Effect.sync(() =>
      Page.cut(
        [...auditLog.values()]
          .filter((entry) => accountId === undefined || entry.accountId === accountId)
          .sort(Page.compare),
        page
      )
    ),

  prune: ({ entriesBefore, limit, now }) =>
    Effect.sync(() => {
      const links = [...consoleLinks.values()].filter((link) => isOver(link, now))
      const sessions = [...consoleSessions].filter(([, session]) => isOver(session, now))
      const entries = [...auditLog.values()]
        .filter(({ createdAt }) => DateTime.isLessThan(createdAt, entriesBefore))
        .slice(0, limit)
      for (const { hash } of links) consoleLinks.delete(hash)
      for (const [hash] of sessions) consoleSessions.delete(hash)
      for (const { id } of entries) auditLog.delete(id)
      return links.length + sessions.length + entries.length
    })
})
