/** Links, sessions and the audit log of the console. Other tests may use the storage, so only what the test has added is checked. */
import { assert } from "@effect/vitest"
import { type AuditEntry, ConsoleSession, Storage } from "@outdial/core"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"

const console = Effect.map(Storage.Storage, (storage) => storage.console)

/** Unique, and of letters and digits as a hash is. */
const newHash = () => Factories.callId().slice("call_".length)

/** A link that works for 600 seconds from `at`. */
const addLink = Effect.fnUntraced(function*(more: Partial<ConsoleSession.ConsoleLink> = {}, at = 0) {
  const link: ConsoleSession.ConsoleLink = {
    hash: newHash(),
    role: "operator",
    name: "Grace",
    createdAt: Factories.at(at),
    expiresAt: Factories.at(at + 600),
    ...more
  }
  yield* (yield* console).addLink(link)
  return link
})

/** Opens the link as a session of 1,000 seconds. */
const open = Effect.fnUntraced(function*(hash: string, at: number) {
  const session = {
    id: Factories.consoleSessionId(),
    hash: newHash(),
    expiresAt: Factories.at(at + 1000)
  }
  const entryId = Factories.auditEntryId()
  const opened = yield* (yield* console).openLink({ hash, now: Factories.at(at), session, entryId })
  return { opened, hash: session.hash, id: session.id, entryId }
})

const opened = Effect.fnUntraced(function*(at: number, more: Partial<ConsoleSession.ConsoleLink> = {}) {
  const { hash } = yield* addLink(more, at)
  return yield* open(hash, at)
})

const useAt = (hash: string, at: number) =>
  Effect.flatMap(console, (console) => console.useSession({ hash, now: Factories.at(at) }))

const entry = (at: number, more: Partial<AuditEntry.AuditEntry> = {}): AuditEntry.AuditEntry => ({
  id: Factories.auditEntryId(),
  createdAt: Factories.at(at),
  actor: "Grace",
  role: "operator",
  action: "calls.cancel",
  details: {},
  ...more
})

const page = (limit: number, after?: AuditEntry.AuditEntry) => ({ limit, after: Option.fromUndefinedOr(after) })

export const cases: Cases = {
  "opens a link once, as a session with its role, name and account": Effect.gen(function*() {
    const accountId = Factories.accountId()
    const { hash } = yield* addLink({ accountId, name: "Grace 📞 O'Hara" })
    const first = yield* open(hash, 90)
    assert.deepStrictEqual(
      first.opened,
      Option.some({
        id: first.id,
        role: "operator" as const,
        name: "Grace 📞 O'Hara",
        accountId,
        createdAt: Factories.at(90),
        expiresAt: Factories.at(1090),
        lastUsedAt: Factories.at(60)
      })
    )
    const second = yield* open(hash, 91)
    assert.deepStrictEqual(second.opened, Option.none())
    assert.deepStrictEqual(yield* useAt(second.hash, 92), Option.none())
    assert.deepStrictEqual(yield* useAt(first.hash, 92), first.opened)
    const { items } = yield* (yield* console).listAuditEntries({ accountId }, page(5))
    assert.deepStrictEqual(items, [{
      id: first.entryId,
      createdAt: Factories.at(90),
      actor: "Grace 📞 O'Hara",
      role: "operator" as const,
      accountId,
      action: "session.open",
      target: first.id,
      status: 200,
      details: { link: ConsoleSession.linkId({ hash }) }
    }])
  }),

  "opens a link once when 8 clients do so at the same time": Effect.gen(function*() {
    const { hash } = yield* addLink()
    const all = yield* Effect.all(Array.from({ length: 8 }, () => open(hash, 5)), { concurrency: "unbounded" })
    assert.strictEqual(all.filter(({ opened }) => Option.isSome(opened)).length, 1)
  }),

  "opens no link that is unknown or expired": Effect.gen(function*() {
    const { hash } = yield* addLink()
    assert.deepStrictEqual((yield* open(`${hash}x`, 5)).opened, Option.none())
    assert.deepStrictEqual((yield* open(hash, 600)).opened, Option.none())
    assert.isTrue(Option.isSome((yield* open(hash, 599.999)).opened))
  }),

  "lists the links that can be opened, newest first, and revokes one, and no other": Effect.gen(function*() {
    const accountId = Factories.accountId()
    const older = yield* addLink({ accountId })
    const [used, revoked, newer] = [yield* addLink({}, 1), yield* addLink({}, 2), yield* addLink({ role: "viewer" }, 3)]
    const { listLinks, revokeLink } = yield* console
    yield* open(used.hash, 4)
    assert.isTrue(yield* revokeLink(revoked.hash))
    assert.isFalse(yield* revokeLink(revoked.hash))
    assert.isFalse(yield* revokeLink(used.hash))
    const hashes = [older, used, revoked, newer].map(({ hash }) => hash)
    const listed = (at: number) =>
      Effect.map(listLinks(Factories.at(at)), (all) => all.filter(({ hash }) => hashes.includes(hash)))
    assert.deepStrictEqual(yield* listed(10), [newer, older])
    assert.deepStrictEqual(yield* listed(600), [newer])
    assert.deepStrictEqual((yield* open(revoked.hash, 10)).opened, Option.none())
    assert.isTrue(Option.isSome((yield* open(newer.hash, 10)).opened))
  }),

  "finds a session until it expires, and records its use to the minute": Effect.gen(function*() {
    const { hash, opened: session } = yield* opened(0)
    const at = (seconds: number) => Effect.map(useAt(hash, seconds), Option.map(({ lastUsedAt }) => lastUsedAt))
    assert.deepStrictEqual(yield* useAt(`${hash}x`, 1), Option.none())
    assert.deepStrictEqual(yield* at(130), Option.some(Factories.at(120)))
    // The clock of another process is behind.
    assert.deepStrictEqual(yield* at(50), Option.some(Factories.at(120)))
    assert.deepStrictEqual(yield* at(999.999), Option.some(Factories.at(960)))
    assert.deepStrictEqual(yield* useAt(hash, 1000), Option.none())
    assert.isTrue(Option.isSome(session))
  }),

  "revokes a session once, and no other": Effect.gen(function*() {
    const [one, other] = [yield* opened(0), yield* opened(1)]
    const { revokeSession } = yield* console
    assert.isTrue(yield* revokeSession(one.id))
    assert.isFalse(yield* revokeSession(one.id))
    assert.deepStrictEqual(yield* useAt(one.hash, 2), Option.none())
    assert.isTrue(Option.isSome(yield* useAt(other.hash, 2)))
  }),

  "lists the sessions that can be used, newest first": Effect.gen(function*() {
    const [older, revoked, newer] = [yield* opened(0), yield* opened(1), yield* opened(2)]
    const { listSessions, revokeSession } = yield* console
    yield* revokeSession(revoked.id)
    const ids = [older.id, revoked.id, newer.id]
    const listed = (at: number) =>
      Effect.map(listSessions(Factories.at(at)), (all) => all.map(({ id }) => id).filter((id) => ids.includes(id)))
    assert.deepStrictEqual(yield* listed(10), [newer.id, older.id])
    assert.deepStrictEqual(yield* listed(1000), [newer.id])
  }),

  "completes an entry of the audit log with its status and more details": Effect.gen(function*() {
    const { addAuditEntry, completeAuditEntry, listAuditEntries } = yield* console
    const accountId = Factories.accountId()
    const added = entry(0, { accountId, target: "call_1", details: { lines: 5, paused: false } })
    yield* addAuditEntry(added)
    const list = Effect.map(listAuditEntries({ accountId }, page(5)), ({ items }) => items)
    assert.deepStrictEqual(yield* list, [added])
    yield* completeAuditEntry({ id: added.id, status: 200, details: { lines: 6, note: null } })
    assert.deepStrictEqual(yield* list, [
      { ...added, status: 200, details: { lines: 6, paused: false, note: null } }
    ])
    yield* completeAuditEntry({ id: Factories.auditEntryId(), status: 200, details: {} })
  }),

  "lists the entries of an account or of all, newest first, page by page": Effect.gen(function*() {
    const { addAuditEntry, listAuditEntries } = yield* console
    const accountId = Factories.accountId()
    const [one, two, three] = [entry(1, { accountId }), entry(2, { accountId }), entry(2, { accountId })]
    // Later than the entries of other tests.
    const [foreign, common] = [entry(9_000_001, { accountId: Factories.accountId() }), entry(9_000_002)]
    for (const each of [two, one, foreign, common, three]) yield* addAuditEntry(each)
    const first = yield* listAuditEntries({ accountId }, page(2))
    assert.deepStrictEqual(first, { items: [three, two], hasMore: true })
    assert.deepStrictEqual(yield* listAuditEntries({ accountId }, page(2, two)), { items: [one], hasMore: false })
    const all = yield* listAuditEntries({}, page(2))
    assert.deepStrictEqual(all.items, [common, foreign])
  }),

  "prunes expired links and sessions and a limited number of old entries, oldest first": Effect.gen(function*() {
    const { addAuditEntry, listAuditEntries, prune } = yield* console
    // Long before what other tests add.
    const link = yield* addLink({}, -9000)
    const session = yield* opened(-9000)
    const accountId = Factories.accountId()
    const entries = [entry(-9000, { accountId }), entry(-8999, { accountId }), entry(-8998, { accountId })]
    for (const each of entries) yield* addAuditEntry(each)
    const at = { now: Factories.at(-8000), entriesBefore: Factories.at(-8998) }
    assert.strictEqual(yield* prune({ ...at, limit: 1 }), 3)
    // The other entry of the account, and that of the session.
    assert.strictEqual(yield* prune({ ...at, limit: 2 }), 2)
    assert.strictEqual(yield* prune({ ...at, limit: 1 }), 0)
    const rest = yield* listAuditEntries({ accountId }, page(5))
    assert.deepStrictEqual(rest.items.map(({ id }) => id), entries.slice(2).map(({ id }) => id))
    assert.deepStrictEqual((yield* open(link.hash, -8999)).opened, Option.none())
    assert.deepStrictEqual(yield* useAt(session.hash, -8999), Option.none())
  })
}
