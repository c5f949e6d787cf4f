import { assert, describe, it } from "@effect/vitest"
import { type Call, CallLife, ConversationLog } from "@outdial/core"
import { Factories } from "@outdial/testkit"

const claim: Call.Claim = {
  token: Factories.token(),
  epoch: 1,
  dialBy: Factories.at(10),
  leaseUntil: Factories.at(60),
  submittedAt: Factories.start
}
const talking: Call.CallRecord = {
  ...Factories.queuedCall(Factories.startFacts()),
  status: "in_progress",
  dialedAt: Factories.start,
  answeredAt: Factories.at(5),
  claim
}
const turn = (speaker: "agent" | "contact", text: string) =>
  ({ _tag: "Turn", speaker, text, at: 100, endedAt: 200 }) as const

describe("the log of a conversation", () => {
  const tenure = { generation: 3, leaseUntil: Factories.at(20) }
  const leaseUntil = (seconds: number) => ConversationLog.lease(Factories.at(seconds))

  it("has its first writer at once, and the next when the lease has run out", () => {
    const at = (seconds: number, takesOver = false) => ({ now: Factories.at(seconds), takesOver })
    assert.deepStrictEqual(ConversationLog.acquired(undefined, at(0)), { generation: 1, leaseUntil: leaseUntil(0) })
    assert.isUndefined(ConversationLog.acquired(tenure, at(19.999)))
    assert.deepStrictEqual(ConversationLog.acquired(tenure, at(20)), { generation: 4, leaseUntil: leaseUntil(20) })
    assert.deepStrictEqual(ConversationLog.acquired(tenure, at(7, true)), { generation: 4, leaseUntil: leaseUntil(7) })
  })

  it("is opened only for a call that is with a carrier and whose line has not ended", () => {
    assert.deepStrictEqual(ConversationLog.opened(talking), { ...talking, conversation: "open" })
    const open = { ...talking, conversation: "open" } as const
    assert.strictEqual(ConversationLog.opened(open), open)
    const { submittedAt: _, ...unsubmitted } = claim
    const others: ReadonlyArray<Call.CallRecord> = [
      { ...talking, status: "queued" },
      { ...talking, status: "completed" },
      { ...talking, claim: unsubmitted },
      { ...talking, conversation: "sealed" },
      { ...open, lineEnd: { at: Factories.at(9) } }
    ]
    assert.deepStrictEqual(others.map((call) => ConversationLog.opened(call)), others.map(() => undefined))
  })

  it("has the transcript of the call, unless only the carrier has words of the contact", () => {
    const logged = [{ speaker: "agent", text: "Hello" }] as const
    const reported = [{ speaker: "contact", text: "Yes" }] as const
    assert.strictEqual(ConversationLog.transcriptOf(logged, reported), reported)
    assert.strictEqual(ConversationLog.transcriptOf(reported, logged), reported)
    assert.strictEqual(ConversationLog.transcriptOf(logged, []), logged)
    assert.strictEqual(ConversationLog.transcriptOf(undefined, reported), reported)
    assert.strictEqual(ConversationLog.transcriptOf(logged, undefined), logged)
  })

  it("leaves no transcript and no notes when nothing was said", () => {
    assert.deepStrictEqual(ConversationLog.folded({}, [{ _tag: "Over", at: 1, reason: "contact_hung_up" }]), {})
  })
})

describe("a call with a conversation", () => {
  const open = { ...talking, conversation: "open" } as const

  it("is never returned to the queue: a phone was answered", () => {
    const dialing: Call.CallRecord = { ...open, status: "dialing" }
    const options = { token: claim.token, now: Factories.at(9), numberIsQueued: false } as const
    for (const reason of ["carrier_unavailable", "dial_deadline_passed"] as const) {
      assert.isUndefined(CallLife.returnedToQueue(dialing, { ...options, reason }))
    }
  })

  it("is changed by the first words of the contact, and by nothing that follows", () => {
    const spoke = CallLife.logged(open, [turn("agent", "Hello"), turn("contact", "Yes")], Factories.at(7))
    assert.deepStrictEqual(spoke, { ...open, contactSpokeAt: Factories.at(7) })
    assert.isUndefined(spoke && CallLife.logged(spoke, [turn("contact", "Yes")], Factories.at(8)))
    assert.isUndefined(CallLife.logged(open, [turn("agent", "Hello"), turn("contact", "\u200b ")], Factories.at(7)))
  })

  it("keeps the outcome that it has when its log is sealed late", () => {
    const { claim: _, ...rest } = open
    const stored: Call.CallRecord = {
      ...rest,
      status: "completed",
      endedAt: Factories.at(20),
      outcome: Factories.outcome,
      outcomeState: "stored"
    }
    assert.deepStrictEqual(CallLife.sealed(stored, [turn("contact", "Yes")]), { ...stored, conversation: "sealed" })
  })
})
