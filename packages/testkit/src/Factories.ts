/** Plain things to test with: an account, an agent, calls and requests that are right in every point but the one under test. */
import { Agent, Call, Ids, PhoneNumber, type SealedSecret, Storage } from "@outdial/core"
import { DateTime, Duration, Result } from "effect"

/** The clock of contract tests: nothing in storage may look at another. */
export const start = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")

/** `seconds` after `start`; the resolution of storage is a millisecond. */
export const at = (seconds: number): DateTime.Utc => DateTime.addDuration(start, Duration.seconds(seconds))

/** A sealed secret; nothing opens it. */
export const sealed = (ciphertext: string, keyId = "key_1"): SealedSecret.SealedSecret => ({
  keyId,
  ciphertext,
  hint: "whsec_…test"
})

let made = 0
/** Twenty-six characters that sort by the order of making, as ULIDs do. */
const nextId = () => `01JNTEST${String(++made).padStart(18, "0")}`

export const accountId = () => Ids.AccountId.make(`acct_${nextId()}`)
export const callId = () => Ids.CallId.make(`call_${nextId()}`)
export const token = () => Ids.ClaimToken.make(`claim_${nextId()}`)
export const agentId = (): Ids.AgentId =>
  Ids.AgentId.make(`00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`)

/** Distinct numbers, all possible, in a range kept for fiction. */
export const phoneNumber = () => PhoneNumber.PhoneNumber.make(`+1415555${String(++made % 10_000).padStart(4, "0")}`)

export const agentDefinition = (overrides: Partial<Agent.AgentDefinition> = {}) => ({
  id: agentId(),
  name: "Ada",
  script: "Hello {{contact.name}}, this is Ada about {{topic}}.",
  questions: ["Does Tuesday suit you?"],
  dispositions: ["interested", "not_interested"],
  ...overrides
})

/** A call that waits and is due at once. */
export const queuedCall = (
  facts: Storage.StartFacts,
  overrides: Partial<Call.CallRecord> = {}
): Call.CallRecord => {
  const { agent } = facts
  if (agent._tag === "None") throw new Error("The account has no such agent")
  const createdAt = overrides.createdAt ?? start
  return {
    id: callId(),
    accountId: facts.account.id,
    agentId: agent.value.id,
    agentVersion: agent.value.version,
    batchId: null,
    test: false,
    phoneNumber: phoneNumber(),
    contact: { name: "Grace", externalId: "crm-7" },
    variables: { topic: "your visit", visits: 3, urgent: true },
    metadata: { order: { nested: ["ä", "\u2028", null, 1.5] } },
    status: "queued",
    createdAt,
    dueAt: createdAt,
    expiresAt: DateTime.addDuration(createdAt, "7 days"),
    unavailableCount: 0,
    hasRecording: false,
    outcome: null,
    outcomeState: "none",
    ...overrides
  }
}

/** A plan that accepts what `queuedCall` makes. */
export const accepting = (overrides: Partial<Call.CallRecord> = {}) => (facts: Storage.StartFacts) =>
  Result.succeed(queuedCall(facts, overrides))

/** An outcome that fits `agentDefinition`. */
export const outcome = {
  disposition: "interested",
  summary: "They would like to come.",
  answers: { "Does Tuesday suit you?": "Yes" },
  leadRating: 8,
  callbackRequested: true,
  callbackTimeText: "tomorrow at ten",
  followUp: "CALL" as const,
  meeting: { requested: true, at: "2026-03-03T10:00:00+01:00", type: "call" },
  transcript: [{ speaker: "agent" as const, text: "Hello" }, { speaker: "contact" as const, text: "Hi — ja, gern" }]
}
