/** The handlers of `ConsoleApi`. */
import { Layer } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import type { HandlerServices } from "../access/HandlerServices.ts"
import * as AccountsHandlers from "./AccountsHandlers.ts"
import * as AgentsHandlers from "./AgentsHandlers.ts"
import * as BatchesHandlers from "./BatchesHandlers.ts"
import * as CallsHandlers from "./CallsHandlers.ts"
import type { ConsoleApi } from "./ConsoleApi.ts"
import * as DoNotCallHandlers from "./DoNotCallHandlers.ts"
import * as EventsHandlers from "./EventsHandlers.ts"
import * as KeysHandlers from "./KeysHandlers.ts"
import * as LiveHandlers from "./LiveHandlers.ts"
import * as OverviewHandlers from "./OverviewHandlers.ts"
import * as PolicyHandlers from "./PolicyHandlers.ts"
import * as RehearsalsHandlers from "./RehearsalsHandlers.ts"
import * as SwitchesHandlers from "./SwitchesHandlers.ts"
import * as TalksHandlers from "./TalksHandlers.ts"
import * as UsageHandlers from "./UsageHandlers.ts"

type Groups = (typeof ConsoleApi)["groups"]

export const layer: Layer.Layer<
  HttpApiGroup.ToService<"console", Groups[keyof Groups]>,
  never,
  HandlerServices
> = Layer.mergeAll(
  AccountsHandlers.layer,
  AgentsHandlers.layer,
  BatchesHandlers.layer,
  CallsHandlers.layer,
  DoNotCallHandlers.layer,
  EventsHandlers.layer,
  KeysHandlers.layer,
  LiveHandlers.layer,
  OverviewHandlers.layer,
  PolicyHandlers.layer,
  RehearsalsHandlers.layer,
  SwitchesHandlers.layer,
  TalksHandlers.layer,
  UsageHandlers.layer
)
