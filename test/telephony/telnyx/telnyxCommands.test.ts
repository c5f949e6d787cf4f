/** The fake refuses commands that Telnyx would not take, or would take in part. */
import { assert, it } from "@effect/vitest"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { Effect } from "effect"

it.live("a fake Telnyx takes the commands that Telnyx documents, and no others", () =>
  Effect.gen(function*() {
    const { apiKey, calls, connectionId, url } = yield* FakeTelnyx.FakeTelnyx
    const valid = { connection_id: connectionId, to: "+14155550101", from: "+14155550100", client_state: "c3RhdGU=" }
    const dial = (changes: object) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}/v2/calls`, {
          method: "POST",
          headers: { authorization: `Bearer ${apiKey}` },
          body: JSON.stringify({ ...valid, ...changes })
        })
        const body: { readonly errors?: ReadonlyArray<{ readonly code: string }> } = JSON.parse(await response.text())
        return body.errors?.[0]?.code ?? response.status
      })
    const policy = (...retries_ms: ReadonlyArray<number>) => ({
      webhook_retries_policies: { "call.hangup": { retries_ms } }
    })
    const commands = [
      [{}, 200],
      [policy(1_000, 59_000), 200],
      [{ conversation_relay_config: { url: "wss://x.example/relay", interruptible: "any" } }, 200],
      [{ to: ["+14155550101", "+14155550102"] }, "10016"],
      [{ from: "5550100" }, "10016"],
      [{ from: undefined }, "10004"],
      [{ client_state: "no base64" }, "10015"],
      [{ timeout_secs: 601 }, "10015"],
      [{ time_limit_secs: 14_401 }, "10015"],
      [policy(1_000, 59_001), "10015"],
      [policy(1, 1, 1, 1, 1, 1), "10015"],
      [{ conversation_relay_config: { url: "https://x.example/relay" } }, "10015"],
      [{ conversation_relay_config: { url: "wss://x.example/relay", handoff: true } }, "10015"],
      [{ machine_detection: "premium" }, "10015"],
      [{ connection_id: "1" }, "10015"]
    ] as const
    for (const [changes, answer] of commands) assert.strictEqual(yield* dial(changes), answer, JSON.stringify(changes))
    assert.lengthOf(calls, 3)
  }).pipe(Effect.provide(FakeTelnyx.FakeTelnyx.layer({ callee: () => ({ _tag: "Waits" }) }))))
