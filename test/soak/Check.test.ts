import { assert, it } from "@effect/vitest"
import { describe } from "vitest"
import type * as Carrier from "./Carrier.ts"
import * as Check from "./Check.ts"
import type { Evidence, KeptCall, Step, Wish } from "./Evidence.ts"

const accountId = "acct_1"
const phoneNumber = "+14155550100"

const rules = {
  id: accountId,
  lines: 1,
  recallGapSeconds: 30,
  numberLimits: [{ max: 2, windowSeconds: 100 }],
  callsPerSecond: 1,
  dailyLimit: 2,
  // 100 seconds after the epoch it is one minute past four in the afternoon there.
  windows: [{ start: "16:01", end: "16:04" }]
}

/** What the witnesses say of one call that went as it should, dialed at this second. */
const call = (n: number, second: number, number = phoneNumber): Evidence => {
  const callId = `call_${n}`
  const at = second * 1000
  const step = (status: string, offset: number, submitted: boolean): Step => ({
    accountId,
    callId,
    status,
    claimToken: status === "dialing" ? `claim_${n}` : null,
    submitted,
    dialedAt: status === "queued" ? null : at,
    at: at + offset
  })
  const eventId = `evt_${n}`
  return {
    accounts: [rules],
    rings: [{
      _tag: "Rang",
      at: at + 20,
      callId,
      accountId,
      phoneNumber: number,
      node: "node-1",
      answeredAt: at + 1000,
      answeredBy: "human",
      endsAt: at + 5000,
      endedAt: at + 5000,
      isHungUp: false,
      result: "hung_up",
      manner: { tellsAnswer: true, tellsEnd: true, twice: false, endFirst: false, delay: 0 }
    }],
    reported: 1,
    steps: [
      step("queued", -100, false),
      step("dialing", 5, false),
      step("dialing", 10, true),
      step("completed", 5100, false)
    ],
    calls: [{
      accountId,
      id: callId,
      batchId: null,
      phoneNumber: number,
      status: "completed",
      statusCode: null,
      outcomeState: "stored",
      key: `key-${n}`
    }],
    events: [{ accountId, id: eventId, callId, type: "call.completed", hash: "abc" }],
    received: [{ accountId, eventId, hash: "abc", isGenuine: true, answer: 204 }],
    sent: [{
      key: `key-${n}`,
      path: "/calls",
      accountId,
      body: {},
      answers: [{ askedAt: at - 200, status: 201, id: callId }]
    }],
    canceled: [],
    stops: [],
    pauses: []
  }
}

const together = (one: Evidence, other: Evidence): Evidence => ({
  ...one,
  rings: [...one.rings, ...other.rings],
  steps: [...one.steps, ...other.steps],
  calls: [...one.calls, ...other.calls],
  events: [...one.events, ...other.events],
  received: [...one.received, ...other.received],
  sent: [...one.sent, ...other.sent]
})

const good = together(call(1, 100), call(2, 140))

const promises = (evidence: Evidence) => [...new Set(Check.breaches(evidence).map(({ promise }) => promise))]

/** As if the owner had asked for this. */
const wish = (body: Wish): Evidence => ({ ...good, sent: good.sent.map((one) => ({ ...one, body })) })

const rings = (change: (ring: Carrier.LineCall) => Partial<Carrier.LineCall>): Evidence => ({
  ...good,
  rings: good.rings.map((ring) => ({ ...ring, ...change(ring) }))
})
const calls = (change: Partial<KeptCall>): Evidence => ({
  ...good,
  calls: good.calls.map((kept) => ({ ...kept, ...change }))
})
const steps = (change: (step: Step) => ReadonlyArray<Step>): Evidence => ({
  ...good,
  steps: good.steps.flatMap(change)
})

/** What each broken promise looks like. */
const cases: Readonly<Record<string, Evidence>> = {
  "no phone rings twice for one call": { ...good, rings: good.rings.flatMap((ring) => [ring, ring]) },
  "only accepted calls ring": rings(() => ({ phoneNumber: "+14155550199" })),
  "a fence is passed before the carrier is asked": steps((step) => step.submitted ? [] : [step]),
  "no number rings that is on the do-not-call list": { ...good, stops: [{ accountId, phoneNumber, at: 100_009 }] },
  "no phone rings during a pause": { ...good, pauses: [{ accountId, from: 100_009, to: 100_500 }] },
  "a canceled call never rings": { ...good, canceled: [{ callId: "call_1", at: 0 }] },
  "a call is handed over soon after its claim": steps((step) => [{
    ...step,
    dialedAt: step.dialedAt === null ? null : step.dialedAt - 18_000
  }]),
  "no node is ahead of the database": steps((step) => [{
    ...step,
    dialedAt: step.dialedAt === null ? null : step.dialedAt + 2010
  }]),
  "no line over the plan": together(good, call(3, 142, "+14155550111")),
  "no more calls in a second than allowed": together(good, call(3, 140.9, "+14155550111")),
  "the recall gap is kept": together(call(1, 100), call(2, 129)),
  "the limits of a number are kept": together(good, call(3, 199)),
  "no number rings that is talking": together(call(1, 100), call(2, 103)),
  "no phone rings outside the calling hours": call(1, 59),
  "no more calls in a day than allowed": together(good, call(3, 170, "+14155550111")),
  "no call rings before its time": wish({ not_before: "1970-01-01T00:01:41Z" }),
  "no call rings that has expired": wish({ expires_at: "1970-01-01T00:01:40Z" }),
  "accepted calls ring": { ...good, rings: [] },
  "what did not ring did not connect": { ...good, rings: good.rings.slice(1) },
  "a call is ended when the carrier has ended it": rings(() => ({ endedAt: 200_000 })),
  "a conversation is completed": calls({ status: "no_answer" }),
  "every accepted call ends": calls({ status: "in_progress" }),
  "final states are final": steps((step) =>
    step.status === "completed" ? [step, { ...step, status: "failed" }] : [step]
  ),
  "no line is given out twice": together(call(1, 100), call(2, 103, "+14155550111")),
  "every call ends in exactly one event": {
    ...good,
    events: good.events.flatMap((event) => [event, { ...event, type: "call.not_connected" }])
  },
  "every event is received": { ...good, received: good.received.map((one) => ({ ...one, answer: 500 })) },
  "every delivery is signed": {
    ...good,
    received: good.received.flatMap((one) => [one, { ...one, isGenuine: false }])
  },
  "only events are delivered, to their owner": {
    ...good,
    received: good.received.flatMap((one) => [one, { ...one, accountId: "acct_2" }])
  },
  "all deliveries of an event are the same": {
    ...good,
    received: good.received.flatMap((one) => [one, { ...one, hash: "abd" }])
  },
  "a key makes one call only": calls({ key: "key-1" }),
  "every request is answered in the end": { ...good, sent: good.sent.map((one) => ({ ...one, answers: [] })) },
  "a retry returns the call": {
    ...good,
    sent: good.sent.map((one) => ({ ...one, answers: [...one.answers, { askedAt: 200_000, status: 409 }] }))
  },
  "a key has one answer": {
    ...good,
    sent: good.sent.map((one) => ({
      ...one,
      answers: [...one.answers, { askedAt: 200_000, status: 200, id: "call_9" }]
    }))
  },
  "nothing accepted is lost": { ...good, calls: good.calls.slice(1) }
}

describe("the check of a run", () => {
  it("lets a request be refused while one before it is still at work on a node that is frozen", () => {
    const sent = good.sent.map((one) => ({ ...one, answers: [{ askedAt: 0, status: 409 }] }))
    assert.deepStrictEqual(Check.breaches({ ...good, sent }), [])
  })

  it("lets phones ring in hours that go past midnight", () => {
    const overnight = [{ start: "23:00", end: "16:02" }]
    assert.deepStrictEqual(Check.breaches({ ...call(1, 100), accounts: [{ ...rules, windows: overnight }] }), [])
    assert.deepStrictEqual(promises({ ...call(1, 120), accounts: [{ ...rules, windows: overnight }] }), [
      "no phone rings outside the calling hours"
    ])
  })

  it("finds nothing where everything went as it should", () => assert.deepStrictEqual(Check.breaches(good), []))

  for (const [promise, evidence] of Object.entries(cases)) {
    it(`finds a breach of "${promise}"`, () => assert.include(promises(evidence), promise))
  }
})
