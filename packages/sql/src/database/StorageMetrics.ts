/** Metrics of the database, beside those of any storage. */
import { Metric } from "effect"

/** Units of work that conflicted with another one. Occasional conflicts are normal. */
export const conflicts = Metric.counter("outdial_storage_conflicts_total", {
  description: "Units of storage work that conflicted with another one; most were retried at once",
  incremental: true
})

/** Every series, for the documentation. */
export const described: ReadonlyArray<Pick<Metric.Metric<never, unknown>, "id" | "description" | "type">> = [conflicts]
