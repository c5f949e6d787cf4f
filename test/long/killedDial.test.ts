/** A node that is killed at each step of a dial, on a Postgres; another one goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Storage } from "@outdial/core"
import { Postgres as OutdialPostgres, SqlStorage } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { Clock, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as CrashingDial from "../support/CrashingDial.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as Postgres from "../support/postgres.ts"

/** A carrier that notes each ring, by its own clock. */
const carrier = Effect.acquireRelease(
  Effect.callback<
    {
      readonly url: string
      readonly rings: ReadonlyArray<{ readonly callId: string; readonly at: number }>
      readonly close: () => void
    }
  >(
    (resume) => {
      const rings: Array<{ readonly callId: string; readonly at: number }> = []
      const server = createServer((request, response) => {
        rings.push({ callId: request.url?.slice(1) ?? "", at: Date.now() })
        response.writeHead(204).end()
      }).listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          rings,
          close: () => void server.close()
        })))
    }
  ),
  ({ close }) => Effect.sync(close)
)

/** The real clock, ahead by so many milliseconds. */
const ahead = (millis: () => number): Clock.Clock => {
  const real = Clock.Clock.defaultValue()
  return {
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + millis(),
    currentTimeMillis: Effect.sync(() => real.currentTimeMillisUnsafe() + millis()),
    currentTimeNanosUnsafe: () => real.currentTimeNanosUnsafe() + BigInt(millis()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => real.currentTimeNanosUnsafe() + BigInt(millis()) * 1_000_000n),
    sleep: (duration) => real.sleep(duration)
  }
}

const killedAt = Effect.fnUntraced(function*(step: CrashingDial.Step) {
  const url = yield* Postgres.database
  const { rings, url: carrierUrl } = yield* carrier
  yield* Effect.provide(
    Effect.void,
    Layer.provide(SqlStorage.layer, OutdialPostgres.layer({ url: Redacted.make(url) }))
  )
  const { child, output } = yield* DevProcess.spawnScript("test/long/killedDial.process.ts", [url, carrierUrl, step])
  const signal = yield* Effect.callback<string | null>((resume) => {
    child.once("exit", (_, signal) => resume(Effect.succeed(signal)))
  }).pipe(Effect.timeout("60 seconds"))
  assert.strictEqual(signal, "SIGKILL", output().stderr)

  let offset = 0
  const lines: CrashingDial.Lines = {
    ring: (callId) => Effect.promise(async () => void await fetch(`${carrierUrl}/${callId}`, { method: "POST" })),
    rangAt: (callId) => rings.find((one) => one.callId === callId)?.at
  }
  yield* Effect.gen(function*() {
    const storage = yield* Storage.Storage
    const read = Effect.gen(function*() {
      const accounts = yield* storage.accounts.list
      const lists = yield* Effect.forEach(
        accounts,
        ({ id: accountId }) => storage.calls.list({ accountId, filter: {}, page: { limit: 10, after: Option.none() } })
      )
      return lists.flatMap(({ items }) => items)
    })
    // Leases, the lag of look-ups, and what rings then.
    for (const step of [0, 20, 65, 65, 65, 65]) {
      offset += step * 1000
      yield* TestEngine.drain
    }
    const calls = yield* read
    const isLost = CrashingDial.isLost(step)
    // Newest first.
    assert.deepStrictEqual(
      calls.toReversed().map(({ status }) => status),
      [isLost ? "failed" : "no_answer", "no_answer"],
      step
    )
    const expected = calls.toReversed().slice(isLost ? 1 : 0).map(({ id }) => id)
    assert.sameMembers(rings.map(({ callId }) => callId), expected, step)
    assert.lengthOf(rings, expected.length, step)
    assert.strictEqual((yield* storage.stats.snapshot(yield* DateTime.now)).liveCalls, 0)
  }).pipe(
    Effect.provide(TestEngine.layer({
      storage: Layer.orDie(Layer.provide(SqlStorage.layer, OutdialPostgres.layer({ url: Redacted.make(url) }))),
      telephony: CrashingDial.telephonyOf(lines)
    })),
    Effect.provideService(Clock.Clock, ahead(() => offset))
  )
})

describe("A node that is killed in the middle of a dial", () => {
  it.live(
    "rings no phone twice, and leaves no call and no line behind, at whichever step",
    () =>
      Effect.forEach(CrashingDial.steps, (step) => Effect.scoped(killedAt(step)), { concurrency: 2, discard: true }),
    180_000
  )
})
