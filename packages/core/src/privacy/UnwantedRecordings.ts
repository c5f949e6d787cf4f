/**
 * Removes the files of recordings that their calls have lost: to an end without words, to retention or to erasure. Storage remembers them
 * until they are removed, so that a process that dies in between leaves none.
 */
import { Effect } from "effect"
import type { AccountId } from "../domain/Ids.ts"
import { Recordings } from "../recording/Recordings.ts"
import { PrivacyStore } from "./PrivacyStore.ts"

const atOnce = 200

/** Removes the account's, all or the first 200; returns how many. */
export const remover = Effect.gen(function*() {
  const privacyStore = yield* PrivacyStore
  const recordings = yield* Recordings
  return Effect.fnUntraced(function*(accountId: AccountId) {
    const callIds = yield* privacyStore.unwantedRecordings({ accountId, limit: atOnce })
    if (callIds.length === 0) return 0
    yield* Effect.forEach(callIds, (callId) => recordings.remove({ accountId, callId }), { discard: true })
    yield* privacyStore.forgetRecordings({ accountId, callIds })
    return callIds.length
  })
})
