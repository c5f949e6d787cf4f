/**
 * What every field of the interface means, with an example, by the name of its form in the OpenAPI document. The document's
 * test fails on a field that is missing here, and on an entry that no field has.
 */
import {
  agentId,
  apart,
  batchId,
  callId,
  contact,
  contactFields,
  created,
  ended,
  eventId,
  type Field,
  field,
  metadata,
  phoneNumber,
  requestFields,
  secret,
  variables
} from "./OpenApiExamples.ts"
import { ruleFields } from "./OpenApiRuleFields.ts"

const rejectedRow = {
  index: 1,
  phone_number: "555",
  code: "invalid_request",
  message: "phone_number must be a telephone number in E.164 form",
  param: "/calls/1/phone_number"
}
const batchCall = {
  index: 0,
  id: callId,
  phone_number: phoneNumber,
  external_id: contact.external_id,
  status: "queued"
}
const counts = {
  queued: 1,
  dialing: 0,
  in_progress: 0,
  completed: 0,
  no_answer: 0,
  busy: 0,
  failed: 0,
  canceled: 0,
  expired: 0
}
const outcome = {
  disposition: "confirmed",
  summary: "Ada confirmed the appointment on Tuesday at 10.",
  answers: { "Does the time still suit you?": "Yes" },
  lead_rating: 8,
  callback_requested: false,
  transcript: [{ speaker: "agent", text: "Hello, does Tuesday at 10 still suit you?" }, {
    speaker: "contact",
    text: "Yes."
  }]
}
const retryAt = "2026-03-03T10:00:00.000Z"
const meeting = { requested: true, at: "2026-03-05T14:30:00+01:00", time_text: "Thursday half past two", type: "call" }
const call = {
  id: callId,
  object: "call",
  status: "completed",
  agent_id: agentId,
  phone_number: phoneNumber,
  contact,
  variables,
  metadata,
  batch_id: null,
  test: false,
  duration_seconds: 42,
  created_at: created,
  ended_at: ended,
  outcome
}

export const fields: { readonly [form: string]: { readonly [name: string]: Field } } = {
  Call: {
    id: field("The call's id.", callId),
    object: field("Always `call`.", "call"),
    status: field(
      "`queued` until it is dialed; then `dialing` and `in_progress`; at last one of `completed`, `no_answer`, `busy`, `failed`, `canceled`, `expired`, which never changes.",
      "completed"
    ),
    status_reason: apart(
      "Why the call waits or did not happen, in plain words. Absent when there is no reason.",
      "Waiting for calling hours in the callee's time zone."
    ),
    status_code: apart("The same reason as a stable code. More may be added.", "outside_calling_hours"),
    scheduled_for: apart("While a queued call is held: when it is due.", "2026-03-03T09:00:00.000Z"),
    agent_id: field("The agent that makes the call.", agentId),
    phone_number: field("The number, in E.164 form.", phoneNumber),
    contact: field("Whom the call is for; `{}` when not given.", contact),
    variables: field("Values for the script's placeholders; `{}` when not given.", variables),
    metadata: field("Your own data; `{}` when not given. The agent never sees it.", metadata),
    batch_id: field("The batch that started the call; null when it was started alone.", null),
    test: field("Whether the call was only simulated: no phone rang, and it is not billed.", false),
    duration_seconds: field("From answer to hang-up; 0 when it was not answered. Present once the call has ended.", 42),
    created_at: field("When the call was accepted.", created),
    dialed_at: field("When it was dialed.", "2026-03-02T10:00:51.000Z"),
    ended_at: field("When it ended.", ended),
    answered_by: field("Who answered. A call that voicemail answered is `no_answer`.", "human"),
    recording_url: field(
      "A temporary link to the recording, which needs no key. After `recording_expires_at`, get the call again for a fresh one.",
      `https://calls.example.com/v1/calls/${callId}/recording?account=acct_01&expires=1772532107&signature=x`
    ),
    recording_expires_at: field("When the link ends, about 24 hours after it was made.", "2026-03-03T10:01:47.000Z"),
    outcome: field(
      "What the conversation came to. Null until it is processed, usually within a minute of the end, and for calls that did not connect.",
      outcome
    ),
    idempotent_replay: apart(
      "Only on the answer to `POST /v1/calls`: whether an earlier request with the same `Idempotency-Key` made the call.",
      false
    )
  },
  Contact: contactFields,
  Outcome: {
    disposition: field("One of the agent's dispositions.", outcome.disposition),
    summary: field("The conversation in a few sentences.", outcome.summary),
    answers: field("The answer to each of the agent's questions, by the question's text.", outcome.answers),
    lead_rating: field("How promising the contact is, from 1 to 10.", outcome.lead_rating),
    callback_requested: field("Whether the callee asked to be called back.", false),
    callback_time_text: field("When to call back, in the callee's words.", "tomorrow after lunch"),
    follow_up: field("`CALL` when another call should follow; otherwise absent.", "CALL"),
    follow_up_note: field("What the next call is about.", "Ask for the second signature."),
    meeting: field("A meeting that was spoken of.", meeting),
    do_not_call: apart(
      "Whether the callee asked not to be called again. The number is then on the do-not-call list; waiting calls to it are `canceled`.",
      true
    ),
    transcript: field("What was said, in order.", outcome.transcript)
  },
  "Outcome.transcript": {
    speaker: field("`agent`, or `contact` for the callee.", "contact"),
    text: field("What was said.", "Yes.")
  },
  Meeting: {
    requested: field("Whether a meeting was asked for.", true),
    at: field("When, as an ISO-8601 timestamp that keeps the offset it came with.", meeting.at),
    time_text: field("When, in the callee's words.", meeting.time_text),
    type: field("The kind of meeting.", meeting.type)
  },
  Batch: {
    id: field("The batch's id.", batchId),
    object: field("Always `batch`.", "batch"),
    status: field("`completed` when all its calls have ended.", "in_progress"),
    agent_id: field("The agent of rows that name none; null when every row has its own.", agentId),
    test: field("Whether its calls are only simulated.", false),
    accepted_count: field("Rows that became calls.", 1),
    rejected_count: field("Rows that were refused.", 1),
    counts: field("How many of its calls are in each status.", counts),
    calls: field("One item per accepted row. Absent in lists.", [batchCall]),
    rejected: field("One item per refused row. Absent in lists.", [rejectedRow]),
    created_at: field("When the batch was accepted.", created),
    completed_at: apart("When the last of its calls had ended.", ended),
    idempotent_replay: apart(
      "Only on the answer to `POST /v1/batches`: whether an earlier request with the same `Idempotency-Key` made the batch.",
      false
    )
  },
  "Batch.counts": Object.fromEntries(
    Object.entries(counts).map(([status, count]) => [status, field(`Calls that are \`${status}\`.`, count)])
  ),
  BatchCall: {
    index: field("The row's position in the request, from 0.", 0),
    id: field("The id of the row's call.", callId),
    phone_number: field("The number, in E.164 form.", phoneNumber),
    external_id: field("The contact's `external_id`, where the row gave one.", contact.external_id),
    status: field("How the call stands.", "queued")
  },
  RejectedRow: {
    index: field("The row's position in the request, from 0.", rejectedRow.index),
    phone_number: field("What was sent, or `\"\"` where that was no text.", rejectedRow.phone_number),
    code: field("Why, as one of the error codes.", rejectedRow.code),
    message: field("Why, and what to do about it.", rejectedRow.message),
    param: field("JSON Pointer into the request, where one field is to blame.", rejectedRow.param),
    call_id: apart("The waiting call that the row duplicates.", callId),
    missing: apart("Variables that the agent's script needs.", ["appointment"]),
    retry_at: apart("When the number's limits allow the next call.", retryAt)
  },
  Agent: {
    id: field("The agent's id.", agentId),
    object: field("Always `agent`.", "agent"),
    name: field("What its owner calls it.", "Appointment reminder"),
    variables: field("What its script takes from `variables`.", [{ key: "appointment", required: true }]),
    dispositions: field("What an outcome's `disposition` can be.", ["confirmed", "declined"]),
    created_at: field("When it was made.", created),
    updated_at: field("When it was last changed. A call keeps the script that it was accepted with.", created)
  },
  "Agent.variables": {
    key: field("The name of the variable.", "appointment"),
    required: field("Whether a call is refused without a value.", true),
    default: apart("The value of a call that gives none.", "your appointment")
  },
  ...ruleFields,
  Webhook: {
    object: field("Always `webhook`.", "webhook"),
    url: field("Where events are sent.", "https://example.com/hooks/calls"),
    enabled: field("Whether events are sent.", true),
    events: field("The kinds of event that are sent.", ["call.completed", "call.not_connected"]),
    secret: apart(
      "The signing secret. Only on the answer that makes it: when the endpoint is first set, and when the secret is rotated.",
      secret
    ),
    secret_hint: field("The end of the secret, to tell it from others.", "whsec_…9xZ1"),
    disabled_reason: apart(
      "Why it was disabled by itself: `gone` when the receiver answered 410, `failing` after five days without one success.",
      "failing"
    ),
    disabled_at: apart("When that was.", "2026-03-07T10:00:00.000Z"),
    previous_secret_expires_at: apart(
      "While an earlier secret still signs too: when the last of them stops.",
      "2026-03-03T10:00:00.000Z"
    ),
    created_at: field("When the endpoint was first set.", created),
    updated_at: field("When it was last changed.", created)
  },
  WebhookTest: {
    object: field("Always `webhook_test`.", "webhook_test"),
    event_id: field("The id of the test event.", eventId),
    delivered: field("Whether the receiver answered with a status of 200 to 299.", true),
    status_code: field("What the receiver answered; absent when no answer came.", 200),
    error_code: apart("What went wrong; absent when it was delivered.", "timeout"),
    duration_ms: field("How long it took.", 87)
  },
  WebhookDelivery: {
    id: field("The delivery's id.", "dlv_01KCA6ZJ6QK4D8V1V7N3R2T5WX"),
    object: field("Always `webhook_delivery`.", "webhook_delivery"),
    event_id: field("The event that is delivered.", eventId),
    call_id: field("The call that it tells of; absent when it tells of a batch.", callId),
    batch_id: apart("The batch that it tells of.", batchId),
    type: field("The kind of event.", "call.completed"),
    state: field(
      "`exhausted` when it will not be tried again, `held` while the webhook is disabled, `dropped` when the webhook was removed.",
      "pending"
    ),
    created_at: field("When the event happened.", ended),
    next_attempt_at: field("When it is tried next; absent when it is not.", "2026-03-02T10:06:47.000Z"),
    attempts: field("Every attempt so far, in order.", [{
      attempt: 1,
      cause: "schedule",
      status_code: 503,
      error_code: "http_error",
      duration_ms: 87,
      created_at: ended
    }])
  },
  "WebhookDelivery.attempts": {
    attempt: field("Its number; 1 is the first.", 1),
    cause: field(
      "Why it was made: `schedule`, `redeliver` or `recover` when you asked for it, or `probe` to see whether a receiver that failed is back; a probe that fails uses up no attempt.",
      "schedule"
    ),
    status_code: field("What the receiver answered; absent when no answer came.", 503),
    error_code: field("What went wrong; absent when it was delivered.", "http_error"),
    duration_ms: field("How long it took.", 87),
    created_at: field("When it was made.", ended)
  },
  Event: {
    id: field("The same on every attempt to deliver it: ignore an id that you have seen.", eventId),
    object: field("Always `event`.", "event"),
    type: field("What happened.", "call.completed"),
    timestamp: field("When it happened.", ended),
    api_version: field("The version whose form `data` has.", "v1"),
    test: field("Whether the call was only simulated.", false),
    data: field(
      "The call as it was then, in the form of `GET /v1/calls/{id}`; of `batch.completed` the batch, as the list of batches shows it.",
      call
    )
  },
  EventFeed: {
    object: field("Always `list`.", "list"),
    data: field("The events, oldest first.", []),
    has_more: field("Whether there are more now.", false),
    next_cursor: field("Send it as `cursor` to go on from here, now or later.", "WyJmZWVkIiw0MF0")
  },
  RecoverEvents: {
    since: field("The start of the window, inclusive.", "2026-03-02T08:00:00.000Z"),
    until: field("Its end, exclusive; now when not given.", "2026-03-02T10:00:00.000Z")
  },
  WebhookRecovery: {
    object: field("Always `webhook_recovery`.", "webhook_recovery"),
    events: field("How many events will be sent.", 17)
  },
  StartCall: {
    agent_id: field("The agent that makes the call; `GET /v1/agents` lists them.", agentId),
    ...requestFields,
    test: apart(
      "Simulates the call: no phone rings, it is not billed, it completes at once, and its event is sent.",
      true
    )
  },
  "StartCall.contact": contactFields,
  BatchRow: {
    agent_id: apart("In place of the batch's agent.", agentId),
    ...requestFields
  },
  "BatchRow.contact": contactFields,
  StartBatch: {
    agent_id: field("The agent of rows that name none. Required unless every row has its own.", agentId),
    calls: field("1 to 1,000 rows. Each is checked by itself.", [{ phone_number: phoneNumber, contact, variables }]),
    test: apart("Simulates all its calls.", true)
  },
  SetWebhook: {
    url: field("An https address with a name that resolves to public addresses.", "https://example.com/hooks/calls"),
    events: field(
      "The kinds to send; `call.completed` and `call.not_connected` when not given. Every call ends in one of these two. `call.outcome_updated` is not sent yet, as no outcome changes.",
      ["call.completed", "call.not_connected"]
    ),
    enabled: field("`false` keeps the endpoint and sends nothing; `true` when not given.", true)
  },
  RotateSecret: {
    grace_period_seconds: field(
      "How long the secret before still signs: from 0, which ends all earlier ones at once, to 604800; 86400 when not given.",
      86_400
    )
  },
  DeletedWebhook: {
    object: field("Always `webhook`.", "webhook"),
    deleted: field("Always `true`.", true)
  },
  Health: {
    status: field("Always `ok`.", "ok"),
    time_zones: field("The time zone data that calls are planned by.", { version: "8f3c21ab", tzdata: "2026a" })
  },
  "Health.time_zones": {
    version: field("Another one whenever numbers or zones are read differently.", "8f3c21ab"),
    tzdata: field("The release of the IANA time zone database in use, where it is known.", "2026a")
  },
  Readiness: { status: field("Always `ready`.", "ready") },
  List: {
    object: field("Always `list`.", "list"),
    data: field("The items of this page, newest first.", []),
    has_more: field("Whether there is another page.", false),
    next_cursor: field("Send it as `cursor` for the next page; null on the last one.", null)
  },
  Error: {
    error: field("What went wrong.", {
      code: "not_found",
      message: "There is no call call_0",
      request_id: "req_4k2j9x7m1q8w5e3r6t0y"
    })
  },
  "Error.error": {
    code: field("Stable; decide by it. More may be added.", "not_found"),
    message: field("What is wrong and what to do, for people. It may change.", "There is no call call_0"),
    request_id: field(
      "Also in the header `X-Request-Id`. Quote it when you report a fault.",
      "req_4k2j9x7m1q8w5e3r6t0y"
    ),
    param: field("JSON Pointer to what is wrong.", "/phone_number"),
    location: field("Which part of the request `param` points into.", "body"),
    errors: field("Everything that is wrong, at most 20 items.", [{
      param: "/phone_number",
      message: "phone_number is required"
    }]),
    call_id: field("The call in question.", callId),
    call_status: field("How the call stands.", "in_progress"),
    batch_id: field("The batch in question.", batchId),
    retry_at: field("When the same request may succeed.", "2026-03-03T10:00:00.000Z"),
    missing: field("Variables that the agent's script needs.", ["appointment"]),
    required_scopes: field("The scopes that the request needs.", ["calls:write"]),
    reasons: field(
      "Of `/readyz`: everything that is in the way, of `draining`, `storage_unavailable`, `migrations_pending` and " +
        "`clock_uncertain`.",
      ["draining"]
    ),
    max_rows: field("Most rows of a batch.", 1000),
    max_bytes: field("Largest body, in bytes.", 262_144)
  },
  "Error.error.errors": {
    param: field("JSON Pointer to it.", "/phone_number"),
    message: field("What is wrong with it.", "phone_number is required")
  }
}
