/** What is measured of the database, beside what the engine measures of any storage. */
import { Metric } from "effect"

/** Units of work that met another one. Some are nothing to worry about. */
export const conflicts = Metric.counter("outdial_storage_conflicts_total", {
  description: "Units of storage work that conflicted with another one; most were retried at once",
  incremental: true
})

/** Every series, for the documentation. */
export const described: ReadonlyArray<Pick<Metric.Metric<never, unknown>, "id" | "description" | "type">> = [conflicts]
