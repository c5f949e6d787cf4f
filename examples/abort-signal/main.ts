import { Outdial, OutdialError } from "@outdial/core"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }],
  workers: false, // This process only takes requests; others dial.
  signal: AbortSignal.timeout(10_000)
})
const [agent] = await engine.agents.list()

/** Waits no longer than the request that it serves. Asked again with the same id, it never makes a second call. */
const remind = async (visit: { readonly id: string; readonly phoneNumber: string }, signal: AbortSignal) => {
  const { calls } = engine.with({ signal })
  try {
    const request = { agentId: agent?.id ?? "", phoneNumber: visit.phoneNumber }
    return (await calls.start(request, { idempotencyKey: visit.id })).id
  } catch (error) {
    if (OutdialError.is(error, "call_already_queued")) return error.details.callId
    if (OutdialError.is(error, "number_limit_reached")) return `not before ${error.details.retryAt.toISOString()}`
    throw error
  }
}

const first = await remind({ id: "visit-1", phoneNumber: "+14155550100" }, AbortSignal.timeout(1000))
const other = await remind({ id: "visit-2", phoneNumber: "+14155550100" }, AbortSignal.timeout(1000))
console.log(first === other) // true
