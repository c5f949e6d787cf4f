/**
 * For each CHECK constraint the states that it forbids, each beside the nearest legal one. Rows are changes of the legal row of
 * the table.
 */

export type Row = Readonly<Record<string, unknown>>

export interface IllegalState {
  readonly illegal: Row
  /** The nearest legal state; by default the legal row of the table. */
  readonly legal?: Row
}

export interface States {
  /** A legal row. */
  readonly row: Row
  /** By the constraint's name and a description of the state. */
  readonly checks: Readonly<Record<string, Readonly<Record<string, IllegalState>>>>
}

const at = "2026-01-01T00:00:00Z"
const later = "2026-01-01T00:01:00Z"
const account_id = "acct_1"
const sealed = { key_id: "key", ciphertext: "text", hint: "hint" }
const { ciphertext: _, ...withoutCiphertext } = sealed
const { key_id: __, ...withoutKeyId } = sealed

const claim = { claim_token: "claim_1", claim_epoch: 1, lease_until: later, dial_by: later }
const dialing = { status: "dialing", dialed_at: at, ...claim }
const completed = { status: "completed", ended_at: later, outcome_state: "given_up" }
const pending = { ...completed, outcome_state: "pending", outcome_due_at: later }
const sending = { state: "sending", claim_token: "claim_1" }
const progress = { type: "call.dialing", id: "evt_1D1" }
const batchCompleted = { type: "batch.completed", call_id: null, batch_id: "batch_1" }

/** By table. Rows refer to the account `acct_1` and its agent `agent_1`. */
export const tables: Readonly<Record<string, States>> = {
  outdial_accounts: {
    row: { id: "acct_2", name: "Clinic", lines: 1, policy: {}, plan_version: 1, created_at: at },
    checks: {
      outdial_accounts_lines_check: {
        "a negative number of lines": { illegal: { lines: -1 }, legal: { lines: 0 } }
      },
      outdial_accounts_erasure_key_check: {
        "an erasure key without ciphertext": {
          illegal: { erasure_key: withoutCiphertext },
          legal: { erasure_key: sealed }
        },
        "an erasure key that names no secret key": {
          illegal: { erasure_key: withoutKeyId },
          legal: { erasure_key: sealed }
        }
      }
    }
  },
  outdial_agent_versions: {
    row: { account_id, agent_id: "agent_1", version: 1, definition: {}, updated_at: at },
    checks: { outdial_agent_versions_version_check: { "version 0": { illegal: { version: 0 } } } }
  },
  outdial_carriers: {
    row: { name: "carrier", slots_taken: 0 },
    checks: {
      outdial_carriers_calls_per_second: {
        "no call per second": { illegal: { calls_per_second: 0 }, legal: { calls_per_second: 0.1 } }
      },
      outdial_carriers_paused_by: {
        "an unknown cause of a pause": {
          illegal: { paused_at: at, paused_by: "weather" },
          legal: { paused_at: at, paused_by: "operator" }
        }
      },
      outdial_carriers_pause: {
        "a pause without a cause": { illegal: { paused_at: at }, legal: { paused_at: at, paused_by: "operator" } },
        "a cause without a pause": { illegal: { paused_by: "fault" } },
        "a reason without a pause": {
          illegal: { pause_reason: {} },
          legal: { paused_at: at, paused_by: "fault", pause_reason: {}, checked_at: at }
        },
        "a check without a pause": { illegal: { checked_at: at } }
      },
      outdial_carriers_slots_taken: {
        "a negative number of slots": { illegal: { slots_taken: -1 }, legal: { slots_taken: 0 } }
      }
    }
  },
  outdial_console_links: {
    row: { hash: "link", role: "viewer", name: "Grace", created_at: at, expires_at: at },
    checks: {
      outdial_console_links_role: { "an unknown role": { illegal: { role: "owner" }, legal: { role: "admin" } } }
    }
  },
  outdial_console_sessions: {
    row: {
      id: "session_1",
      hash: "session",
      role: "viewer",
      name: "Grace",
      created_at: at,
      expires_at: at,
      last_used_at: at
    },
    checks: {
      outdial_console_sessions_role: { "an unknown role": { illegal: { role: "owner" }, legal: { role: "operator" } } }
    }
  },
  outdial_audit_log: {
    row: { id: "audit_1", created_at: at, actor: "Grace", role: "viewer", action: "calls.cancel", details: {} },
    checks: { outdial_audit_log_role: { "an unknown role": { illegal: { role: "owner" }, legal: { role: "admin" } } } }
  },
  outdial_batches: {
    row: { account_id, id: "batch_1", test: false, accepted_count: 0, rejected: [], created_at: at },
    checks: {
      outdial_batches_accepted_count_check: {
        "a negative number of accepted rows": { illegal: { accepted_count: -1 } }
      }
    }
  },
  outdial_call_requests: {
    row: {
      account_id,
      id: "call_1",
      agent_id: "agent_1",
      agent_version: 1,
      test: false,
      phone_number: "+14155550100",
      contact: {},
      variables: {},
      metadata: {},
      created_at: at
    },
    checks: {
      outdial_call_requests_batch: {
        "a batch row without a batch": { illegal: { batch_index: 0 }, legal: { batch_index: 0, batch_id: "batch_1" } },
        "a negative batch row": {
          illegal: { batch_index: -1, batch_id: "batch_1" },
          legal: { batch_index: 0, batch_id: "batch_1" }
        }
      }
    }
  },
  outdial_calls: {
    row: {
      account_id,
      id: "call_1",
      phone_number: "+14155550100",
      test: false,
      priority: 0,
      created_at: at,
      expires_at: later,
      lane: "1||",
      unavailable_count: 0,
      due_at: at,
      has_recording: false,
      transcript_deleted: false,
      status: "queued",
      outcome_state: "none"
    },
    checks: {
      outdial_calls_priority_check: { "an unknown priority": { illegal: { priority: 2 }, legal: { priority: 1 } } },
      outdial_calls_status: {
        "an unknown status": {
          illegal: { status: "ringing", ended_at: later },
          legal: { status: "no_answer", ended_at: later }
        }
      },
      outdial_calls_claim: {
        "a queued call with a claim": { illegal: claim },
        "an ended call with a claim": {
          illegal: { status: "busy", ended_at: later, ...claim },
          legal: { status: "busy", ended_at: later }
        },
        "a live call without a claim": { illegal: { status: "dialing", dialed_at: at }, legal: dialing },
        "a live call without a claim token": { illegal: { ...dialing, claim_token: null }, legal: dialing },
        "a live call without the epoch of its claim": { illegal: { ...dialing, claim_epoch: null }, legal: dialing },
        "a live call without a lease": { illegal: { ...dialing, lease_until: null }, legal: dialing },
        "a live call without a deadline for its dial": { illegal: { ...dialing, dial_by: null }, legal: dialing },
        "a queued call that was submitted": { illegal: { submitted_at: at }, legal: { ...dialing, submitted_at: at } },
        "a queued call with an id of the carrier": {
          illegal: { carrier_call_id: "1" },
          legal: { ...dialing, carrier_call_id: "1" }
        }
      },
      outdial_calls_dialed: {
        "a dialing call without the time of its dial": { illegal: { ...dialing, dialed_at: null }, legal: dialing },
        "a call in progress without the time of its dial": {
          illegal: { ...dialing, status: "in_progress", dialed_at: null },
          legal: { ...dialing, status: "in_progress" }
        }
      },
      outdial_calls_ended: {
        "a queued call with an end": { illegal: { ended_at: later } },
        "a live call with an end": { illegal: { ...dialing, ended_at: later }, legal: dialing },
        "an ended call without an end": { illegal: { ...completed, ended_at: null }, legal: completed }
      },
      outdial_calls_outcome: {
        "an unknown outcome state": { illegal: { ...completed, outcome_state: "lost" }, legal: completed },
        "an outcome state of a call that is not completed": {
          illegal: { ...completed, status: "busy" },
          legal: { ...completed, status: "busy", outcome_state: "none" }
        },
        "a completed call without an outcome state": {
          illegal: { ...completed, outcome_state: "none" },
          legal: completed
        },
        "a pending outcome that is never due": { illegal: { ...pending, outcome_due_at: null }, legal: pending },
        "a due time of an outcome that was given up": {
          illegal: { ...completed, outcome_due_at: later },
          legal: completed
        },
        "a stored outcome without its document": {
          illegal: { ...completed, outcome_state: "stored" },
          legal: { ...completed, outcome_state: "stored", outcome: {} }
        },
        "a document of an outcome that is pending": { illegal: { ...pending, outcome: {} }, legal: pending },
        "a claim on an outcome that was given up": {
          illegal: { ...completed, outcome_token: "claim_1", outcome_lease_until: later },
          legal: { ...pending, outcome_token: "claim_1", outcome_lease_until: later }
        },
        "a claim on an outcome without a lease": { illegal: { ...pending, outcome_token: "claim_1" }, legal: pending }
      },
      outdial_calls_conversation: {
        "an unknown state of a conversation": {
          illegal: { ...dialing, conversation: "ended" },
          legal: { ...dialing, conversation: "open" }
        }
      },
      outdial_calls_machine: {
        "an unknown machine": {
          illegal: { ...dialing, machine: "robot" },
          legal: { ...dialing, machine: "voicemail" }
        }
      },
      outdial_calls_line_end: {
        "a line that failed and has not ended": {
          illegal: { ...dialing, line_end_code: "carrier_lost" },
          legal: { ...dialing, line_end_code: "carrier_lost", line_ended_at: later }
        },
        "an unknown failure of a line": {
          illegal: { ...dialing, line_end_code: "no_speech", line_ended_at: later },
          legal: { ...dialing, line_end_code: "carrier_refused", line_ended_at: later }
        }
      }
    }
  },
  outdial_conversations: {
    row: { account_id, call_id: "call_1", created_at: at, generation: 1, entry_count: 0, lease_until: later },
    checks: {
      outdial_conversations_counts: {
        "a negative generation": { illegal: { generation: -1 }, legal: { generation: 0 } },
        "a negative number of entries": { illegal: { entry_count: -1 } }
      }
    }
  },
  outdial_conversation_entries: {
    row: { account_id, call_id: "call_1", chunk: 0, entries: [] },
    checks: {
      outdial_conversation_entries_chunk_check: { "entries before the first": { illegal: { chunk: -1 } } }
    }
  },
  outdial_deliveries: {
    row: {
      account_id,
      id: "dlv_1",
      event_id: "evt_1",
      subscriber: "",
      state: "pending",
      attempts: 0,
      cause: "schedule",
      due_at: at,
      generation: 0,
      redeliver_requested: false,
      log: [],
      created_at: at
    },
    checks: {
      outdial_deliveries_state_check: {
        "an unknown state": { illegal: { state: "held" }, legal: { state: "dropped" } }
      },
      outdial_deliveries_attempts_check: { "a negative number of attempts": { illegal: { attempts: -1 } } },
      outdial_deliveries_cause_check: {
        "an unknown cause": { illegal: { cause: "retry" }, legal: { cause: "recover" } }
      },
      outdial_deliveries_claim: {
        "a pending delivery with a claim": { illegal: { claim_token: "claim_1" }, legal: sending },
        "a delivery that is being sent without a claim": { illegal: { state: "sending" }, legal: sending }
      },
      outdial_deliveries_redeliver_requested: {
        "a pending delivery that is to be sent again": {
          illegal: { redeliver_requested: true },
          legal: { ...sending, redeliver_requested: true }
        }
      }
    }
  },
  outdial_deployment: {
    row: { id: 1, paused: false },
    checks: { outdial_deployment_id_check: { "a second deployment": { illegal: { id: 2 } } } }
  },
  outdial_do_not_call: {
    row: { account_id, phone_number: "+14155550100", source: "api", created_at: at },
    checks: {
      outdial_do_not_call_source_check: {
        "an unknown source": { illegal: { source: "file" }, legal: { source: "import" } }
      }
    }
  },
  outdial_events: {
    row: {
      account_id,
      id: "evt_1",
      call_id: "call_1",
      type: "call.completed",
      created_at: at,
      body: "{}",
      erased: false
    },
    checks: {
      outdial_events_type_check: {
        "an unknown type": {
          illegal: { type: "call.ringing", id: "evt_1U1" },
          legal: { type: "call.outcome_updated", id: "evt_1U1" }
        }
      },
      outdial_events_about: {
        "an event of a batch about a call": {
          illegal: { ...batchCompleted, call_id: "call_1" },
          legal: batchCompleted
        },
        "an event of a batch about nothing": { illegal: { ...batchCompleted, batch_id: null }, legal: batchCompleted },
        "an event of a call about a batch": { illegal: { batch_id: "batch_1" } },
        "an event of a call about nothing": { illegal: { call_id: null } }
      },
      outdial_events_id: {
        "a terminal event under the id of another call": { illegal: { id: "evt_2" } },
        "a terminal event under an id of progress": { illegal: { id: "evt_1D1" } },
        "progress under the id of another call": { illegal: { ...progress, id: "evt_2D1" }, legal: progress },
        "progress under the id of the terminal event": { illegal: { ...progress, id: "evt_1" }, legal: progress },
        "progress under an id of another type": { illegal: { ...progress, id: "evt_1P1" }, legal: progress },
        "a completion under the id of another batch": {
          illegal: { ...batchCompleted, id: "evt_2" },
          legal: batchCompleted
        }
      }
    }
  },
  outdial_idempotency_keys: {
    row: { account_id, route: "calls", key: "key", fingerprint: "", resource_id: "call_1", created_at: at },
    checks: {
      outdial_idempotency_keys_route_check: {
        "an unknown route": { illegal: { route: "agents" }, legal: { route: "batches" } }
      }
    }
  },
  outdial_request_windows: {
    row: { account_id, name: "key_1", second: 0, counts: Array.from({ length: 60 }, () => 0), taken: 0 },
    checks: {
      outdial_request_windows_counts_check: {
        "a window of 59 seconds": { illegal: { counts: Array.from({ length: 59 }, () => 0) } },
        "a window of 61 seconds": { illegal: { counts: Array.from({ length: 61 }, () => 0) } }
      }
    }
  },
  outdial_subscribers: {
    row: { account_id, name: "crm", events: [], created_at: at },
    checks: { outdial_subscribers_name_check: { "a subscriber without a name": { illegal: { name: "" } } } }
  },
  outdial_usage: {
    row: { account_id, day: "2026-01-01", placed: 0, seconds: 0 },
    checks: {
      outdial_usage_placed_check: { "a negative number of calls": { illegal: { placed: -1 } } },
      outdial_usage_seconds_check: { "a negative talk time": { illegal: { seconds: -1 } } }
    }
  },
  outdial_webhooks: {
    row: {
      account_id,
      url: "https://example.com/",
      enabled: true,
      events: [],
      secret: sealed,
      previous_secrets: [],
      created_at: at,
      updated_at: at,
      failures: 0,
      openings: 0,
      generation: 0
    },
    checks: {
      outdial_webhooks_disabled_reason_check: {
        "an unknown reason": {
          illegal: { enabled: false, disabled_reason: "slow", disabled_at: at },
          legal: { enabled: false, disabled_reason: "gone", disabled_at: at }
        }
      },
      outdial_webhooks_disabled: {
        "a reason without a time": {
          illegal: { enabled: false, disabled_reason: "gone" },
          legal: { enabled: false, disabled_reason: "gone", disabled_at: at }
        },
        "a time without a reason": { illegal: { enabled: false, disabled_at: at }, legal: { enabled: false } },
        "a reason while the endpoint is enabled": {
          illegal: { disabled_reason: "failing", disabled_at: at },
          legal: { enabled: false, disabled_reason: "failing", disabled_at: at }
        }
      },
      outdial_webhooks_breaker: {
        "failures without a beginning": { illegal: { failures: 1 }, legal: { failures: 1, failing_since: at } },
        "a beginning without failures": { illegal: { failing_since: at } },
        "an open breaker without an end": {
          illegal: { openings: 1 },
          legal: { openings: 1, open_until: later }
        },
        "an end of a breaker that is closed": { illegal: { open_until: later } }
      },
      outdial_webhooks_secret_check: {
        "a secret without ciphertext": { illegal: { secret: withoutCiphertext } },
        "a secret that names no secret key": { illegal: { secret: withoutKeyId } }
      }
    }
  }
}
