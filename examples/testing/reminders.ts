import type { Outdial } from "@outdial/core"

/** The host's code under test: it calls patients the day before their visit. */
export const remind = async (
  calls: Pick<Outdial.Outdial["calls"], "start">,
  agentId: string,
  visit: { readonly id: string; readonly phoneNumber: string; readonly at: Date }
) => {
  const dayBefore = new Date(visit.at.getTime() - 24 * 60 * 60 * 1000)
  const call = await calls.start({
    agentId,
    phoneNumber: visit.phoneNumber,
    notBefore: dayBefore.toISOString(),
    expiresAt: visit.at.toISOString()
  }, { idempotencyKey: visit.id })
  return call.id
}
