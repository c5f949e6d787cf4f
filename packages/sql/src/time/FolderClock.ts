/**
 * The clock of a data folder: a `SteadyClock` whose state is stored in the folder's `clock.json`, so that it also detects a system
 * clock that was set between two starts. Where the uptime is available (Linux), a stop of any length leaves it certain.
 */
import { SteadyClock } from "@outdial/core"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { readFile, rename, writeFile } from "node:fs/promises"
import { uptime } from "node:os"
import { join } from "node:path"

/** Times in nanoseconds, as text. */
const StoredClock = Schema.fromJsonString(Schema.Struct({
  time: Schema.BigIntFromString,
  uptime: Schema.Struct({ boot: Schema.String, nanos: Schema.BigIntFromString }),
  steppedAt: Schema.optionalKey(Schema.BigIntFromString),
  isSetBack: Schema.Boolean
}))

/** Nothing is known of a new folder's clock: calls that may have been planned ahead are replanned once. */
const unknown: SteadyClock.Known = { time: 0n, uptime: { boot: "", nanos: 0n }, isSetBack: true }

/** For a folder that this process has open, or a database in memory. */
export const layer = (
  { dataDir }: { readonly dataDir: string | undefined }
): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.unwrap(Effect.gen(function*() {
    // Only the process that has the database open may use the file.
    yield* SqlClient.SqlClient
    return SteadyClock.layer({ ...withUptime(), ...(dataDir !== undefined && (yield* stored(dataDir))) })
  }))

/** Reads the stored state of the folder's clock, and returns how to store the next. */
export const stored = Effect.fnUntraced(function*(dataDir: string) {
  const file = join(dataDir, "clock.json")
  const known = yield* Effect.tryPromise(() => readFile(file, "utf8")).pipe(
    Effect.flatMap(Schema.decodeEffect(StoredClock)),
    Effect.orElseSucceed(() => unknown)
  )
  const keep = Effect.fnUntraced(function*(next: SteadyClock.Known) {
    const text = yield* Effect.orDie(Schema.encodeEffect(StoredClock)(next))
    // A failed write is repeated later; the database reports a full disk.
    yield* Effect.ignore(Effect.tryPromise(async () => {
      await writeFile(`${file}.new`, text, { mode: 0o600 })
      await rename(`${file}.new`, file)
    }))
  })
  return { known, keep }
})

/** The machine's uptime, which includes suspension (Node's `os.uptime`), if it is available. */
const withUptime = (): Pick<SteadyClock.Options, "uptime"> => {
  const boot = orElse(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), "")
  const isKnown = orElse(() => uptime() > 0, false)
  return isKnown ? { uptime: () => ({ boot, nanos: BigInt(Math.round(uptime() * 1e9)) }) } : {}
}

const orElse = <A>(read: () => A, otherwise: A): A =>
  Result.getOrElse(Result.try({ try: read, catch: () => undefined }), () => otherwise)
