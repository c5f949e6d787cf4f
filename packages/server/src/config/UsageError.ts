/** The command cannot do what it was asked; the message says what to do instead. */
import { Schema } from "effect"

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}
