import { Outdial, OutdialError } from "@outdial/core"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }],
  workers: false, // This process only accepts requests; other processes dial.
  signal: AbortSignal.timeout(10_000)
})
const agent = await engine.agents.byName("Ada")

/** Stops waiting when the caller aborts. A retry for the same visit returns its call, so no visit is called twice. */
const remind = async (visit: { readonly id: string; readonly phoneNumber: string }, signal: AbortSignal) => {
  const { calls } = engine.with({ signal })
  try {
    const request = { agentId: agent.id, phoneNumber: visit.phoneNumber }
    return (await calls.start(request, { idempotencyKey: visit.id })).id
  } catch (error) {
    // This is the call of another visit: a retry for this visit would have returned its own call.
    if (OutdialError.is(error, "call_already_queued")) return "later: a call to this number is already waiting"
    if (OutdialError.is(error, "number_limit_reached")) return `not before ${error.details.retryAt.toISOString()}`
    throw error
  }
}

const visit = { id: "visit-1", phoneNumber: "+14155550100" }
const first = await remind(visit, AbortSignal.timeout(1000))
const again = await remind(visit, AbortSignal.timeout(1000))
const other = await remind({ ...visit, id: "visit-2" }, AbortSignal.timeout(1000))
console.log(first === again, other) // true later: a call to this number is already waiting
