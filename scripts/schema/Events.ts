/** The tables of events, their recipients and their deliveries. */
import { account, never, sealed, type TableDescription } from "./TableDescription.ts"

export const tables: Readonly<Record<string, TableDescription>> = {
  outdial_events: {
    holds:
      "Events, with the exact bytes that are sent. Ids are derived from the call or batch, so that a call has one " +
      "terminal event and a batch one completion.",
    grows:
      "One row per ended call, subscribed to or not. One more per event type that a recipient wants: progress, outcome " +
      "updates and completed batches.",
    pruned: "The janitor deletes an event with its deliveries after 30 days.",
    columns: {
      account_id: account,
      id: "Event id, `evt_…`.",
      call_id: "The call; null for events of a batch.",
      batch_id: "The batch; null for events of a call.",
      type: "Event type.",
      created_at: "When it happened.",
      body: "The JSON text that is sent and signed. Personal data.",
      position: "Place in the account's feed; null until the feed is next read.",
      erased: "Whether personal data was removed from the body."
    },
    indexes: {
      outdial_events_pkey: "Reads one event; reads the events of a call, which are neighbours.",
      outdial_events_feed: "Reads the feed behind a cursor.",
      outdial_events_without_position: "Finds the events that have no place in the feed yet.",
      outdial_events_newest: "Lists events, newest first; finds the events to delete and those of a recovery window.",
      outdial_events_type: "Lists events of a type, newest first."
    },
    checks: {
      outdial_events_type_check: "The type is one of the known ones.",
      outdial_events_about: "An event is about one call or one batch, as its type says.",
      outdial_events_id: "The id is derived from the call or batch, with a letter behind it for progress."
    }
  },
  outdial_feeds: {
    holds: "The last position of each account's feed.",
    grows: "One row per account whose feed was read.",
    pruned: never,
    columns: {
      account_id: account,
      last_position: "The last position that was given to an event."
    },
    indexes: { outdial_feeds_pkey: "Locked while positions are given, one reader at a time." },
    checks: {}
  },
  outdial_deliveries: {
    holds: "The delivery of an event to the webhook endpoint or to a subscriber, with the log of its attempts.",
    grows:
      "One row per event and recipient that wants its type. An attempt adds no row: it adds an entry of about 100 " +
      "bytes to `log`. A row is written about three times.",
    pruned: "The janitor deletes a delivery with its event, after 30 days. Deleting a subscriber deletes what it has " +
      "not received.",
    columns: {
      account_id: account,
      id: "Delivery id, `dlv_…`, derived from the event and the subscriber.",
      event_id: "The event.",
      subscriber: "Name of the subscriber; empty for the webhook endpoint.",
      state: "Where the delivery stands. `dropped`: its endpoint was deleted.",
      attempts: "Attempts that count towards the schedule. Probes do not count.",
      cause: "Why the next or current attempt is made.",
      due_at: "When the next attempt is due; while sending, when the lease runs out.",
      claim_token: "Proof of the claim while sending.",
      generation: "Generation of the endpoint when the delivery was claimed.",
      redeliver_requested: "Whether its owner asked, during an attempt, to send it again.",
      log: "Every attempt whose result is known, oldest first: time, cause, status code, error code, duration.",
      created_at: "When the event happened."
    },
    indexes: {
      outdial_deliveries_pkey: "Reads one delivery; settles claimed deliveries.",
      outdial_deliveries_open:
        "Claims the next deliveries of a recipient; finds the accounts that have some; counts them.",
      outdial_deliveries_sending: "Counts what is in flight to a recipient; finds the next lease that runs out.",
      outdial_deliveries_delivered: "Lists delivered deliveries, newest first.",
      outdial_deliveries_undelivered: "Lists waiting, exhausted and dropped deliveries, newest first.",
      outdial_deliveries_given_up: "Starts exhausted deliveries of a subscriber again when it subscribes.",
      outdial_deliveries_subscribed: "Finds the deliveries of an event to subscribers, which are deleted with it."
    },
    checks: {
      outdial_deliveries_state_check: "The state is one of the known ones.",
      outdial_deliveries_attempts_check: "The number of attempts is not negative.",
      outdial_deliveries_cause_check: "The cause is one of the known ones.",
      outdial_deliveries_claim: "A delivery has a claim token exactly while it is being sent.",
      outdial_deliveries_redeliver_requested: "Only a delivery that is being sent can be marked to be sent again."
    }
  },
  outdial_webhooks: {
    holds: "The webhook endpoint of each account and the state of its circuit breaker.",
    grows: "At most one row per account.",
    pruned: "With the endpoint.",
    columns: {
      account_id: account,
      url: "Where events are sent.",
      enabled: "Whether events are sent; otherwise they are held.",
      events: "The event types the endpoint receives.",
      secret: `The signing secret: ${sealed}.`,
      previous_secrets: "Rotated secrets that still sign, each sealed, with its `expires_at`.",
      created_at: "When the endpoint was created.",
      updated_at: "When its owner last changed it.",
      disabled_reason: "Why the engine disabled the endpoint; null when its owner did or when it is enabled.",
      disabled_at: "When the engine disabled it.",
      failures: "Failed attempts since the last success.",
      failing_since: "When the first of them happened.",
      openings: "How often the breaker opened since the last success; 0 while it is closed.",
      open_until: "While the breaker is open: when the next probe may be sent.",
      recovered_at: "When the breaker last closed; the start of the ramp.",
      generation:
        "Raised when the owner changes the endpoint. Results of older attempts do not count against the new one."
    },
    indexes: {
      outdial_webhooks_pkey: "Reads the endpoint when an event is written; locked while deliveries are claimed."
    },
    checks: {
      outdial_webhooks_disabled_reason_check: "The reason is one of the known ones.",
      outdial_webhooks_disabled: "Reason and time are set together, and only while the endpoint is disabled.",
      outdial_webhooks_breaker: "Failures have a beginning, and an open breaker an end; a closed one has neither.",
      outdial_webhooks_secret_check: "The secret is sealed and names the key that opens it."
    }
  },
  outdial_subscribers: {
    holds: "Subscribers: named handlers inside the host's processes that receive events.",
    grows: "One row per account and name.",
    pruned: "With the subscription.",
    columns: {
      account_id: account,
      name: "Name of the subscriber.",
      events: "The event types it receives.",
      created_at: "When it first subscribed."
    },
    indexes: {
      outdial_subscribers_pkey: "Reads the subscribers when an event is written; locked while deliveries are claimed."
    },
    checks: {
      outdial_subscribers_name_check: "A subscriber has a name. The empty name stands for the webhook endpoint."
    }
  }
}
