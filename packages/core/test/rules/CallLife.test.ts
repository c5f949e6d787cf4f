import { assert, it } from "@effect/vitest"
import { type Call, CallLife, type LineEvent } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { describe } from "vitest"

const waiting = Factories.queuedCall(Factories.startFacts(), {
  dueAt: Factories.at(600),
  statusCode: "outside_calling_hours"
})

describe("a waiting call, when the call before it to its number has ended", () => {
  it("is looked at again, whatever it was held by: a gap may have ended after calling hours", () => {
    assert.deepStrictEqual(CallLife.reconsidered(waiting, Factories.at(5)), { ...waiting, dueAt: Factories.at(5) })
  })

  it("is not looked at before the time that was asked for", () => {
    const asked = { ...waiting, notBefore: Factories.at(300) }
    assert.deepStrictEqual(CallLife.reconsidered(asked, Factories.at(5)), { ...asked, dueAt: Factories.at(300) })
  })

  it("stays as it is when it is due anyway", () => {
    assert.isUndefined(CallLife.reconsidered({ ...waiting, dueAt: Factories.at(5) }, Factories.at(5)))
    assert.isUndefined(CallLife.reconsidered({ ...waiting, notBefore: Factories.at(600) }, Factories.at(5)))
  })
})

describe("a report by a clock that is ahead", () => {
  const dialing = CallLife.decided(waiting, { _tag: "dial", by: Factories.at(10) }, {
    now: Factories.at(0),
    token: Factories.token(),
    epoch: 1
  })
  const report = (call: Call.CallRecord | undefined, event: LineEvent.LineEvent, seconds: number) => {
    assert.isDefined(call)
    const result = CallLife.reported(call, event, Factories.at(seconds))
    return result._tag === "Changed" ? result.call : assert.fail(result._tag)
  }
  const hour = 3600
  const transcript = [{ speaker: "contact", text: "Hello" }] as const
  const ended = { _tag: "Ended", result: "hung_up", at: Factories.at(hour + 50), transcript, recorded: false } as const
  const times = ({ answeredAt, endedAt, outcomeDueAt }: Call.CallRecord) => ({ answeredAt, endedAt, outcomeDueAt })
  const expected = { answeredAt: Factories.at(20), endedAt: Factories.at(50), outcomeDueAt: Factories.at(50) }

  it("tells of an end that is now, so that its outcome is made now", () => {
    const answered = report(dialing, { _tag: "Answered", at: Factories.at(hour + 20), by: "human" }, 20)
    assert.deepStrictEqual(times(report(answered, ended, 50)), expected)
  })

  it("tells of a talk that was as long as by its clock, when only the end arrives", () => {
    const end = { ...ended, answeredAt: Factories.at(hour + 20), answeredBy: "human" } as const
    assert.deepStrictEqual(times(report(dialing, end, 50)), expected)
  })
})
