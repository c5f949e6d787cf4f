import { assert, it } from "@effect/vitest"
import type { Call } from "../../app/src/data/Wire.ts"
import { resultsCsv } from "../../app/src/pages/batches/ResultsCsv.ts"

const call = (fields: object) =>
  ({
    id: "call_1",
    status: "completed",
    phone_number: "+14155550100",
    contact: {},
    metadata: {},
    outcome: null,
    ...fields
  }) as unknown as Call

it("writes a batch's results with a column per question, and nothing that a spreadsheet calculates", () => {
  const csv = resultsCsv([
    call({ contact: { name: "=HYPERLINK(\"http://x\")" }, metadata: { "=order": { a: 1 } } }),
    call({
      id: "call_2",
      outcome: {
        disposition: "yes",
        summary: "@sum",
        callback_requested: false,
        answers: { "Does it suit?": "+1", "=2": "no" }
      }
    })
  ])
  const [header = "", first = "", second = ""] = csv.split("\r\n")
  assert.strictEqual(
    header,
    "call_id,phone_number,contact_name,external_id,status,status_reason,answered_by,dialed_at,ended_at,duration_seconds," +
      "disposition,summary,callback_requested,callback_time_text,do_not_call,Does it suit?,'=2,metadata.=order"
  )
  assert.strictEqual(
    first,
    "call_1,+14155550100,\"'=HYPERLINK(\"\"http://x\"\")\",,completed,,,,,,,,,,,,,\"{\"\"a\"\":1}\""
  )
  assert.strictEqual(second, "call_2,+14155550100,,,completed,,,,,,yes,'@sum,false,,false,'+1,no,")
})
