/** The tables of calls and batches, and of what is kept of them. */
import { account, never, type TableDescription } from "./TableDescription.ts"

export const tables: Readonly<Record<string, TableDescription>> = {
  outdial_calls: {
    holds:
      "The state of each call: queue position, claim, progress, result and outcome. What was requested with the call " +
      "is in `outdial_call_requests`.",
    grows: "One row per accepted call; test calls too. A row is updated about six times: claim, fence, " +
      "carrier's acceptance, answer, end, outcome. Between claim and end no indexed column changes, so these updates stay in " +
      "their page (HOT).",
    pruned:
      "The janitor deletes a call `retention.call_days` after it was accepted, once it has ended, its outcome is final " +
      "and its usage is folded. Without that setting calls are kept. `retention.transcript_days` removes transcript and recording.",
    columns: {
      account_id: account,
      id: "Call id, `call_…`.",
      phone_number: "The number in E.164 form, or the alias of an erased number.",
      test: "Whether this is a test call, which rings no phone.",
      priority: "0 for a single call, 1 for a call of a batch. Single calls are dialed first.",
      created_at: "When the call was accepted.",
      expires_at: "A call still queued at this time expires.",
      lane: "The lane in which the call is queued.",
      unavailable_count: "How often the carrier could not be reached.",
      not_before: "Not dialed before: by request, or because the carrier could not be reached.",
      due_at: "When a queued call is considered next, if its lane is open.",
      dialed_at: "When the call was claimed for its dial. Null again when it returned to the queue.",
      dial_by: "The carrier must be asked before this time or not at all.",
      lease_until: "When the lease of the claim runs out. Reports from the carrier extend it.",
      submitted_at: "Set immediately before the carrier is asked. From then on the call is never dialed again.",
      hang_up_at: "When an end of the live call was requested.",
      answered_at: "When the call was answered.",
      ended_at: "When the call ended.",
      outcome_due_at: "When the outcome is to be made, or tried again.",
      outcome_lease_until: "When the lease on making the outcome runs out.",
      claim_epoch: "The account's epoch when the call was claimed.",
      has_recording: "Whether there is a recording.",
      recording_due_at:
        "Until when the event of the call waits for a recording of the carrier; until that is written. Past if the carrier said that none will come.",
      transcript_deleted: "Whether transcript and recording were removed by retention or erasure.",
      claim_token: "Proof of the claim; a report under another token is refused.",
      carrier_call_id: "The carrier's id of the call.",
      ended_carrier_call_id:
        "The same of a call that has ended, by which late reports are told from those of another call.",
      status: "Where the call stands. It changes only along the transitions of the life of a call.",
      stage: "Generated from `status`, for indexes: `live` while the call has a line, `forgotten` when completed and " +
        "without words, otherwise the status.",
      status_code: "Why the call is held, or why it ended as it did.",
      answered_by: "Who answered.",
      cost: "What the carrier charges: an amount, as a decimal number in text, and a currency. Null until it says so.",
      machine: "The machine that has answered, by the carrier's word; null when it has said so of none.",
      outcome_state: "Where the outcome stands; `none` unless the call is completed.",
      made_outcome:
        "The outcome of a call whose event waits for the recording, or that there is none; for nodes of earlier versions it is pending.",
      outcome_token: "Proof of the claim on making the outcome.",
      transcript: "What was said.",
      outcome: "The outcome without its transcript.",
      carrier: "The carrier that the call was claimed for; null while it was not, and for calls of older versions.",
      carrier_reason: "Why the call did not connect, in the carrier's own words.",
      contact_spoke_at:
        "When the first words of the contact were logged, as text in UTC. A call with them ends as completed.",
      conversation:
        "`open` while words may be added to the log of its conversation, then `sealed`; null without a log.",
      transferred_at: "When the agent last transferred the contact, unless that failed, as text in UTC.",
      line_ended_at:
        "Of a live call: when its line ended, while the call waits for the last words of its conversation.",
      line_end_code: "With `line_ended_at`: why the line failed; null when it was hung up.",
      notes: "What the agent noted for the outcome, until that is stored.",
      usage: "What language models took for the conversation, by model.",
      holds:
        "What has held the call, oldest first, each with its time, its code and, if it is known, its end. At most 16.",
      decision: "What the rules decided from when the call was dialed last, or expired.",
      held_by: "Of an expired call: what held it just before it expired.",
      held_until: "Of an expired call: until when it was held."
    },
    indexes: {
      outdial_calls_pkey: "Reads one call; locks the calls of a step in the order of their ids.",
      outdial_calls_due:
        "Claims the next calls of each lane; finds the lanes with queued calls and the accounts with work; " +
        "counts the queue.",
      outdial_calls_expiry: "Finds the queued calls that expire.",
      outdial_calls_one_queued:
        "Keeps at most one queued call per account and number, test calls apart; finds that call.",
      outdial_calls_lines: "Counts the lines in use; finds live calls whose lease ran out; lists live calls.",
      outdial_calls_dials:
        "Counts the dials of a number for recall gap and number limits; finds a live call to the number.",
      outdial_calls_dialed: "Counts the dials of an account for the daily limit, calls per second and usage.",
      outdial_calls_stage: "Lists calls by status, newest first; finds calls and transcripts whose retention has ended."
    },
    checks: {
      outdial_calls_priority_check: "The priority is 0 or 1.",
      outdial_calls_status: "The status is one of the known ones.",
      outdial_calls_claim:
        "A call holds a complete claim exactly while it is live, and only a claimed call is with a carrier.",
      outdial_calls_dialed: "A live call has the time of its dial.",
      outdial_calls_ended: "A call has an end exactly when its status is final.",
      outdial_calls_outcome:
        "Exactly the completed calls have an outcome state; a pending outcome has a due time, a stored " +
        "one its document, and only a pending one is claimed, with a lease.",
      outdial_calls_conversation: "The state of a conversation is one of the known ones.",
      outdial_calls_line_end: "Only a line that has ended has failed, for one of the known reasons.",
      outdial_calls_machine: "The machine is one of the known ones."
    }
  },
  outdial_conversations: {
    holds: "Who writes the log of each call's conversation.",
    grows: "One row per call with a conversation. Each append renews the lease, in the same page (HOT).",
    pruned: "With the transcript of the call, at the latest with the call.",
    columns: {
      account_id: account,
      call_id: "The call.",
      created_at: "As on the call.",
      generation:
        "Raised when another process takes the log over; 0 once it is sealed. An append of another generation is refused.",
      entry_count: "How many entries were appended.",
      lease_until: "Another process may take the log over from this time on."
    },
    indexes: {
      outdial_conversations_pkey: "Appends to logs, seals them, takes them over and deletes them.",
      outdial_conversations_oldest: "Finds calls that were not completed and whose transcripts are to be deleted."
    },
    checks: { outdial_conversations_counts: "Generations and entries are counted from 0." }
  },
  outdial_conversation_entries: {
    holds:
      "The log of each conversation that is not sealed: turns, notes, and the uses of tools and of language models.",
    grows: "One row per eight entries, which are added in the same page (HOT).",
    pruned:
      "When the log is sealed; what the call keeps of it is in its transcript, notes and usage. A log that its process does not seal " +
      "is sealed five seconds after the end of the call, or when its outcome is claimed.",
    columns: {
      account_id: account,
      call_id: "The call.",
      chunk: "Place in the log, from 0 without gaps. The first entry is the one with the number `8 * chunk + 1`.",
      entries:
        "Up to eight entries, the latest first, with times in milliseconds since the answer: a turn as an array of `speaker`, " +
        "text, begin, end and, if it has it, `interrupted`; other entries as objects. Personal data."
    },
    indexes: {
      outdial_conversation_entries_pkey: "Reads a log, or what follows a place in it; deletes it."
    },
    checks: { outdial_conversation_entries_chunk_check: "Chunks are numbered from 0." }
  },
  outdial_call_requests: {
    holds: "What was requested with each call. Written once and read by lists; erasure is the only update.",
    grows: "One row per accepted call.",
    pruned: "With the call.",
    columns: {
      account_id: account,
      id: "The call.",
      agent_id: "The agent that speaks.",
      agent_version: "The version of the agent.",
      batch_id: "The batch of the call; null for a single call.",
      batch_index: "The row of the batch that made the call, from 0.",
      test: "As on the call.",
      phone_number: "As on the call.",
      contact: "Whom the call is for. Personal data.",
      external_id: "The contact's id in the owner's system.",
      variables: "Values for the placeholders of the agent's script.",
      metadata: "The owner's own data.",
      created_at: "As on the call."
    },
    indexes: {
      outdial_call_requests_pkey: "Reads what was requested with a call.",
      outdial_call_requests_agent: "Lists the calls of an agent, and all calls of an account, newest first.",
      outdial_call_requests_number: "Lists the calls to a number, newest first; finds the calls that erasure removes.",
      outdial_call_requests_external: "Lists the calls of a contact, newest first.",
      outdial_call_requests_tests: "Lists test calls, newest first.",
      outdial_call_requests_rows:
        "Reads, counts and cancels the calls of a batch; keeps each row of a batch at one call."
    },
    checks: { outdial_call_requests_batch: "A batch row has its batch and is counted from 0." }
  },
  outdial_pending_outcomes: {
    holds: "The calls whose outcome is still to be made, by due time. Who makes it is on the call.",
    grows: "One row per completed call, for the seconds or minutes until its outcome is stored or given up.",
    pruned: "In the transaction that settles the outcome.",
    columns: {
      account_id: account,
      due_at: "When the outcome is to be made.",
      call_id: "The call."
    },
    indexes: {
      outdial_pending_outcomes_pkey: "Claims the next outcomes; finds the accounts that have some; counts them."
    },
    checks: {}
  },
  outdial_unwanted_recordings: {
    holds:
      "The calls that have lost a recording whose file may still exist: to an end without words, to retention or to erasure.",
    grows: "One row per such recording, until its file is removed.",
    pruned: "When the file is removed, by the sweep or by the erasure.",
    columns: { account_id: account, call_id: "The call. It may have been deleted." },
    indexes: { outdial_unwanted_recordings_pkey: "Finds the accounts with such recordings, and the next of them." },
    checks: {}
  },
  outdial_batches: {
    holds: "Batches: up to 1,000 calls started by one request.",
    grows: "One row per batch.",
    pruned: "The janitor deletes a batch with its last call: see `retention.call_days`.",
    columns: {
      account_id: account,
      id: "Batch id, `batch_…`.",
      agent_id: "The agent of the request; null when each row named its own.",
      test: "Whether the calls are test calls.",
      accepted_count: "How many rows became calls.",
      rejected: "The rows that were refused, each with its index and error code.",
      created_at: "When the batch was accepted."
    },
    indexes: {
      outdial_batches_pkey: "Reads a batch; walks all batches of an account for erasure.",
      outdial_batches_newest: "Lists batches, newest first; finds old batches without calls."
    },
    checks: { outdial_batches_accepted_count_check: "The number of accepted rows is not negative." }
  },
  outdial_batch_ends: {
    holds: "Notes that calls of a batch have ended. The janitor then checks whether the whole batch has ended.",
    grows:
      "One row each time calls of a batch end in a transaction, if `batch.completed` is subscribed to. Has no key.",
    pruned: "The janitor deletes the rows within seconds, when it checks the batch.",
    columns: {
      account_id: account,
      batch_id: "The batch.",
      ended_at: "When the calls ended."
    },
    indexes: { outdial_batch_ends_due: "Takes the oldest notes of an account." },
    checks: {}
  },
  outdial_idempotency_keys: {
    holds: "Idempotency keys, so that a repeated request has no further effect.",
    grows: "One row per request that carries an `Idempotency-Key` and is accepted.",
    pruned: "The janitor deletes a key after 30 days, once the calls it made have ended.",
    columns: {
      account_id: account,
      route: "Which endpoint the key was used on.",
      key: "The key.",
      fingerprint: "Hash of the request, which a retry must match; empty after erasure.",
      resource_id: "The call or batch that the request made.",
      created_at: "When the key was first used."
    },
    indexes: {
      outdial_idempotency_keys_pkey: "Looks up the key of a request; lets one of two equal requests win.",
      outdial_idempotency_keys_oldest: "Finds the keys to delete; finds the keys of erased calls."
    },
    checks: { outdial_idempotency_keys_route_check: "The route is one of the known ones." }
  },
  outdial_usage: {
    holds: "Usage per day of calls that retention has reached. Usage of later days is counted from the calls.",
    grows: "One row per account and day with a dial, only for accounts with `retention.call_days`.",
    pruned: never,
    columns: {
      account_id: account,
      day: "The date in the account's time zone when the day was folded, as `YYYY-MM-DD`.",
      placed: "Calls placed on the day.",
      seconds: "Seconds talked in those calls.",
      costs: "What carriers have charged for those calls: amounts by currency. Null when they have said nothing."
    },
    indexes: { outdial_usage_pkey: "Reads the usage of a range of days; adds a folded day." },
    checks: {
      outdial_usage_placed_check: "The number of calls is not negative.",
      outdial_usage_seconds_check: "The talk time is not negative."
    }
  },
  outdial_usage_folds: {
    holds: "How far each account's usage is folded into `outdial_usage`.",
    grows: "One row per account with `retention.call_days`.",
    pruned: never,
    columns: {
      account_id: account,
      folded_until: "Calls dialed before this time are counted in `outdial_usage`."
    },
    indexes: { outdial_usage_folds_pkey: "Separates folded days from counted ones; locked while a day is folded." },
    checks: {}
  },
  outdial_erased_callees: {
    holds: "Aliases of erased numbers. Calls and do-not-call entries of an erased number are kept under its alias.",
    grows: "One row per erased number.",
    pruned: never,
    columns: {
      account_id: account,
      alias: "HMAC-SHA-256 of the number under the account's erasure key.",
      phone_number: "The number, once the account has used it again; null before.",
      erased_at: "When the number was last erased."
    },
    indexes: {
      outdial_erased_callees_pkey: "Finds the alias of a number that is used again.",
      outdial_erased_callees_known: "Finds the aliases of numbers that a claim asks about."
    },
    checks: {}
  }
}
