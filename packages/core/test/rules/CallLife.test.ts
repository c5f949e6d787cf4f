import { assert, it } from "@effect/vitest"
import { CallLife } from "@outdial/core"
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
