// The bare `pg` client: the same insert as a call needs, and nothing else.
import pg from "pg"
import { inFlight, payload, percentile, rate, sleep } from "./load.mjs"

const insert = {
  name: "insert",
  text: `with asked as (
      insert into outdial_call_requests (
        account_id, id, agent_id, agent_version, test, phone_number, contact, external_id, variables, metadata, created_at
      )
      values ('acct_bare', $1, '00000000-0000-4000-8000-000000000001', 1, false, $2, $3, $4, $5, $6, $7)
    )
    insert into outdial_calls (
      account_id, id, priority, test, phone_number, status, created_at, lane, due_at, expires_at, unavailable_count,
      has_recording, outcome_state
    )
    values ('acct_bare', $1, 0, false, $2, 'queued', $7, '1|Etc/UTC|', $7, $8, 0, false, 'none')`
}

let made = 0
const values = () => {
  const { contact, metadata, phone_number, variables } = payload(++made)
  const now = new Date()
  return [
    `call_${String(made).padStart(26, "0")}`,
    phone_number,
    JSON.stringify(contact),
    contact.external_id,
    JSON.stringify(variables),
    JSON.stringify(metadata),
    now,
    new Date(now.getTime() + 7 * 86_400_000)
  ]
}

export const make = async (connectionString) => {
  const pool = new pg.Pool({ connectionString, max: 10 })
  return {
    acceptCalls: (count) => rate(count, () => inFlight(count, 50, () => pool.query({ ...insert, values: values() }))),
    /** From the commit of an insert with its notice to the claim of the row by who listens. */
    latency: async (count) => {
      const times = []
      const listener = await pool.connect()
      await listener.query("listen call")
      let noticed = () => {}
      listener.on("notification", () => noticed())
      for (let index = 0; index < count; index++) {
        const { promise, resolve } = Promise.withResolvers()
        noticed = resolve
        const client = await pool.connect()
        await client.query("begin")
        const [id, ...rest] = values()
        await client.query({ ...insert, values: [id, ...rest] })
        await client.query("notify call")
        await client.query("commit")
        const committed = performance.now()
        client.release()
        await promise
        await pool.query({
          name: "claim",
          text: `update outdial_calls
            set status = 'dialing', claim_token = 'claim_1', claim_epoch = 1, lease_until = $2, dial_by = $2, dialed_at = $2
            where account_id = 'acct_bare' and id = $1 and status = 'queued'`,
          values: [id, new Date()]
        })
        times.push(performance.now() - committed)
        await sleep(5)
      }
      listener.release()
      return [percentile(times, 50), percentile(times, 99)]
    }
  }
}
