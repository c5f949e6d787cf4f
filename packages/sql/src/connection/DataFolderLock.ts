/**
 * One process per data folder: a file in it that names the process which has it open. Guarantees that a second one is
 * refused, and that the file of a process that died, killed or not, is taken over; leaves other machines to their operator.
 *
 * It uses Node's file system directly: what it needs, an atomic link and rename, is not in Effect's.
 */
import { Effect, Result, Schema, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { link, readFile, rename, rm, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { join } from "node:path"
import { kill, pid } from "node:process"
import * as DataFolderAccess from "./DataFolderAccess.ts"

/** Why a data folder could not be opened. */
export class DataFolderUnavailable extends Schema.TaggedError<DataFolderUnavailable>()("DataFolderUnavailable", {
  dataDir: Schema.String,
  /**
   * `damaged` when there is a database in it that does not open, `full` when the disk has no room for its log, `not_owned` when
   * it, or something in it, belongs to another user.
   */
  reason: Schema.Literals(["in_use", "unreadable", "damaged", "full", "not_owned"]),
  /** Who has it open, if anybody. */
  holder: Schema.optionalKey(Schema.Struct({ host: Schema.String, pid: Schema.Int })),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    const { cause, dataDir, holder, reason } = this
    switch (reason) {
      case "in_use":
        return `The data folder ${dataDir} is open in process ${holder?.pid} on ${holder?.host}, and one process can have it ` +
          `at a time. Stop that process, or use another folder; if it is no more, delete ${fileIn(dataDir)}`
      case "unreadable":
        return `The data folder ${dataDir} cannot be opened; check that it is a folder this process may write to`
      case "damaged":
        return `The database in the data folder ${dataDir} cannot be opened: files of it are missing or damaged, or it is of ` +
          `another version. Keep a copy of the folder as it is; then restore it from a backup, or use another folder`
      case "full":
        return `The disk of the data folder ${dataDir} is full: the database needs more free space than is left. Everything ` +
          `that was accepted is kept; free some space, and it goes on`
      case "not_owned":
        return `The data folder ${dataDir} is not used, as another user could read and change it: ${
          cause instanceof Error ? cause.message : "see the cause"
        }. Run as the owner, name a folder of your own, or give it to this user with chown -R`
      default:
        return reason satisfies never
    }
  }
}

/** Who has a folder open. The times tell a process from a later one with its number. */
const Holder = Schema.fromJsonString(Schema.Struct({
  host: Schema.String,
  pid: Schema.Int,
  /** When the machine, and on it the process, was started; empty where nobody tells. */
  boot: Schema.String,
  started: Schema.String
}))
type Holder = typeof Holder.Type

/** Keeps the folder for this process until the scope closes; makes it when it is not there, and closes it to other users. */
export const acquire = (dataDir: string): Effect.Effect<void, DataFolderUnavailable, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    lock(dataDir),
    // A lock that cannot be removed is one of a process that will be gone.
    () => Effect.ignore(attempt(dataDir, () => rm(fileIn(dataDir), { force: true })))
  ))

const fileIn = (dataDir: string) => join(dataDir, "outdial.lock")

const attempt = <A>(dataDir: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => unavailable(dataDir, cause)
  })

/** What an error of the file system means for the folder. */
export const unavailable = (dataDir: string, cause: unknown): DataFolderUnavailable => {
  if (cause instanceof DataFolderAccess.ForeignOwner) {
    return new DataFolderUnavailable({ dataDir, reason: "not_owned", cause })
  }
  return new DataFolderUnavailable({ dataDir, reason: isFull(cause) ? "full" : "unreadable", cause })
}

const isFull = (cause: unknown) => cause instanceof Error && "code" in cause && cause.code === "ENOSPC"

const lock = Effect.fnUntraced(function*(dataDir: string) {
  const file = fileIn(dataDir)
  const self = yield* holderOf(pid)
  const warning = yield* attempt(dataDir, () => DataFolderAccess.makePrivate(dataDir))
  if (warning !== undefined) yield* Effect.logWarning(warning)
  const taken = yield* createLockFile(dataDir, self)
  if (taken) return
  const found = yield* attempt(dataDir, () => readFile(file, "utf8"))
  const holder = yield* Effect.option(Schema.decodeEffect(Holder)(found))
  if (holder._tag === "Some" && (yield* isAlive(holder.value, self))) return yield* inUse(dataDir, holder.value)
  // Whoever else judged the file stale moves it away too; only what was judged may go.
  const stale = `${file}.${randomUUID()}`
  yield* attempt(dataDir, () => rename(file, stale))
  const moved = yield* attempt(dataDir, () => readFile(stale, "utf8"))
  if (moved !== found) {
    yield* attempt(dataDir, () => rename(stale, file))
    return yield* inUse(dataDir, self)
  }
  yield* attempt(dataDir, () => rm(stale))
  if (!(yield* createLockFile(dataDir, self))) return yield* inUse(dataDir, self)
})

const inUse = (dataDir: string, { host, pid }: Holder) =>
  new DataFolderUnavailable({ dataDir, reason: "in_use", holder: { host, pid } })

/** Puts the file there, whole, if there is none. */
const createLockFile = Effect.fnUntraced(function*(dataDir: string, self: Holder) {
  const draft = `${fileIn(dataDir)}.${randomUUID()}`
  const text = yield* Effect.orDie(Schema.encodeEffect(Holder)(self))
  yield* attempt(dataDir, () => writeFile(draft, text, { flush: true, mode: 0o600 }))
  return yield* attempt(dataDir, () =>
    link(draft, fileIn(dataDir)).then(() => true, (cause: NodeJS.ErrnoException) => {
      if (cause.code === "EEXIST") return false
      throw cause
    })).pipe(Effect.ensuring(Effect.ignore(attempt(dataDir, () => rm(draft, { force: true })))))
})

/** Linux tells both times under /proc; elsewhere only the process number counts. */
const holderOf = Effect.fnUntraced(function*(pid: number) {
  const boot = yield* readOrEmpty("/proc/sys/kernel/random/boot_id")
  const stat = yield* readOrEmpty(`/proc/${pid}/stat`)
  return { host: hostname(), pid, boot, started: startOf(stat) } satisfies Holder
})

const readOrEmpty = (file: string) => Effect.promise(() => readFile(file, "utf8").then((text) => text.trim(), () => ""))

/** Field 22 of `/proc/<pid>/stat`; the name in field 2 is in brackets and may hold spaces (proc(5)). */
const startOf = (stat: string) => afterName(stat)[19] ?? ""

/** A killed process whose parent has not asked for its end is a zombie: it holds nothing any more (proc(5), state Z). */
const isZombie = (stat: string) => afterName(stat)[0] === "Z"

const afterName = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")

const isAlive = Effect.fnUntraced(function*(holder: Holder, self: Holder) {
  // Of another machine nothing can be known here, so its lock stands.
  if (holder.host !== self.host) return true
  if (holder.boot !== self.boot) return false
  if (isZombie(yield* readOrEmpty(`/proc/${holder.pid}/stat`))) return false
  const now = yield* holderOf(holder.pid)
  return now.started === "" ? exists(holder.pid) : now.started === holder.started
})

/** Signal 0 asks without touching; a process of somebody else answers EPERM, and exists. */
const exists = (pid: number) => {
  const asked = Result.try({ try: () => kill(pid, 0), catch: (cause) => (cause as NodeJS.ErrnoException).code })
  return Result.isSuccess(asked) || asked.failure === "EPERM"
}
