import { assert, describe, it } from "@effect/vitest"
import { Calls, PhoneNumber, Webhooks } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { GatedTransport } from "../../src/index.ts"
import * as Receiver from "./Receiver.ts"

describe("an engine with the real transport", () => {
  it.live("delivers what became of a call, signed with the secret that was shown", () =>
    Effect.gen(function*() {
      const receiver = yield* Receiver.make((_, response) => response.writeHead(204).end())
      const { accountId, agentId } = yield* TestEngine.Tenant
      const webhooks = yield* Webhooks.Webhooks
      const { secret = "" } = yield* webhooks.set(accountId, { url: receiver.url })
      const calls = yield* Calls.Calls
      const phoneNumber = PhoneNumber.PhoneNumber.make("+14155550100")
      const call = yield* calls.start(accountId, { agentId, phoneNumber, variables: { topic: "x" }, test: true })
      yield* TestEngine.drain
      assert.lengthOf(receiver.deliveries, 1)
      const [delivery] = receiver.deliveries
      const event = new Webhook(secret).verify(delivery?.body ?? "", { ...delivery?.headers }) as Record<
        string,
        unknown
      >
      assert.strictEqual(event["type"], "call.completed")
      assert.include(JSON.stringify(event["data"]), call.id)
    }).pipe(Effect.provide(TestEngine.layer({ transport: GatedTransport.layer({ loopback: true }) }))))

  it.live("rejects an address inside the network", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const webhooks = yield* Webhooks.Webhooks
      for (const url of ["http://127.0.0.1:1/", "https://10.0.0.1/", "https://metadata.google.internal/"]) {
        assert.strictEqual((yield* Effect.flip(webhooks.set(accountId, { url })))._tag, "WebhookUrlNotAllowed")
      }
    }).pipe(Effect.provide(TestEngine.layer({ transport: GatedTransport.layer() }))))
})
