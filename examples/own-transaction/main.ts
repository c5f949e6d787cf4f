import { Outdial, SimulatedTelephony } from "@outdial/core"
import { postgres } from "@outdial/sql"
import { Pool } from "pg"

const { DATABASE_URL = "" } = process.env
await using engine = await Outdial.open({
  ...postgres({ url: DATABASE_URL, schema: "outdial" }),
  secretKey: "ZXhhbXBsZSBrZXksIG5vdCBmb3IgcHJvZHVjdGlvbiE=",
  agents: [{ name: "Ada", script: "Hello", questions: ["Will you come?"], dispositions: ["yes", "no"] }],
  policy: { callingHours: null },
  telephony: SimulatedTelephony.layer({ speed: 1000 }) // in place of your carrier
})
const [agent] = await engine.agents.list()
const pool = new Pool({ connectionString: DATABASE_URL })
await pool.query("create table if not exists visits (id text primary key, call_id text not null)")

/** Commits the visit and its call together, or neither. */
const book = async (visitId: string, phoneNumber: string) => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const call = await engine.within(client).calls.start({ agentId: agent?.id ?? "", phoneNumber })
    await client.query("insert into visits (id, call_id) values ($1, $2)", [visitId, call.id])
    await client.query("commit")
  } catch (error) {
    await client.query("rollback")
    throw error
  } finally {
    client.release()
  }
}

const ended = Promise.withResolvers<string>()
await engine.events.subscribe("example", ({ type }) => ended.resolve(type))
await book("visit-1", "+14155550100")
console.log(await ended.promise) // call.completed

const refused = await book("visit-1", "+14155550101").catch((error: unknown) => error) // This visit exists already.
console.log(refused instanceof Error, (await engine.calls.list()).items.length) // true 1
await pool.end()
