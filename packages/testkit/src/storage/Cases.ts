/** The type of a suite of the storage contract. */
import type { Storage } from "@outdial/core"
import type { Effect } from "effect"

/** Tests by the behaviour that they check. */
export type Cases = Readonly<Record<string, Effect.Effect<void, unknown, Storage.Storage>>>
