/**
 * One process per data folder: a lock file in it names the process that has it open. A second process is rejected, and the
 * lock of a dead process is taken over, also after a kill. Locks of other machines are left to the operator.
 *
 * Uses Node's file system directly: Effect's has no atomic link and rename.
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
   * `damaged`: the folder has a database that does not open. `full`: the disk has no room for its log. `not_owned`: it, or a
   * file in it, belongs to another user.
   */
  reason: Schema.Literals(["in_use", "unreadable", "damaged", "full", "not_owned"]),
  /** The process that has it open, if known. */
  holder: Schema.optionalKey(Schema.Struct({ host: Schema.String, pid: Schema.Int })),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    const { cause, dataDir, holder, reason } = this
    switch (reason) {
      case "in_use":
        return `The data folder ${dataDir} is open in process ${holder?.pid} on ${holder?.host}, and only one process can use it ` +
          `at a time. Stop that process, or use another folder. If that process is gone, delete ${fileIn(dataDir)}`
      case "unreadable":
        return `The data folder ${dataDir} cannot be opened. Check that it is a folder that this process may write to`
      case "damaged":
        return `The database in the data folder ${dataDir} cannot be opened: files are missing or damaged, or it belongs to ` +
          `another version. Keep a copy of the folder, then restore it from a backup, or use another folder`
      case "full":
        return `The disk of the data folder ${dataDir} is full: the database needs more free space. No accepted data ` +
          `is lost. Free some space, and work continues`
      case "not_owned":
        return `The data folder ${dataDir} is not used, because another user could read and change it: ${
          cause instanceof Error ? cause.message : "see the cause"
        }. Run as the owner, use another folder, or change the owner with chown -R`
      default:
        return reason satisfies never
    }
  }
}

/** The process that has a folder open. The times distinguish it from a later process with the same number. */
const Holder = Schema.fromJsonString(Schema.Struct({
  host: Schema.String,
  pid: Schema.Int,
  /** When the machine and the process were started; empty where the system does not say. */
  boot: Schema.String,
  started: Schema.String
}))
type Holder = typeof Holder.Type

/** Locks the folder until the scope closes. Creates a missing folder, and removes the access of other users. */
export const acquire = (dataDir: string): Effect.Effect<void, DataFolderUnavailable, Scope.Scope> =>
  Effect.asVoid(Effect.acquireRelease(
    lock(dataDir),
    // If the lock cannot be removed, the next start finds that its process is dead.
    () => Effect.ignore(attempt(dataDir, () => rm(fileIn(dataDir), { force: true })))
  ))

const fileIn = (dataDir: string) => join(dataDir, "outdial.lock")

const attempt = <A>(dataDir: string, run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => unavailable(dataDir, cause)
  })

/** Translates an error of the file system. */
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
  // Another process may also find the file stale and move it; only the file that was read may be deleted.
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

/** Creates the file atomically, unless it exists. */
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

/** Linux shows both times under /proc; elsewhere only the process number counts. */
const holderOf = Effect.fnUntraced(function*(pid: number) {
  const boot = yield* readOrEmpty("/proc/sys/kernel/random/boot_id")
  const stat = yield* readOrEmpty(`/proc/${pid}/stat`)
  return { host: hostname(), pid, boot, started: startOf(stat) } satisfies Holder
})

const readOrEmpty = (file: string) => Effect.promise(() => readFile(file, "utf8").then((text) => text.trim(), () => ""))

/** Field 22 of `/proc/<pid>/stat`; the name in field 2 is in brackets and may contain spaces (proc(5)). */
const startOf = (stat: string) => afterName(stat)[19] ?? ""

/** A killed process that its parent has not reaped is a zombie: it holds nothing (proc(5), state Z). */
const isZombie = (stat: string) => afterName(stat)[0] === "Z"

const afterName = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")

const isAlive = Effect.fnUntraced(function*(holder: Holder, self: Holder) {
  // Processes of another machine cannot be checked, so their lock is valid.
  if (holder.host !== self.host) return true
  if (holder.boot !== self.boot) return false
  if (isZombie(yield* readOrEmpty(`/proc/${holder.pid}/stat`))) return false
  const now = yield* holderOf(holder.pid)
  return now.started === "" ? exists(holder.pid) : now.started === holder.started
})

/** Signal 0 only checks for the process; EPERM means that it exists and belongs to another user. */
const exists = (pid: number) => {
  const asked = Result.try({ try: () => kill(pid, 0), catch: (cause) => (cause as NodeJS.ErrnoException).code })
  return Result.isSuccess(asked) || asked.failure === "EPERM"
}
