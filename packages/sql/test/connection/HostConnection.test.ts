import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { Client } from "pg"
import * as Postgres from "../../../../test/support/postgres.ts"
import * as HostConnection from "../../src/connection/HostConnection.ts"

const instants = new Set(["created_at"])
const at = DateTime.toDateUtc(DateTime.makeUnsafe("2026-02-03T04:05:06.789Z"))

it.layer(Layer.empty, { excludeTestServices: true, timeout: "60 seconds" })(
  "A connection over a host's client",
  (it) => {
    const connected = Effect.gen(function*() {
      const client = new Client({ connectionString: yield* Postgres.database })
      yield* Effect.acquireRelease(Effect.promise(() => client.connect()), () => Effect.promise(() => client.end()))
      return HostConnection.make(client, instants)
    })

    it.effect("passes every type of parameter to the statement like the driver", () =>
      Effect.gen(function*() {
        const { execute } = yield* connected
        const text = `a "b" 'c' \\ {d}, $1 \u{1F600}`
        const values = [
          text,
          true,
          5,
          2 ** 40,
          0.5,
          2n ** 60n,
          at,
          null,
          [text, null],
          [1, 2],
          [0.5, 1],
          [at],
          [true],
          []
        ]
        const types = ["text", "boolean", "integer", "bigint", "double precision", "bigint", "timestamp with time zone"]
        const rows = yield* execute(
          `select ${
            values.map((value, index) =>
              value === null || (Array.isArray(value) && value.length === 0)
                ? `$${index + 1}::text as v${index}`
                : `$${index + 1} as v${index}, pg_typeof($${index + 1})::text as t${index}`
            ).join(", ")
          }`,
          values
        )
        const [row = {}] = rows
        assert.deepStrictEqual(
          ["v0", "v1", "v2", "v3", "v4", "v7", "v8", "v9", "v10", "v12", "v13"].map((name) => row[name]),
          [text, true, 5, 2 ** 40, 0.5, null, [text, null], [1, 2], [0.5, 1], [true], "{}"]
        )
        assert.deepStrictEqual(
          Array.from({ length: 7 }, (_, index) => row[`t${index}`]),
          types
        )
        assert.deepStrictEqual(["t8", "t9", "t10", "t11", "t12"].map((name) => row[name]), [
          "text[]",
          "integer[]",
          "double precision[]",
          "timestamp with time zone[]",
          "boolean[]"
        ])
      }))

    it.effect("returns the rows of every form of statement, in order", () =>
      Effect.gen(function*() {
        const { execute } = yield* connected
        yield* execute("create table t (id int primary key, name text, created_at timestamptz, document json)")
        const added = yield* execute(
          `with given as (select * from unnest($1::int[]) as g (id)), added as (
          insert into t select id, ')''"(', $2, $3::json from given returning *
        )
        select * from added order by id desc`,
          [[1, 2, 3], at, "{\"a\": \"\\u0000\"}"]
        )
        const row = { name: ")'\"(", created_at: at, document: { a: "\u0000" } }
        assert.deepStrictEqual(added, [3, 2, 1].map((id) => ({ id, ...row })))
        const name = "2026-02-03T04:05:06+00:00"
        assert.deepStrictEqual(
          yield* execute("update t set name = $1 where id = $2 returning id, name, created_at", [name, 1]),
          [{ id: 1, name, created_at: at }]
        )
        assert.deepStrictEqual(yield* execute("update t set name = $1 where name = ' returning '", [name]), [])
        assert.deepStrictEqual(yield* execute("with x as (select 2 as id) delete from t using x where t.id = x.id"), [])
        assert.deepStrictEqual(yield* execute("select id from t order by id for no key update"), [{ id: 1 }, { id: 3 }])
      }))
  }
)
