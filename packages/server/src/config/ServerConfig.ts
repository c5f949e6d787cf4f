/**
 * The parts of `outdial serve` that are code, for a module that `--config` or `OUTDIAL_CONFIG` names: `@outdial/server/config`.
 * Everything else is configured by the environment. This module has no imports at run time.
 */
import type { LineReports, OutcomeSource, Recordings, Telephony } from "@outdial/core"
import type { Routes } from "@outdial/http"
import type { Layer } from "effect"
import type { IncomingMessage } from "node:http"

export interface ServerConfig extends Omit<Routes.Place<IncomingMessage>, "basePath"> {
  /** Your carrier, as `Telephony.layerOf` makes it. Phones are simulated when absent. Not opened where `OUTDIAL_ROLE` is `api`. */
  readonly telephony?: Layer.Layer<Telephony.Telephony, unknown, LineReports.LineReports | Recordings.Recordings>
  /** Makes the outcomes of conversations. When absent, simulated calls have sample outcomes and all others `null`. */
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource, unknown>
  /** Stores recordings in place of the folder `recordings`. `outdial erase` needs the same module. */
  readonly recordings?: Layer.Layer<Recordings.Recordings, unknown>
}

/** Returns its argument; gives the default export of a module its type. */
export const defineServer = (config: ServerConfig): ServerConfig => config
