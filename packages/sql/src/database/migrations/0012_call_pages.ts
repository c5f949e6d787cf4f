/**
 * Leaves two thirds of each new page of calls to later versions of its rows. A claim writes all calls of a page again, and so does the
 * submission a moment later, when running transactions may still need the versions before. With half of a page, three of ten steps found no
 * room in it, and wrote to every index.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const migration = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient

  yield* sql`alter table outdial_calls set (fillfactor = 33)`
})
