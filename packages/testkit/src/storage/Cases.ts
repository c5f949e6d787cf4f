/** The form of a chapter of the storage contract. */
import type { Storage } from "@outdial/core"
import type { Effect } from "effect"

/** Tests, each named by the promise it checks. */
export type Cases = Readonly<Record<string, Effect.Effect<void, unknown, Storage.Storage>>>
