/** The contract of the `/v1` API. The server, the OpenAPI document and the clients are derived from it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AgentsGroup } from "./account/AgentsApi.ts"
import { BatchesGroup } from "./call/BatchesApi.ts"
import { CallsGroup } from "./call/CallsApi.ts"
import { DoNotCallGroup } from "./do-not-call/DoNotCallApi.ts"
import { DeliveriesGroup, EventsGroup } from "./event/EventsApi.ts"
import { SystemGroup } from "./observe/SystemApi.ts"
import { RecordingsGroup } from "./recording/RecordingsApi.ts"
import { WebhookGroup } from "./webhook/WebhookApi.ts"

/** The introduction of the OpenAPI document. */
const description =
  `Outbound phone calls by AI agents. A call follows its agent's script, whose \`{{placeholders}}\` are filled from
\`variables\`. It is queued, and dialed as soon as a line is free and the calling rules allow. A completed call has an outcome:
disposition, summary, answers, transcript and a temporary link to the recording.

**Authentication.** Send your API key in the header \`X-API-Key\`, or as \`Authorization: Bearer\`. Keys begin with \`vak_call_\`
and carry scopes. A key belongs on your server: a key in a browser or an app can be copied and used to place calls.

**One batch instead of many calls.** \`POST /v1/batches\` starts up to 1,000 calls in one request. Invalid rows are returned in
\`rejected\`; the others are queued.

**Webhooks instead of polling.** Set a webhook endpoint, and every call reports its end by \`call.completed\` or
\`call.not_connected\`. If you must poll, poll the batch every 30 to 60 seconds rather than each call.

**When a phone rings.** A call is dialed within the callee's calling hours, by the number's time zone or \`contact.time_zone\`, and
not too soon or too often after the previous call. While a rule holds it, it is \`queued\` with \`status_reason\`, \`status_code\` and,
if known, \`scheduled_for\`. \`GET /v1/calls/{id}/explanation\` explains this rule by rule. \`POST /v1/calls/preview\` does the same
before you start a call. Numbers on the do-not-call list are rejected. A callee who opts out during a call is added to the list.

**Retries.** Send an \`Idempotency-Key\` with every \`POST\` that starts calls: a retry with the same key and body never calls
twice. The service never redials. For another attempt, start a new call with a new key.

**Test calls.** With \`test: true\` no phone rings and nothing is billed: the call completes at once with a sample outcome, and
its event is sent.

**Limits.** Each key has 300 requests in any 60 seconds; a batch counts as one. Beyond that, the answer is 429 with \`Retry-After\`.

**Format.** JSON in UTF-8 with snake_case names; instants in ISO-8601, UTC; phone numbers in E.164. Fields that do not apply
are absent. Every answer carries \`X-Request-Id\`, and every error has the shape \`{error: {code, message, request_id}}\`.

**Versions.** \`/v1\` only grows: fields, codes and event types may be added, so ignore what you do not know. The headers
\`Deprecation\` and \`Sunset\` announce removals at least 12 months ahead.`

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
  // Reports all problems of a request at once.
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  // For a response that breaks the contract, the first problem is enough.
  .annotate(HttpApi.SuccessParseOptions, { errors: "first" })
  // An ignored misspelled field would start a different call, and an ignored misspelled filter would return other items.
  .annotate(HttpApi.PayloadParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotate(HttpApi.QueryParseOptions, { errors: "all", onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({
    title: "Outdial",
    version: "v1",
    description
  }))
{}
