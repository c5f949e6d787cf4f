/** The contract of what the console needs beyond `/v1`. Paths are below the console's own API. */
import { HttpApi } from "effect/http-api"
import { AccountsGroup } from "./AccountsApi.ts"
import { AgentsGroup } from "./AgentsApi.ts"
import { BatchesGroup } from "./BatchesApi.ts"
import { CallsGroup } from "./CallsApi.ts"
import { DoNotCallGroup } from "./DoNotCallApi.ts"
import { EventsGroup } from "./EventsApi.ts"
import { KeysGroup } from "./KeysApi.ts"
import { LiveGroup } from "./LiveApi.ts"
import { OverviewGroup } from "./OverviewApi.ts"
import { PolicyGroup } from "./PolicyApi.ts"
import { RehearsalsGroup } from "./RehearsalsApi.ts"
import { SwitchesGroup } from "./SwitchesApi.ts"
import { TalksGroup } from "./TalksApi.ts"
import { UsageGroup } from "./UsageApi.ts"

export class ConsoleApi extends HttpApi.make("console")
  .add(AccountsGroup)
  .add(AgentsGroup)
  .add(BatchesGroup)
  .add(CallsGroup)
  .add(DoNotCallGroup)
  .add(EventsGroup)
  .add(KeysGroup)
  .add(LiveGroup)
  .add(OverviewGroup)
  .add(PolicyGroup)
  .add(RehearsalsGroup)
  .add(SwitchesGroup)
  .add(TalksGroup)
  .add(UsageGroup)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotate(HttpApi.SuccessParseOptions, { errors: "first" })
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
{}
