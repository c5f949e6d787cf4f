/** Whether the database behind the `SqlClient` outlives the process: every database does, except PGlite in memory. */
import { Context } from "effect"

export const OutlivesProcess = Context.Reference<boolean>("@outdial/sql/connection/Lifetime/OutlivesProcess", {
  defaultValue: () => true
})
