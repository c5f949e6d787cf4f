/**
 * The parts of `outdial serve` that are code, for a module that `--config` or `OUTDIAL_CONFIG` names: `@outdial/server/config`.
 * Everything else is configured by the environment. This module has no imports at run time.
 */
import type { LineReports, OutcomeSource, Recordings, Telephony, TextAgent } from "@outdial/core"
import type { Routes } from "@outdial/http"
import type { Layer } from "effect"
import type { IncomingMessage } from "node:http"

/** The parts of `outdial serve` that are code. */
export interface ServerConfig extends Omit<Routes.MountOptions<IncomingMessage>, "basePath"> {
  /** Your carrier: `Telephony.Telephony.layerOf(…)`. Not opened where `OUTDIAL_ROLE` is `api`. Without it, a server that dials needs `OUTDIAL_CARRIER=simulated`. */
  readonly telephony?: Layer.Layer<Telephony.Telephony, unknown, LineReports.LineReports | Recordings.Recordings>
  /** Makes the outcomes: `OutcomeSource.OutcomeSource.layerOf(…)`. Default: samples for simulated calls, `null` for others. */
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource, unknown>
  /** Answers in conversations: `TextAgent.TextAgent.layerOf(…)`. `outdial talk` uses it. Default: the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent.TextAgent, unknown>
  /** Stores recordings. `outdial erase` needs the same module. Default: the folder `recordings`. */
  readonly recordings?: Layer.Layer<Recordings.Recordings, unknown>
}

/** Returns its argument; gives the default export of a module its type. */
export const defineServer = (config: ServerConfig): ServerConfig => config
