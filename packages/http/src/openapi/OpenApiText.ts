/** The words of the OpenAPI document that belong to no single field: what to know before the first request. */

export const description =
  `Outbound phone calls by AI agents. A call follows its agent's script, whose \`{{placeholders}}\` are filled from
\`variables\`. It is queued, dialed as soon as a line is free and calling hours allow, and ends with an outcome: disposition,
summary, answers, transcript and a temporary link to the recording.

**Authentication.** Send your API key in the header \`X-API-Key\`, or as \`Authorization: Bearer\`. Keys begin with \`vak_call_\`
and carry scopes. A key belongs on your server: one in a browser or an app can be copied and used to place calls.

**One batch instead of many calls.** \`POST /v1/batches\` starts up to 1,000 calls in one request. Rows that are wrong come
back in \`rejected\`; the others are queued.

**Webhooks instead of polling.** Set a webhook endpoint, and every call reports its end by \`call.completed\` or
\`call.not_connected\`. Who must poll asks for the batch every 30 to 60 seconds, not for each call.

**When a phone rings.** A call is dialed in the callee's calling hours, by the number's time zone or \`contact.time_zone\`, and
not too soon or too often after the last. While something holds it, it is \`queued\` with \`status_reason\`, \`status_code\` and,
where that is known, \`scheduled_for\`. \`GET /v1/calls/{id}/explanation\` tells it rule by rule, \`POST /v1/calls/preview\` before there
is a call. Numbers on the do-not-call list are refused; a callee who asks for it in a call is put on it.

**Retries.** Send an \`Idempotency-Key\` with every \`POST\` that starts something: a retry with the same key and body never calls
twice. The service does not redial by itself; another attempt is a new call with a new key.

**Test calls.** With \`test: true\` no phone rings and nothing is billed: the call completes at once with a sample outcome and
its event is sent.

**Limits.** 300 requests per key in any 60 seconds; a batch counts as one. Beyond it: 429 with \`Retry-After\`.

**Form.** JSON in UTF-8 with snake_case names; instants in ISO-8601, UTC; phone numbers in E.164. Fields that do not apply
are absent. Every answer carries \`X-Request-Id\`; every error has the one shape \`{error: {code, message, request_id}}\`.

**Versions.** \`/v1\` only grows: fields, codes and kinds of event may be added, so ignore what you do not know. What is to go is
announced by the headers \`Deprecation\` and \`Sunset\`, at least 12 months ahead.`

export const tags: ReadonlyArray<{ readonly name: string; readonly description: string }> = [
  { name: "calls", description: "One call at a time. Many at once are better started as a batch." },
  { name: "recordings", description: "What `recording_url` points to." },
  { name: "batches", description: "Up to 1,000 calls in one request. Batch calls are dialed behind single calls." },
  { name: "agents", description: "Who calls. Agents are written by the library and the command line." },
  {
    name: "do-not-call",
    description: "Numbers that are never called. Whoever asks for it in a call is on the list too."
  },
  { name: "webhook", description: "Where events are sent, and the secret that signs them." },
  { name: "deliveries", description: "How the sending of events went. Kept for 30 days." },
  { name: "events", description: "What happened. Kept for 30 days." },
  { name: "system", description: "For operators; needs no key." }
]
