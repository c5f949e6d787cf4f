/** The tables of the console. */
import type { TableDescription } from "./TableDescription.ts"

const onlyAccount = "The only account that the user may see. Null for all accounts."
const role = "`viewer`, `operator` or `admin`."
const checkOfRole = "The role is one of the three."

export const tables: Readonly<Record<string, TableDescription>> = {
  outdial_console_links: {
    holds: "Links to the console that have not been used.",
    grows: "One row per link.",
    pruned: "Opening a link deletes it. The janitor deletes links that have expired, ten minutes after they were made.",
    columns: {
      hash: "SHA-256 of the link's token, in hex.",
      role,
      name: "Name of the user, for the list of sessions and the audit log.",
      account_id: onlyAccount,
      created_at: "When the link was made.",
      expires_at: "From when on it no longer works."
    },
    indexes: { outdial_console_links_pkey: "Opens a link." },
    checks: { outdial_console_links_role: checkOfRole }
  },
  outdial_console_sessions: {
    holds: "Sessions of the console.",
    grows: "One row per link that was opened.",
    pruned:
      "Revoking a session deletes it. The janitor deletes sessions that have expired, twelve hours after they began.",
    columns: {
      id: "Session id.",
      hash: "SHA-256 of the session's token, in hex.",
      role,
      name: "Name of the user.",
      account_id: onlyAccount,
      created_at: "When the link was opened.",
      expires_at: "From when on it no longer works.",
      last_used_at: "When it was last used, to the minute."
    },
    indexes: {
      outdial_console_sessions_pkey: "Revokes a session.",
      outdial_console_sessions_hash: "Finds the session of a request."
    },
    checks: { outdial_console_sessions_role: checkOfRole }
  },
  outdial_audit_log: {
    holds: "Changes that users of the console made. Holds no secrets, no scripts and nothing of a callee.",
    grows: "One row per request of a user that may change something.",
    pruned: "The janitor deletes entries after 400 days.",
    columns: {
      id: "Entry id.",
      created_at: "When the change was requested.",
      actor: "Name of the user.",
      role,
      account_id: "The account that was changed. Null for changes that concern no single account.",
      action: "What was done, such as `calls.cancel`.",
      target: "Id of what was changed.",
      status: "HTTP status of the response. Null while it is carried out, and if the process ended before.",
      details: "Facts of the change."
    },
    indexes: {
      outdial_audit_log_pkey: "Completes an entry.",
      outdial_audit_log_list: "Lists the entries of all accounts, and prunes old ones.",
      outdial_audit_log_of_account: "Lists the entries of an account."
    },
    checks: { outdial_audit_log_role: checkOfRole }
  }
}
