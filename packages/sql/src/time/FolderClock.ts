/**
 * The clock of a data folder: `SteadyClock`, with what it knows kept in the folder's `clock.json`, so that a system clock that was
 * set between two starts is noticed, too. Where the machine tells its uptime (Linux), a stop of any length is no doubt.
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

/** Of a folder that nothing is known of: what may have been planned ahead in it is planned again once. */
const unknown: SteadyClock.Known = { time: 0n, uptime: { boot: "", nanos: 0n }, isSetBack: true }

/** For a folder that this process has open; in memory without one. */
export const layer = (
  { dataDir }: { readonly dataDir: string | undefined }
): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.unwrap(Effect.gen(function*() {
    // Only the process that has the database open may read and write there.
    yield* SqlClient.SqlClient
    return SteadyClock.layer({ ...withUptime(), ...(dataDir !== undefined && (yield* stored(dataDir))) })
  }))

/** What the folder knows of its clock, and how more is kept in it. */
export const stored = Effect.fnUntraced(function*(dataDir: string) {
  const file = join(dataDir, "clock.json")
  const known = yield* Effect.tryPromise(() => readFile(file, "utf8")).pipe(
    Effect.flatMap(Schema.decodeEffect(StoredClock)),
    Effect.orElseSucceed(() => unknown)
  )
  const keep = Effect.fnUntraced(function*(next: SteadyClock.Known) {
    const text = yield* Effect.orDie(Schema.encodeEffect(StoredClock)(next))
    // What cannot be written now is written in a while; of a full disk the database tells.
    yield* Effect.ignore(Effect.tryPromise(async () => {
      await writeFile(`${file}.new`, text, { mode: 0o600 })
      await rename(`${file}.new`, file)
    }))
  })
  return { known, keep }
})

/** The machine's uptime, which goes on while it is suspended (Node's `os.uptime`), where it can be read. */
const withUptime = (): Pick<SteadyClock.Options, "uptime"> => {
  const boot = orElse(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), "")
  const isKnown = orElse(() => uptime() > 0, false)
  return isKnown ? { uptime: () => ({ boot, nanos: BigInt(Math.round(uptime() * 1e9)) }) } : {}
}

const orElse = <A>(read: () => A, otherwise: A): A =>
  Result.getOrElse(Result.try({ try: read, catch: () => undefined }), () => otherwise)
