import { assert, it } from "@effect/vitest"
import { Call } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Option, Schema } from "effect"
import { describe } from "vitest"

const statuses = Call.CallStatus.literals
const call = (status: Call.CallStatus) => ({
  ...Factories.queuedCall(Factories.startFacts()),
  status
})

/** Every allowed move; what is not here must throw. */
const allowed = new Set([
  "queued dialing",
  "queued canceled",
  "queued expired",
  "dialing queued",
  "dialing in_progress",
  "dialing no_answer",
  "dialing busy",
  "dialing failed",
  "dialing completed",
  "in_progress completed",
  "in_progress no_answer",
  "in_progress failed"
])

describe("Call", () => {
  for (const from of statuses) {
    for (const to of statuses) {
      const move = () => Call.moveTo(call(from), to)
      if (allowed.has(`${from} ${to}`)) it(`moves from ${from} to ${to}`, () => assert.strictEqual(move().status, to))
      else it(`never moves from ${from} to ${to}`, () => assert.throws(move))
    }
  }

  it("frees the line and the claim with the end of a call", () => {
    const dialing = {
      ...call("dialing"),
      claim: { token: Factories.token(), leaseUntil: Factories.start, dialBy: Factories.start, epoch: 1 }
    }
    assert.isDefined(Call.moveTo(dialing, "in_progress").claim)
    assert.isUndefined(Call.moveTo(dialing, "busy").claim)
    assert.isUndefined(Call.moveTo(dialing, "queued").claim)
  })

  const decode = Schema.decodeUnknownOption(Call.StartCall)
  const request = { agentId: Factories.agentId(), phoneNumber: "+14155550100" }
  const accepts = (more: object) => Option.isSome(decode({ ...request, ...more }))

  it("accepts metadata of up to 8,192 bytes of JSON, counted in UTF-8", () => {
    const room = 8192 - JSON.stringify({ m: "" }).length
    assert.isTrue(accepts({ metadata: { m: "x".repeat(room) } }))
    assert.isFalse(accepts({ metadata: { m: "x".repeat(room + 1) } }))
    assert.isFalse(accepts({ metadata: { m: "ä".repeat(room / 2 + 1) } }))
  })

  it("accepts variable keys of up to 40 letters, digits, _ and spaces that start with a letter", () => {
    for (const key of ["a", "A1_ b", "x".repeat(40)]) assert.isTrue(accepts({ variables: { [key]: 1 } }), key)
    for (const key of ["", "1a", "_a", " a", "a-b", "ä", "x".repeat(41), "__proto__"]) {
      assert.isFalse(accepts({ variables: JSON.parse(`{${JSON.stringify(key)}: 1}`) }), key)
    }
  })

  it("accepts variable values that are text of up to 500 characters, numbers or booleans", () => {
    for (const value of ["", "x".repeat(500), -1.5, false]) assert.isTrue(accepts({ variables: { a: value } }))
    for (const value of ["x".repeat(501), null, [], {}, Number.NaN]) {
      assert.isFalse(accepts({ variables: { a: value } }), JSON.stringify(value))
    }
  })

  it("accepts at most 100 variables", () => {
    const variables = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`v${n}`, n]))
    assert.isTrue(accepts({ variables: variables(100) }))
    assert.isFalse(accepts({ variables: variables(101) }))
  })

  it("bounds the contact's fields", () => {
    assert.isTrue(accepts({ contact: { name: "x".repeat(255), externalId: "y", email: "g@example.org" } }))
    for (const contact of [{ name: "x".repeat(256) }, { email: "nobody" }, { email: `${"x".repeat(250)}@a.io` }]) {
      assert.isFalse(accepts({ contact }))
    }
  })
})
