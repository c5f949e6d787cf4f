/**
 * The parts of `outdial serve` that are code, for a module that `--config` or `OUTDIAL_CONFIG` names: `@outdial/server/config`.
 * Everything else is configured by the environment. This module has no imports at run time.
 */
import type { CarrierRouter, OutcomeSource, Recordings, Telephony, TextAgent, Tool, VoiceAgent } from "@outdial/core"
import type { Routes } from "@outdial/http"
import type { Layer } from "effect"
import type { IncomingMessage } from "node:http"

/** The parts of `outdial serve` that are code. */
export interface ServerConfig extends Omit<Routes.MountOptions<IncomingMessage>, "basePath"> {
  /** Your carrier: `Telephony.Telephony.layerOf(…)`. Not opened where `OUTDIAL_ROLE` is `api`. Without it, a server that dials needs `OUTDIAL_CARRIER`. */
  readonly telephony?: Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>
  /**
   * Where `telephony` is a `CarrierRouter`: the names of its carriers, in the same order, and the same routes. A process whose `OUTDIAL_ROLE`
   * is `api` plans calls by them. Default: none; the processes that dial plan its calls again.
   */
  readonly routing?: CarrierRouter.PlanningOptions
  /**
   * Makes the outcomes: `OutcomeSource.OutcomeSource.layerOf(…)`. Default: from what the agent noted; `null` for calls whose carrier brings
   * its own transcript.
   */
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource, unknown>
  /** Answers the contact in conversations, also in `outdial talk`: `TextAgent.TextAgent.layerOf(…)`. Default: the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent.TextAgent, unknown>
  /** Hears and speaks on lines that exchange sound: `SpokenAgent.layer`, with your speech services. Default: what `OUTDIAL_VOICE` names. */
  readonly voiceAgent?: Layer.Layer<VoiceAgent.VoiceAgent, unknown, TextAgent.TextAgent>
  /**
   * Tools that agents may use in conversations, each by `Tool.make(…)`, also in `outdial talk` and `outdial rehearse`. Give them to every
   * process. Default: not known here.
   */
  readonly tools?: ReadonlyArray<Tool.Tool>
  /** Stores recordings. `outdial erase` needs the same module. Default: the folder `recordings`. */
  readonly recordings?: Layer.Layer<Recordings.Recordings, unknown>
}

/** Returns its argument; gives the default export of a module its type. */
export const defineServer = (config: ServerConfig): ServerConfig => config
