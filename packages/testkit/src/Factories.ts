/** Test data: an account, an agent, and valid calls and requests. */
import {
  Agent,
  Call,
  DialDecision,
  Errors,
  Ids,
  Lane,
  PhoneNumber,
  Policy,
  type SealedSecret,
  Storage
} from "@outdial/core"
import { DateTime, Duration, Effect, Option, Result } from "effect"

/** The clock of contract tests: storage must not use another. */
export const start = DateTime.makeUnsafe("2026-03-02T10:00:00.000Z")

/** `seconds` after `start`; the resolution of storage is a millisecond. */
export const at = (seconds: number): DateTime.Utc => DateTime.addDuration(start, Duration.seconds(seconds))

/** A sealed secret that cannot be opened. */
export const sealed = (ciphertext: string, keyId = "key_1"): SealedSecret.SealedSecret => ({
  keyId,
  ciphertext,
  hint: "whsec_…test"
})

/** Replaces an erased number; the engine uses a keyed hash. */
export const aliasOf = (number: PhoneNumber.PhoneNumber) =>
  // Storage keeps it in place of a number.
  `erased_${number.slice(1).replace(/\d/gu, (digit) => String(9 - Number(digit)))}` as PhoneNumber.PhoneNumber

export const aliasesOf: Storage.AliasesOf = (_, numbers) =>
  Effect.succeed(new Map(numbers.map((number) => [number, aliasOf(number)])))

let made = 0

/** Resets the counter, so that ids and numbers of a test file do not depend on earlier files. */
export const restart = (): void => {
  made = 0
}

/** Twenty-six characters that sort in order of creation, like ULIDs. */
const nextId = () => `01JNTEST${String(++made).padStart(18, "0")}`

export const accountId = () => Ids.AccountId.make(`acct_${nextId()}`)
export const workerId = () => Ids.WorkerId.make(`wrk_${nextId()}`)
export const callId = () => Ids.CallId.make(`call_${nextId()}`)
export const consoleSessionId = () => Ids.ConsoleSessionId.make(`session_${nextId()}`)
export const auditEntryId = () => Ids.AuditEntryId.make(`audit_${nextId()}`)
export const token = () => Ids.ClaimToken.make(`claim_${nextId()}`)

/** The carrier that contract tests claim calls for. */
export const carrier = Ids.CarrierName.make("simulated")

/** The name of a carrier that no other test uses. */
export const carrierName = () => Ids.CarrierName.make(`carrier ${nextId()}`)

export const agentId = (): Ids.AgentId =>
  Ids.AgentId.make(`00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`)

/** Distinct valid numbers in a range reserved for fiction. */
export const phoneNumber = () => PhoneNumber.PhoneNumber.make(`+1415555${String(++made % 10_000).padStart(4, "0")}`)

export const agentDefinition = (overrides: Partial<Agent.AgentDefinition> = {}) => ({
  id: agentId(),
  name: "Ada",
  script: "Hello {{contact.name}}, this is Ada about {{topic}}.",
  questions: ["Does Tuesday suit you?"],
  dispositions: ["interested", "not_interested"],
  ...overrides
})

/** The same agent for one call. */
export const agentBrief = (overrides: Partial<Agent.AgentBrief> = {}): Agent.AgentBrief => ({
  ...agentDefinition(),
  script: "Hello Grace, this is Ada about your visit.",
  ...Agent.conversationSettings(overrides),
  ...overrides
})

/** A policy without restrictions. */
export const openPolicy: Policy.PolicyDocument = {
  callingHours: null,
  recallGapSeconds: 0,
  numberLimits: [],
  callsPerSecond: 10_000
}

/** The real rules with one time zone. */
export const rules = DialDecision.make({
  offset: () => ({ offsetMs: 0, until: Number.MAX_SAFE_INTEGER }),
  originOf: () => ({ country: "US", isValid: true }),
  zonesOf: () => ["Etc/UTC"]
})

/** The facts for a plan: an account with default settings and an agent. */
export const startFacts = (): Pick<Storage.StartFacts, "account" | "agent"> => ({
  account: {
    id: accountId(),
    name: "A",
    lines: 1,
    paused: false,
    epoch: 1,
    policy: {},
    planVersion: 1,
    createdAt: start
  },
  agent: Option.some({ ...agentDefinition(), version: 1, createdAt: start, updatedAt: start })
})

/** A queued call that is due at once. */
export const queuedCall = (
  facts: Pick<Storage.StartFacts, "account" | "agent">,
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
    lane: Lane.make({ planVersion: facts.account.planVersion, timeZones: ["Etc/UTC"] }),
    dueAt: createdAt,
    expiresAt: DateTime.addDuration(createdAt, "7 days"),
    unavailableCount: 0,
    hasRecording: false,
    outcome: null,
    outcomeState: "none",
    ...overrides
  }
}

/** A plan that accepts `queuedCall`, unless the number has a queued call. */
export const accepting = (overrides: Partial<Call.CallRecord> = {}) => (facts: Storage.StartFacts) => {
  const call = queuedCall(facts, overrides)
  const callId = facts.number.waitingCallId
  return call.status === "queued" && callId !== undefined
    ? Result.fail(new Errors.CallAlreadyQueued({ callId }))
    : Result.succeed(call)
}

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
