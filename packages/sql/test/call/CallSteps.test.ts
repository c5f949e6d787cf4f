/** The statements that step whole sets of calls, compared with the rules on random rows. */
import { assert, it } from "@effect/vitest"
import { CallLife, type Ids } from "@outdial/core"
import { SqlStorage } from "@outdial/sql"
import { Factories } from "@outdial/testkit"
import { DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Pglite from "../../../../test/support/pglite.ts"
import * as CallWriter from "../../src/call/CallWriter.ts"
import * as Database from "../../src/database/Database.ts"
import * as SampleCalls from "../support/SampleCalls.ts"
import { int, samples } from "../support/Samples.ts"

const now = Factories.at(100)
const token = Factories.token()
const otherToken = Factories.token()
const near = int(98, 102)

const Waiting = Schema.Struct({ dueAt: near, notBefore: Schema.NullOr(near), isAsked: Schema.Boolean })

const Claimed = Schema.Struct({
  status: Schema.Literals(["dialing", "dialing", "in_progress"]),
  isOurs: Schema.Boolean,
  epochsAgo: int(0, 1),
  dialBy: near,
  submittedAt: Schema.NullOr(near),
  hangUpAt: Schema.NullOr(near),
  isAsked: Schema.Boolean
})

const Completed = Schema.Struct({
  outcomeState: Schema.Literals(["pending", "pending", "given_up"]),
  dueAt: near,
  leaseUntil: Schema.NullOr(near)
})

const instant = (seconds: number | null) => seconds === null ? null : DateTime.formatIso(Factories.at(seconds))

/** Writes these columns of the account's calls, which have their ids from `json`. */
const set = (accountId: Ids.AccountId, rows: ReadonlyArray<object>, columns: Readonly<Record<string, string>>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const types = Object.entries(columns).map(([name, type]) => `${name} ${type}`).join(", ")
    return sql`
      update outdial_calls as c
      set ${sql.literal(Object.keys(columns).map((name) => `${name} = r.${name}`).join(", "))}
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (id text, ${sql.literal(types)})
      where c.account_id = ${accountId}
        and c.id = r.id`
  })

const layer = Layer.provideMerge(SqlStorage.layer, Pglite.layer)

it.layer(layer, { excludeTestServices: true, timeout: "60 seconds" })("Calls in SQL", (it) => {
  it.effect("are reconsidered as the rule says", () =>
    Effect.gen(function*() {
      const waiting = yield* samples(Waiting, 200)
      const { id: accountId } = yield* SampleCalls.make(waiting.map(({ dueAt, notBefore }) => ({
        dueAt: Factories.at(dueAt),
        ...(notBefore !== null && { notBefore: Factories.at(notBefore) })
      })))
      const before = yield* SampleCalls.read(accountId)
      const isAsked = (index: number) => waiting[index]?.isAsked === true
      const numbers = before.flatMap(({ phoneNumber }, index) => isAsked(index) ? [phoneNumber] : [])
      const database = Database.make(yield* SqlClient.SqlClient)
      yield* CallWriter.make(database).reconsider(accountId, numbers, now)
      const expected = before.map((call, index) => isAsked(index) ? CallLife.reconsidered(call, now) ?? call : call)
      assert.deepStrictEqual(yield* SampleCalls.read(accountId), expected)
    }))

  it.effect("are submitted as the rule says", () =>
    Effect.gen(function*() {
      const claims = yield* samples(Claimed, 300)
      const { id: accountId, storage } = yield* SampleCalls.make(claims.map(() => ({})))
      const { epoch } = Option.getOrThrow(yield* storage.accounts.get(accountId))
      const rows = (yield* SampleCalls.read(accountId)).map(({ id }, index) => {
        const { dialBy, epochsAgo, hangUpAt, isOurs, status, submittedAt } = claims[index] ??
          assert.fail("A claim each")
        return {
          id,
          status,
          claim_token: isOurs ? token : otherToken,
          claim_epoch: epoch - epochsAgo,
          dial_by: instant(dialBy),
          submitted_at: instant(submittedAt),
          hang_up_at: instant(hangUpAt),
          lease_until: instant(101),
          dialed_at: instant(90)
        }
      })
      const at = "timestamptz"
      const ofClaim = { claim_token: "text", claim_epoch: "int", dial_by: at, submitted_at: at, hang_up_at: at }
      yield* set(accountId, rows, { status: "text", ...ofClaim, lease_until: at, dialed_at: at })
      const before = yield* SampleCalls.read(accountId)
      const callIds = before.flatMap(({ id }, index) => claims[index]?.isAsked === true ? [id] : [])
      const submitted = yield* storage.dispatch.submit({ accountId, callIds, token, now })
      const after = before.map((call) =>
        callIds.includes(call.id) ? CallLife.submitted(call, { epoch, now, token }) : undefined
      )
      assert.sameMembers([...submitted], after.flatMap((call) => call === undefined ? [] : [call.id]))
      assert.isNotEmpty([...submitted])
      assert.deepStrictEqual(yield* SampleCalls.read(accountId), before.map((call, index) => after[index] ?? call))
    }))

  it.effect("have their outcomes claimed as the rule says", () =>
    Effect.gen(function*() {
      const completed = yield* samples(Completed, 200)
      const { id: accountId, storage } = yield* SampleCalls.make(completed.map(({ dueAt, outcomeState }) => ({
        status: "completed",
        endedAt: Factories.at(90),
        outcomeState,
        ...(outcomeState === "pending" && { outcomeDueAt: Factories.at(dueAt) })
      })))
      // Only an outcome that was due is held under a token.
      const held = (yield* SampleCalls.read(accountId)).flatMap(({ id, outcomeDueAt }, index) => {
        const leaseUntil = completed[index]?.leaseUntil ?? null
        return leaseUntil === null || outcomeDueAt === undefined || DateTime.isGreaterThan(outcomeDueAt, now)
          ? []
          : [{ id, outcome_token: otherToken, outcome_lease_until: instant(leaseUntil) }]
      })
      yield* set(accountId, held, { outcome_token: "text", outcome_lease_until: "timestamptz" })
      const before = yield* SampleCalls.read(accountId)
      yield* storage.outcomes.claim({ accountId, limit: 1000, now, token })
      const expected = before.map((call) => CallLife.outcomeClaimed(call, token, now) ?? call)
      assert.deepStrictEqual(yield* SampleCalls.read(accountId), expected)
    }))
})
