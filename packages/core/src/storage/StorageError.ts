/** Why storage could not do its work. */
import { Schema } from "effect"

/** Storage could not do its work. Nothing was written, unless the connection was lost while committing. */
export class StorageError extends Schema.TaggedError<StorageError>()("StorageError", {
  /** `conflict` may succeed when tried again at once; `unavailable` when storage is back. */
  reason: Schema.Literals(["unavailable", "conflict"]),
  cause: Schema.Defect()
}) {}
