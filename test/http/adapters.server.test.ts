import { HttpContract } from "@outdial/testkit/contracts"
import { Effect, Layer } from "effect"
import * as DevProcess from "../support/DevProcess.ts"

HttpContract.contractWithOneKey(
  "outdial dev",
  Layer.effect(
    HttpContract.Target,
    Effect.gen(function*() {
      const { ready } = yield* DevProcess.start(yield* DevProcess.folderWithDatabase)
      const { body: inbox } = yield* DevProcess.request(ready, "GET", "/v1/webhook")
      return {
        fetch,
        baseUrl: ready.url,
        key: ready.api_key,
        agentId: ready.agent_id,
        variables: { appointment: "Tuesday" },
        webhookUrl: String(inbox["url"])
      }
    })
  )
)
