/** The ids of agents that hosts put by name, the same in every process on the same storage. */
import { Effect } from "effect"
import { type AccountId, AgentId } from "../domain/Ids.ts"
import * as WebCrypto from "../engine/WebCrypto.ts"
import * as Fingerprint from "../call/Fingerprint.ts"

/** The id of an agent that is put for the first time: a UUID of version 8 (RFC 9562 §5.8) made from its account and name. */
export const firstAgentId = Effect.fnUntraced(function*(accountId: AccountId, name: string) {
  const hex = yield* Effect.flatMap(Fingerprint.make, (hash) => hash([accountId, name]))
  return AgentId.make(
    [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(12, 15)}`, `8${hex.slice(15, 18)}`, hex.slice(18, 30)].join("-")
  )
}, Effect.provide(WebCrypto.layerWebCrypto))
