import { assert, it } from "@effect/vitest"
import { type Call, CallLife, type CarrierEvent, Limits } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { DateTime } from "effect"
import { describe } from "vitest"

const waiting = Factories.queuedCall(Factories.startFacts(), {
  dueAt: Factories.at(600),
  statusCode: "outside_calling_hours"
})

describe("a waiting call, when the call before it to its number has ended", () => {
  it("is due again, whatever held it: a gap may have ended after calling hours", () => {
    assert.deepStrictEqual(CallLife.reconsidered(waiting, Factories.at(5)), { ...waiting, dueAt: Factories.at(5) })
  })

  it("is not due before the requested time", () => {
    const asked = { ...waiting, notBefore: Factories.at(300) }
    assert.deepStrictEqual(CallLife.reconsidered(asked, Factories.at(5)), { ...asked, dueAt: Factories.at(300) })
  })

  it("is unchanged when it is due anyway", () => {
    assert.isUndefined(CallLife.reconsidered({ ...waiting, dueAt: Factories.at(5) }, Factories.at(5)))
    assert.isUndefined(CallLife.reconsidered({ ...waiting, notBefore: Factories.at(600) }, Factories.at(5)))
  })
})

describe("the fence before the carrier is asked", () => {
  const terms = { now: Factories.at(0), token: Factories.token(), epoch: 3 }
  const claim: Call.Claim = {
    token: terms.token,
    epoch: terms.epoch,
    dialBy: Factories.at(10),
    leaseUntil: Factories.at(20)
  }
  const submit = (change: Partial<Call.Claim> = {}, options: Partial<typeof terms> = {}) =>
    CallLife.submitted({ ...waiting, status: "dialing", claim: { ...claim, ...change } }, { ...terms, ...options })

  it("lets a call through until its deadline, and renews its lease", () => {
    const now = Factories.at(9.999)
    assert.deepStrictEqual(submit({}, { now })?.claim, {
      ...claim,
      submittedAt: now,
      leaseUntil: DateTime.addDuration(now, Limits.lineLease)
    })
    assert.isUndefined(submit({}, { now: Factories.at(10) }))
  })

  it("stops a call that another claim has, that was submitted before, that is to end, or whose account has changed", () => {
    assert.isUndefined(submit({}, { token: Factories.token() }))
    assert.isUndefined(submit({ submittedAt: Factories.at(0) }))
    assert.isUndefined(submit({ hangUpAt: Factories.at(0) }))
    assert.isUndefined(submit({}, { epoch: 4 }))
    assert.isUndefined(CallLife.submitted(waiting, terms))
  })
})

describe("who has answered a call", () => {
  const dialing = CallLife.decided(waiting, { _tag: "dial", by: Factories.at(10) }, {
    now: Factories.at(0),
    token: Factories.token(),
    carrier: Factories.carrier,
    epoch: 1
  })
  const after = (events: ReadonlyArray<CarrierEvent.CarrierEvent>) =>
    events.reduce<Call.CallRecord>((call, event) => {
      const result = CallLife.reported(call, event, Factories.at(30))
      return result._tag === "Changed" ? result.call : assert.fail(result._tag)
    }, dialing ?? assert.fail("A call that may be dialed is dialed"))
  const answered = (by: Call.AnsweredBy) => ({ _tag: "Answered", at: Factories.at(20), by }) as const
  const verdict = (by: CarrierEvent.Verdict["by"]) => ({ _tag: "Verdict", by }) as const

  const table: ReadonlyArray<
    readonly [reports: ReadonlyArray<CarrierEvent.CarrierEvent>, by: Call.AnsweredBy, machine?: string]
  > = [
    [[answered("unknown")], "unknown"],
    [[answered("human")], "human"],
    [[answered("voicemail")], "voicemail", "voicemail"],
    [[answered("unknown"), verdict("human")], "human"],
    [[answered("unknown"), verdict("voicemail")], "voicemail", "voicemail"],
    [[answered("human"), verdict("voicemail")], "voicemail", "voicemail"],
    [[answered("unknown"), verdict("fax")], "unknown", "fax"],
    [[answered("unknown"), verdict("ivr"), verdict("human")], "human", "ivr"],
    [[answered("unknown"), verdict("ivr"), verdict("voicemail")], "voicemail", "voicemail"]
  ]
  it("does not depend on the order of the reports, nor on repeated ones", () => {
    for (const [reports, by, machine] of table) {
      for (const order of [reports, reports.toReversed(), [...reports, ...reports]]) {
        const call = after(order)
        assert.deepStrictEqual([call.status, call.answeredAt], ["in_progress", Factories.at(20)])
        assert.deepStrictEqual([call.answeredBy, call.machine], [by, machine])
      }
    }
  })

  it("is known when the call ends, also if neither its answer nor its end says so", () => {
    const end = { _tag: "Ended", at: Factories.at(25), result: "hung_up", recorded: false } as const
    for (const ended of [end, { ...end, answeredBy: "unknown" } as const]) {
      const { answeredBy, status, statusCode } = after([verdict("voicemail"), ended])
      assert.deepStrictEqual([answeredBy, status, statusCode], ["voicemail", "no_answer", "voicemail"])
    }
  })

  it("is a person, as long as nobody says otherwise", () => {
    const transcript = [{ speaker: "contact", text: "Hello" }] as const
    const end = { _tag: "Ended", at: Factories.at(25), result: "hung_up", transcript, recorded: false } as const
    assert.strictEqual(after([answered("unknown"), end]).status, "completed")
  })
})

describe("a report by another clock than ours", () => {
  const dialing = CallLife.decided(waiting, { _tag: "dial", by: Factories.at(10) }, {
    now: Factories.at(0),
    token: Factories.token(),
    carrier: Factories.carrier,
    epoch: 1
  })
  const report = (call: Call.CallRecord | undefined, event: CarrierEvent.CarrierEvent, seconds: number) => {
    assert.isDefined(call)
    const result = CallLife.reported(call, event, Factories.at(seconds))
    return result._tag === "Changed" ? result.call : assert.fail(result._tag)
  }
  const transcript = [{ speaker: "contact", text: "Hello" }] as const
  const answered = (at: number) => ({ _tag: "Answered", at: Factories.at(at), by: "human" }) as const
  const ended = (at: number) =>
    ({ _tag: "Ended", result: "hung_up", at: Factories.at(at), transcript, recorded: false }) as const
  const times = ({ answeredAt, endedAt, outcomeDueAt }: Call.CallRecord) => ({ answeredAt, endedAt, outcomeDueAt })
  const expected = { answeredAt: Factories.at(20), endedAt: Factories.at(50), outcomeDueAt: Factories.at(50) }

  for (const [name, off] of [["ahead", 3600], ["behind the dial", -3600]] as const) {
    it(`that is ${name} tells of an end that is now, so that its outcome is made now`, () => {
      assert.deepStrictEqual(times(report(report(dialing, answered(20 + off), 20), ended(50 + off), 50)), expected)
    })

    it(`that is ${name} tells of a talk as long as by that clock, when only the end arrives`, () => {
      const end = { ...ended(50 + off), answeredAt: Factories.at(20 + off), answeredBy: "human" } as const
      assert.deepStrictEqual(times(report(dialing, end, 50)), expected)
    })
  }

  it("is believed where it can be right: an end may be told late", () => {
    const end = { ...ended(50), answeredAt: Factories.at(20), answeredBy: "human" } as const
    assert.deepStrictEqual(times(report(dialing, end, 4000)), expected)
  })
})

describe("a call that was answered", () => {
  const dialing = CallLife.decided(waiting, { _tag: "dial", by: Factories.at(10) }, {
    now: Factories.at(0),
    token: Factories.token(),
    epoch: 1,
    carrier: Factories.carrier
  })
  const endedWith = (text: string) => {
    assert.isDefined(dialing)
    const result = CallLife.reported(dialing, {
      _tag: "Ended",
      result: "hung_up",
      at: Factories.at(50),
      answeredAt: Factories.at(20),
      answeredBy: "human",
      transcript: [{ speaker: "agent", text: "Hello" }, { speaker: "contact", text }],
      recorded: false
    }, Factories.at(50))
    return result._tag === "Changed" ? [result.call.status, result.call.statusCode] : [result._tag]
  }

  for (const text of ["", " ", "\n\t\u00a0", "\u200b", "\u200c\u200d\u2060\ufeff", "\u3164 \u2800"]) {
    it(`is no_answer when the contact's only turn is ${JSON.stringify(text)}`, () => {
      assert.deepStrictEqual(endedWith(text), ["no_answer", "no_speech"])
    })
  }

  it("is completed when the contact said something", () => {
    assert.deepStrictEqual(endedWith("yes"), ["completed", undefined])
  })
})
