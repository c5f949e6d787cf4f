import { assert, it } from "@effect/vitest"
import { type Account, Ids, type Policy } from "@outdial/core"
import { DateTime, Redacted } from "effect"
import { describe } from "vitest"
import * as Welcome from "../../src/dev/Welcome.ts"

const account: Account.Account = {
  id: Ids.AccountId.make("acct_1"),
  name: "Demo",
  lines: 20,
  paused: false,
  epoch: 0,
  planVersion: 1,
  policy: { callingHours: null },
  createdAt: DateTime.makeUnsafe(0)
}

const ready: Welcome.Ready = {
  account,
  agentId: Ids.AgentId.make("7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11"),
  apiKey: "key",
  webhookSecret: Redacted.make("secret"),
  webhookUrl: "http://127.0.0.1/inbox",
  url: "http://127.0.0.1",
  consoleUrl: "http://127.0.0.1/console/link#token",
  carrier: "simulated",
  folder: ".outdial",
  speed: 1,
  tzdata: "2026c"
}

/** The line about hours in what is said of the account. */
const hours = (changes: { readonly paused?: boolean; readonly policy?: Policy.PolicyDocument | undefined }) => {
  const { policy, ...others } = { ...account, ...changes }
  const said = Welcome.text({ ...ready, account: { ...others, ...(policy !== undefined && { policy }) } })
  return said.split("\n").find((line) => line.startsWith("This account"))
}

describe("the welcome of outdial dev", () => {
  it("says in one line when the account calls, as its policy is now", () => {
    assert.match(hours({}) ?? "", /^This account calls at all hours, with 20 lines, /)
    assert.strictEqual(
      hours({ policy: {} }),
      "This account calls when the callee's clock shows mon-sun 09:00-20:00."
    )
    assert.strictEqual(hours({ paused: true }), "This account is paused: its calls wait until it is resumed.")
    assert.match(hours({ policy: undefined }) ?? "", /policy cannot be read/)
  })

  it("names the carrier, and says whether the next start continues", () => {
    const simulated = Welcome.text(ready)
    assert.match(
      simulated,
      /carrier is simulated\.\n[^]*A simulated call to a fresh number[^]*the next start continues\.$/m
    )
    const fake = Welcome.text({ ...ready, carrier: "fake-telnyx", folder: undefined })
    assert.match(
      fake,
      /a fake Telnyx in this process\.\n[^]*A call over the fake Telnyx to a fresh number[^]*its data are lost\.$/m
    )
    assert.notInclude(fake, "continues")
  })
})
