import { assert, describe, it } from "@effect/vitest"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Layer } from "effect"
import * as Postgres from "../../../../test/support/postgres.ts"
import { openTransaction } from "../support/Concurrency.ts"
import * as Racing from "../support/Races.ts"
import * as ClaimWatermark from "../../src/dispatch/ClaimWatermark.ts"

const accountId = Factories.accountId()

const row = (priority: number, seconds: number) => ({
  picked_priority: priority,
  picked_due_at: DateTime.toDateUtc(Factories.at(seconds))
})
const iso = (seconds: number) => DateTime.formatIso(Factories.at(seconds))

/** The watermark some time after a claim that read this page at `now`. */
const after = (
  page: ClaimWatermark.Seen["page"],
  { at = 10, from = ClaimWatermark.unknown, isFullPage = true } = {}
): ClaimWatermark.QueueStart => {
  const starts = ClaimWatermark.make()
  starts.save(accountId, { now: Factories.at(10), from, page, isFullPage })
  return starts.of(accountId, Factories.at(at))
}

describe("The claim watermark", () => {
  it("is the first candidate of each priority", () => {
    assert.deepStrictEqual(after([row(0, 3), row(0, 5), row(1, 2)]), [iso(3), iso(2)])
  })

  it("is a second before the claim if the page shows none, for calls that are not committed yet", () => {
    assert.deepStrictEqual(after([row(1, 2)]), [iso(9), iso(2)])
    assert.deepStrictEqual(after([row(0, 2)], { isFullPage: false }), [iso(2), iso(9)])
    assert.deepStrictEqual(after([row(0, 9.5), row(1, 2)]), [iso(9), iso(2)])
  })

  it("stays for batches after a page full of single calls", () => {
    assert.deepStrictEqual(after([row(0, 3)]), [iso(3), "-infinity"])
    assert.deepStrictEqual(after([row(0, 3)], { from: [iso(1), iso(1)] }), [iso(3), iso(1)])
  })

  it("is unknown after a second, and to a clock that is behind", () => {
    assert.deepStrictEqual(after([row(0, 3)], { at: 10.999 }), [iso(3), "-infinity"])
    assert.strictEqual(after([row(0, 3)], { at: 11 }), ClaimWatermark.unknown)
    assert.strictEqual(after([row(0, 3)], { at: 9 }), ClaimWatermark.unknown)
  })

  it("is unknown a second after it was read, however often it was moved", () => {
    const starts = ClaimWatermark.make()
    starts.save(accountId, { now: Factories.at(10), from: ClaimWatermark.unknown, page: [row(0, 3)], isFullPage: true })
    const from = starts.of(accountId, Factories.at(10.5))
    starts.save(accountId, { now: Factories.at(10.5), from, page: [row(0, 4)], isFullPage: true })
    assert.strictEqual(starts.of(accountId, Factories.at(10.9))[0], iso(4))
    assert.strictEqual(starts.of(accountId, Factories.at(11)), ClaimWatermark.unknown)
  })

  it("is unknown for other accounts, and once the queue is empty", () => {
    const starts = ClaimWatermark.make()
    const now = Factories.at(10)
    starts.save(accountId, { now, from: ClaimWatermark.unknown, page: [row(0, 3)], isFullPage: true })
    assert.strictEqual(starts.of(Factories.accountId(), now), ClaimWatermark.unknown)
    starts.forget(accountId)
    assert.strictEqual(starts.of(accountId, now), ClaimWatermark.unknown)
  })
})

const layer = Layer.provideMerge(SqlStorage.layer, Postgres.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })(
  "Claims that begin where the queue began",
  (it) => {
    it.effect("first claim a single call that was uncommitted while a batch was claimed", () =>
      Effect.gen(function*() {
        const account = yield* Racing.make(Factories.openPolicy, 100)
        yield* account.startBatch(Array.from({ length: 50 }, () => Factories.phoneNumber()))
        const id = Factories.callId()
        const commit = yield* openTransaction(account.start({ id, dueAt: Factories.at(1.98) }))
        assert.lengthOf((yield* account.claim(2, 10)).ids, 10)
        yield* commit
        assert.strictEqual((yield* account.claim(2.02, 10)).ids[0], id)
      }))

    it.effect("read the whole queue if nothing is due after the watermark", () =>
      Effect.gen(function*() {
        const account = yield* Racing.make(Factories.openPolicy, 100)
        yield* account.start({ dueAt: Factories.at(5) })
        assert.lengthOf((yield* account.claim(5, 1)).ids, 1)
        const id = Factories.callId()
        yield* account.start({ id, dueAt: Factories.at(3) })
        assert.deepStrictEqual((yield* account.claim(5, 1)).ids, [id])
      }))
  }
)
