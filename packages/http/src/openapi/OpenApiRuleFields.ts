/** The fields of what the rules say and of the do-not-call list. */
import {
  agentId,
  callId,
  contactFields,
  created,
  type Field,
  field,
  phoneNumber,
  requestFields
} from "./OpenApiExamples.ts"

const verdict = {
  rule: "outside_calling_hours",
  allows: false,
  next_allowed_at: "2026-03-03T14:00:00.000Z",
  data: { time_zones: ["America/New_York"] }
}

/** By the name of the form, as in `OpenApiFields`. */
export const ruleFields: { readonly [form: string]: { readonly [name: string]: Field } } = {
  Explanation: {
    object: field("Always `explanation`.", "explanation"),
    at: field("The moment of which it tells.", "2026-03-03T02:30:00.000Z"),
    call_id: field("The call. Absent in a preview.", callId),
    call_status: field("How the call stands. Absent in a preview.", "queued"),
    carrier: field("Of a live call: the carrier that it was claimed for.", "simulated"),
    lease_expires_at: field(
      "Of a live call: until when it counts as alive without a report from the carrier.",
      "2026-03-03T02:31:00.000Z"
    ),
    phone_number: field("The number, in E.164 form.", phoneNumber),
    time_zones: field(
      "All zones that the callee may be in, each of which must be open; none when that is not known.",
      ["America/New_York"]
    ),
    decision: field(
      "Whether the call would be dialed at this moment (`dial`), is held (`wait`), or would be refused (`refuse`, only in a preview); `none` for a call that is no longer `queued`.",
      "wait"
    ),
    code: field(
      "What holds it, as a `status_code`; in a preview also the code of the error that refuses it. More may be added.",
      "outside_calling_hours"
    ),
    reason: field("The same in plain words.", "Waiting for calling hours in the callee's time zone."),
    scheduled_for: field(
      "The first instant at which all rules about time allow it, when it is later and known.",
      verdict.next_allowed_at
    ),
    worker_alive: field(
      "Of a call that waits: whether any process dials calls now. When it is false nothing is dialed, whatever the rules say.",
      true
    ),
    rules: field("Every rule, in the order in which they are asked. More may be added.", [verdict])
  },
  Verdict: {
    rule: field("The `status_code` that a call shows when this rule is what holds it.", verdict.rule),
    allows: field("Whether the rule allows the dial now.", false),
    next_allowed_at: field(
      "While it does not: the first instant at which it will, when that is known.",
      verdict.next_allowed_at
    ),
    data: field("What it was decided from; differs from rule to rule, and may grow.", verdict.data)
  },
  PreviewCall: {
    ...requestFields,
    agent_id: field("Whose rules apply; the account's when not given.", agentId),
    test: field("Read and not used: the preview is of a call that rings.", false)
  },
  "PreviewCall.contact": contactFields,
  DoNotCallEntry: {
    object: field("Always `do_not_call_entry`.", "do_not_call_entry"),
    phone_number: field("The number, in E.164 form.", phoneNumber),
    source: field(
      "How it came on the list: `api` by a request, `import` from a file, `call` because the callee asked for it.",
      "call"
    ),
    call_id: field("The call in which the callee asked for it.", callId),
    created_at: field("When it came on the list. An entry stays until it is removed.", created)
  },
  DoNotCallAddition: {
    object: field("Always `do_not_call_addition`.", "do_not_call_addition"),
    added: field("How many of the numbers were not on the list before.", 2),
    canceled: field("How many calls that waited for them were canceled.", 1)
  },
  DeletedDoNotCallEntry: {
    object: field("Always `do_not_call_entry`.", "do_not_call_entry"),
    phone_number: field("The number, in E.164 form. It is not on the list now.", phoneNumber),
    deleted: field("Always `true`.", true)
  },
  AddDoNotCall: {
    phone_numbers: field(
      "1 to 1,000 numbers. Spaces, dashes, dots and brackets are ignored; a leading `00` is read as `+`. A number without a country is one of the policy's `default_country`, and is refused without that.",
      ["+1 (415) 555-0100", "+14155550101"]
    )
  }
}
