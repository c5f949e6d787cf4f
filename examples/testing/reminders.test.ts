import { TestEngine } from "@outdial/testkit"
import assert from "node:assert/strict"
import { test } from "node:test"
import { remind } from "./reminders.ts"

test("patients are called the day before their visit", async () => {
  await using engine = await TestEngine.open({ callees: { "+1 415 555 0123": "busy" } })
  const at = new Date("2027-01-19T16:00:00Z") // The clock starts at 16:00 UTC on 12 January.
  const id = await remind(engine.calls, engine.agentId, { id: "visit-7", phoneNumber: "+14155550123", at })
  await engine.advance("5 days")
  assert.equal(engine.rings().length, 0)
  await engine.advance("2 days")
  assert.equal(engine.rings()[0]?.at.toISOString(), "2027-01-18T16:00:00.000Z")
  assert.equal((await engine.calls.get(id)).status, "busy")
  assert.deepEqual(engine.inbox().map(({ event }) => event.type), ["call.dialing", "call.not_connected"])
})
