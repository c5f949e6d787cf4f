import { assert, it } from "@effect/vitest"
import { Ids } from "@outdial/core"
import type { DatabaseReport } from "@outdial/sql"
import { DateTime } from "effect"
import { describe } from "vitest"
import * as DatabaseChecks from "../../src/doctor/DatabaseChecks.ts"

const healthy: DatabaseReport.DatabaseReport = {
  versionNumber: 160_002,
  version: "16.2",
  settings: {
    fsync: "on",
    full_page_writes: "on",
    idle_in_transaction_session_timeout: "30000",
    max_connections: "100",
    statement_timeout: "10000",
    superuser_reserved_connections: "3",
    synchronous_commit: "on",
    synchronous_standby_names: "ANY 1 (a, b)"
  },
  synchronousStandbys: 1,
  connections: 12,
  encrypted: true,
  isLocal: false,
  clockAhead: -3.2,
  clockError: 0.4
}

const { settings } = healthy

/** What is not well with a report, as `level check`. */
const complaints = (more: Partial<DatabaseReport.DatabaseReport>) =>
  DatabaseChecks.judge({ ...healthy, ...more }).filter(({ level }) => level !== "ok")
    .map(({ check, level }) => `${level} ${check}`)

const cases: ReadonlyArray<readonly [string, Partial<DatabaseReport.DatabaseReport>, ReadonlyArray<string>]> = [
  ["that is as it should be", {}, []],
  ["of version 14", { versionNumber: 140_000 }, []],
  ["of version 13", { versionNumber: 130_014 }, ["failed database"]],
  ["without fsync", { settings: { ...settings, fsync: "off" } }, ["failed durability"]],
  ["without full pages", { settings: { ...settings, full_page_writes: "off" } }, ["failed durability"]],
  ["that commits later", { settings: { ...settings, synchronous_commit: "off" } }, ["failed durability"]],
  ["whose commits do not wait for the standby", { settings: { ...settings, synchronous_commit: "local" } }, [
    "warning standby"
  ]],
  ["without a standby", { settings: { ...settings, synchronous_standby_names: "" } }, ["warning standby"]],
  ["whose standby is gone", { synchronousStandbys: 0 }, ["failed standby"]],
  ["that hides its standbys", { synchronousStandbys: null }, []],
  ["with hardly a connection left", { connections: 88 }, ["warning connections"]],
  ["with just enough connections", { connections: 87 }, []],
  ["that is read along the way", { encrypted: false }, ["warning encryption"]],
  ["beside us, without encryption", { encrypted: false, isLocal: true }, []],
  ["whose statements may take for ever", { settings: { ...settings, statement_timeout: "0" } }, ["failed timeouts"]],
  ["whose locks a frozen process may keep", { settings: { ...settings, idle_in_transaction_session_timeout: "0" } }, [
    "failed timeouts"
  ]],
  ["whose clock says something else", { clockAhead: 2001 }, ["warning clock"]],
  ["whose clock is too far away to read", { clockError: 2001 }, ["failed clock"]]
]

describe("outdial doctor, on a Postgres", () => {
  for (const [name, report, expected] of cases) {
    it(`${name}: ${expected.length === 0 ? "nothing to complain of" : expected.join(", ")}`, () => {
      assert.deepStrictEqual(complaints(report), expected)
    })
  }

  it("says of a database without its tables how they come there", () => {
    assert.deepStrictEqual([
      DatabaseChecks.migrations("ready").level,
      DatabaseChecks.migrations("migrations_pending").level
    ], [
      "ok",
      "warning"
    ])
    assert.include(DatabaseChecks.migrations("migrations_pending").message, "outdial migrate")
  })
})

describe("live calls", () => {
  it("that are looked after are as they should be", () => {
    assert.deepStrictEqual(DatabaseChecks.carriers([]).map(({ level }) => level), ["ok"])
  })

  it("without a worker that dials is a warning", () => {
    const at = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")
    const worker = (runs: ReadonlyArray<string>) => ({
      id: Ids.WorkerId.make("wrk_1"),
      version: "1.0.0",
      runs,
      startedAt: at,
      seenAt: at
    })
    const levels = [[], [worker([])], [worker([]), worker(["dispatcher"])]].map((live) =>
      DatabaseChecks.workers(live).level
    )
    assert.deepStrictEqual(levels, ["warning", "warning", "ok"])
  })

  it("wait while their carrier is paused: a failure when it refuses the account, else a warning", () => {
    const at = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")
    const found = DatabaseChecks.pausedCarriers([
      { name: Ids.CarrierName.make("ours") },
      { name: Ids.CarrierName.make("strict"), pause: { at, by: "fault", reason: { code: "20003" } } },
      { name: Ids.CarrierName.make("tested"), pause: { at, by: "operator" } }
    ])
    assert.deepStrictEqual(found.map(({ level }) => level), ["failed", "warning"])
    assert.include(found[0]?.message, "since 2026-03-02T10:00:00.000Z (20003). Check its credentials")
    assert.include(found[1]?.message, "outdial carriers resume tested")
  })

  it("whose carrier no running worker has are a failure that names the carrier", () => {
    const since = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")
    const found = DatabaseChecks.carriers([{ carrier: Ids.CarrierName.make("ours"), calls: 2, since }])
    assert.deepStrictEqual(found, [{
      check: "carriers",
      level: "failed",
      message:
        "2 live calls of the carrier \"ours\" cannot be looked up since 2026-03-02T10:00:00.000Z: no running worker has " +
        "that carrier. Start one that has it"
    }])
  })

  it("that wait for a carrier that no running worker has are a failure that names it", () => {
    const since = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")
    const found = DatabaseChecks.missingCarriers([{ carrier: Ids.CarrierName.make("ours"), since }])
    assert.deepStrictEqual(found, [{
      check: "carriers",
      level: "failed",
      message:
        "Calls wait for the carrier \"ours\" since 2026-03-02T10:00:00.000Z: a route has chosen it, and no running worker has it. " +
        "Start one that has it, or one with routes that lead these calls elsewhere"
    }])
  })
})
