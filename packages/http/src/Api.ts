/** The `/v1` interface as one contract: the server, the OpenAPI document and the clients are made from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AgentsGroup } from "./account/AgentsApi.ts"
import { BatchesGroup } from "./call/BatchesApi.ts"
import { CallsGroup, RecordingsGroup } from "./call/CallsApi.ts"
import { DoNotCallGroup } from "./do-not-call/DoNotCallApi.ts"
import { DeliveriesGroup, EventsGroup } from "./event/EventsApi.ts"
import { SystemGroup } from "./observe/SystemApi.ts"
import { WebhookGroup } from "./webhook/WebhookApi.ts"

export class Api extends HttpApi.make("outdial")
  .add(CallsGroup)
  .add(RecordingsGroup)
  .add(BatchesGroup)
  .add(AgentsGroup)
  .add(DoNotCallGroup)
  .add(WebhookGroup)
  .add(DeliveriesGroup)
  .add(EventsGroup)
  .add(SystemGroup)
  // Everything that is wrong with a request is told at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  // Of an answer of ours that does not fit the contract, the first fault is enough.
  .annotate(HttpApi.SuccessParseOptions, { errors: "first" })
  // A misspelled field that is ignored starts another call than was meant, and a misspelled filter answers another question.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({
    title: "Outdial",
    version: "v1",
    description: "Outbound phone calls by AI agents"
  }))
{}
