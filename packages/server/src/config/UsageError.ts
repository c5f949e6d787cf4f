/** The command cannot be carried out. The message says what to do instead. */
import { Schema } from "effect"

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}
