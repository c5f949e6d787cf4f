/** The tables of accounts and of what owners set. */
import { account, never, sealed, type TableDescription } from "./TableDescription.ts"

export const tables: Readonly<Record<string, TableDescription>> = {
  outdial_accounts: {
    holds: "One row per account (tenant): its policy, its number of lines, and what holds all of its calls at once.",
    grows: "One row per account.",
    pruned: never,
    columns: {
      id: "Account id, `acct_…`.",
      name: "Display name.",
      lines: "How many calls may be live at the same time.",
      policy: "The calling rules as the owner wrote them.",
      plan_version: "Raised by each policy change. Queued calls planned under an older version are planned again.",
      blocked_until:
        "No call of the account is dialed before this time, for example after the daily limit was reached.",
      day_started_at: "Start of the day that `placed_today` counts; null when it must be counted again.",
      placed_today: "Calls placed since `day_started_at`.",
      hold_periods:
        "What has held all calls of the account, as a list of at most 32 periods: status code, since when, and until when. Calls get copies.",
      erasure_key: `Key of the aliases of erased numbers: ${sealed}. Null until the account first erases a number.`,
      created_at: "When the account was created."
    },
    indexes: {
      outdial_accounts_pkey: "Reads an account. Claims and additions to the do-not-call list lock its row."
    },
    checks: {
      outdial_accounts_lines_check: "The number of lines is not negative.",
      outdial_accounts_erasure_key_check: "An erasure key is sealed and names the key that opens it."
    }
  },
  outdial_dial_switches: {
    holds:
      "The pause switch and the epoch of each account. Separate from `outdial_accounts`, so that a pause does not " +
      "wait for claims.",
    grows: "One row per account.",
    pruned: never,
    columns: {
      account_id: account,
      paused: "Whether the account is paused. A paused account dials nothing.",
      epoch: "Raised by each write that may forbid a dial. A claim made under an older epoch cannot be dialed."
    },
    indexes: {
      outdial_dial_switches_pkey:
        "Reads the switches beside its account; locked by a pause and by the fence before a dial."
    },
    checks: {}
  },
  outdial_closed_lanes: {
    holds:
      "Lanes that are outside their calling hours. A lane is a group of queued calls whose calling hours open and " +
      "close together.",
    grows:
      "One row per account and lane. Lanes are few: they differ by time zones and by agents with rules of their own.",
    pruned: "When the account's policy changes, when its lanes are planned again, or when a clock is set back.",
    columns: {
      account_id: account,
      lane: "Name of the lane: plan version, time zone data, time zones and agent.",
      until: "The lane is closed until this time.",
      hold_periods:
        "When the lane was closed, as for `outdial_accounts`. Null in rows that only an earlier version has written."
    },
    indexes: { outdial_closed_lanes_pkey: "Claims skip the lanes that are closed." },
    checks: {}
  },
  outdial_do_not_call: {
    holds: "The do-not-call list of each account.",
    grows: "One row per number that is added by the API, an import or a call.",
    pruned: "When the entry is removed. Erasure replaces the number by its alias.",
    columns: {
      account_id: account,
      phone_number: "The number in E.164 form, or the alias of an erased number.",
      source: "Where the entry came from.",
      call_id: "The call in which the callee asked not to be called; null for other sources and after erasure.",
      created_at: "When the number was added."
    },
    indexes: {
      outdial_do_not_call_pkey: "Asks for a number when a call is accepted and again when it is claimed.",
      outdial_do_not_call_newest: "Lists the entries of an account, newest first."
    },
    checks: { outdial_do_not_call_source_check: "The source is one of the known ones." }
  },
  outdial_agents: {
    holds: "The agents of each account, with the number of the latest version.",
    grows: "One row per agent.",
    pruned: never,
    columns: {
      account_id: account,
      id: "Agent id.",
      version: "Latest version; 0 only inside the transaction that creates the agent.",
      created_at: "When the agent was created.",
      archived_at: "Since when no call can be started with it; empty while it is in use."
    },
    indexes: { outdial_agents_pkey: "Reads and lists agents; locked while the next version is numbered." },
    checks: {}
  },
  outdial_agent_versions: {
    holds: "Every version of every agent. A version never changes, and calls keep the version they were accepted with.",
    grows: "One row per change of an agent.",
    pruned: never,
    columns: {
      account_id: account,
      agent_id: "The agent.",
      version: "Version number, from 1.",
      definition: "The agent as its owner wrote it.",
      updated_at: "When the version was created."
    },
    indexes: { outdial_agent_versions_pkey: "Reads the version that a call was accepted with." },
    checks: { outdial_agent_versions_version_check: "Versions start at 1." }
  },
  outdial_api_keys: {
    holds: "API keys. Only hashes are stored.",
    grows: "One row per key. `last_used_at` is written at most once a minute per key.",
    pruned: "Never; a revoked key stays.",
    columns: {
      account_id: account,
      id: "Key id, `key_…`.",
      name: "Display name.",
      hash: "SHA-256 of the key.",
      scopes: "What the key permits.",
      created_at: "When the key was created.",
      expires_at: "The key is refused from this time on; null for no end.",
      revoked_at: "When the key was revoked.",
      last_used_at: "The minute of the last request."
    },
    indexes: {
      outdial_api_keys_pkey: "Lists and revokes the keys of an account.",
      outdial_api_keys_hash: "Finds the key of a request, before its account is known. Unique in the whole deployment."
    },
    checks: {}
  },
  outdial_request_windows: {
    holds:
      "Rate limits: how many requests each key made in each of the last 60 seconds. Unlogged: a crash of the database " +
      "may lose the counts of one minute.",
    grows: "One row per API key in use, and a few per account for other limits. Each request updates a row.",
    pruned: "The janitor deletes a row a day after its last request.",
    columns: {
      account_id: account,
      name: "API key id, or the name of another limit, such as `webhook_test`.",
      second: "The second of the last entry of `counts`, as a Unix time.",
      counts: "Requests in each of the 60 seconds up to `second`, oldest first.",
      taken: "How many requests of the last write were counted."
    },
    indexes: { outdial_request_windows_pkey: "Counts a request; prunes the windows of an account." },
    checks: { outdial_request_windows_counts_check: "A window has exactly 60 seconds." }
  },
  outdial_deployment: {
    holds: "One row for the whole deployment.",
    grows: "It does not grow.",
    pruned: never,
    columns: {
      id: "Always 1.",
      paused: "The emergency stop of all accounts.",
      hold_periods: "When all accounts were stopped, as for `outdial_accounts`.",
      time_zone_version:
        "Version of the plan data of all nodes: the time zone data, and `>` with the version of the routes if there are several carriers; null until a node reports its own.",
      time_zone_adopted_at: "When a node last confirmed that version."
    },
    indexes: { outdial_deployment_pkey: "Read by each submission, claim and fence." },
    checks: { outdial_deployment_id_check: "There is at most one row." }
  }
}
