/** Usage, retention, and erasure of callees. */
import { Erasure, Ids, type LocalDays } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Option } from "effect"
import { type Knowledge, type Known, nowOf, numberOf, pick, type Step, step, work } from "./Knowledge.ts"

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

const aDay = 86_400

/** The day, in UTC, that began so many days after `Factories.start`. */
const dayAt = (index: number): LocalDays.LocalDay => ({
  day: `day ${index}`,
  from: Factories.at(index * aDay),
  until: Factories.at((index + 1) * aDay)
})

/** Whole sets: the contract checks how much is deleted at once. */
const old = (knowledge: Knowledge, { id: accountId }: Known, n: number) => ({
  accountId,
  before: Factories.at(knowledge.seconds - n * aDay),
  limit: 100
})

const callee = ({ id: accountId }: Known, n: number) => ({
  accountId,
  phoneNumber: numberOf(n),
  alias: Factories.aliasOf(numberOf(n)),
  eraser: Erasure.erasedBody
})

const workerId = (n: number) => Ids.WorkerId.make(`wrk_${n % 3}`)

const sealed = (known: Known, n: number) => Factories.sealed(`${known.id} ${n}`)

const someCall = (known: Known, n: number) => [pick(known.calls.toReversed(), n) ?? Factories.callId()]

export const steps = {
  hang_up: (knowledge, known, n) => {
    const [id = Factories.callId()] = pick(known.claims.toReversed(), n)?.work ?? someCall(known, n)
    return step((storage) => storage.calls.requestHangUp({ accountId: known.id, id, now: nowOf(knowledge) }))
  },
  read_usage: (_, { id: accountId }) => {
    const days = Array.from({ length: 5 }, (_, index) => dayAt(index))
    return step((storage) => storage.usage.read({ accountId, days }))
  },
  oldest_unfolded: (_, { id }) => step((storage) => storage.usage.oldestUnfolded(id)),
  fold_usage: (knowledge, { id: accountId }) => {
    // The previous day. Its calls may be live; their seconds are not compared.
    const day = dayAt(Math.floor(knowledge.seconds / aDay) - 1)
    return step((storage) => storage.usage.fold({ accountId, day }))
  },
  prune_keys: (knowledge, known, n) =>
    step((storage) => storage.privacy.pruneIdempotencyKeys(old(knowledge, known, n)), { idle: 0 }),
  prune_windows: (knowledge, known, n) =>
    step((storage) => storage.privacy.pruneRequestWindows(old(knowledge, known, n % 2)), { idle: 0 }),
  old_calls: (knowledge, known, n) => step((storage) => storage.privacy.oldCalls(old(knowledge, known, n))),
  old_transcripts: (knowledge, known, n) => step((storage) => storage.privacy.oldTranscripts(old(knowledge, known, n))),
  delete_call: (knowledge, known, n) => {
    const callIds = someCall(known, n)
    return step((storage) => storage.privacy.deleteCalls({ ...old(knowledge, known, 2), callIds }), { idle: 0 })
  },
  forget_transcript: (_, known, n) => {
    const callIds = someCall(known, n)
    return step((storage) => storage.privacy.deleteTranscripts({ accountId: known.id, callIds }))
  },
  keep_erasure_key: (_, known, n) =>
    step((storage) => storage.secrets.keepErasureKey({ accountId: known.id, key: sealed(known, n) })),
  replace_erasure_key: (_, known, n) =>
    step((storage) =>
      storage.secrets.replaceErasureKey({ accountId: known.id, key: sealed(known, n), by: sealed(known, n + 1) })
    ),
  put_worker: (knowledge, _, n) => {
    const seenAt = nowOf(knowledge)
    const worker = { id: workerId(n), version: "1.0.0", runs: ["dispatcher"], startedAt: Factories.at(n), seenAt }
    return step((storage) => storage.workers.put(n % 2 === 0 ? worker : { ...worker, name: `host:${n}` }))
  },
  remove_worker: (_, __, n) => step((storage) => storage.workers.remove(workerId(n))),
  list_workers: (knowledge, _, n) => step((storage) => storage.workers.list(Factories.at(knowledge.seconds - n * 60))),
  prune_workers: (knowledge, _, n) =>
    step((storage) => storage.workers.prune(Factories.at(knowledge.seconds - n * 600))),
  list_erasure_keys: () =>
    step((storage) =>
      storage.secrets.listErasureKeysNotUnder({ keyIds: ["another"], after: Option.none(), limit: 10 })
    ),
  begin_erasure: (knowledge, known, n) =>
    step((storage) =>
      Effect.andThen(
        storage.secrets.keepErasureKey({ accountId: known.id, key: sealed(known, n) }),
        storage.privacy.beginErasure({ ...work(knowledge, known), ...callee(known, n) })
      )
    ),
  calls_to_erase: (knowledge, known, n) =>
    step((storage) => storage.privacy.callsToErase({ ...callee(known, n), until: nowOf(knowledge), limit: 100 })),
  erase_calls: (_, known, n) => {
    const callIds = [...known.calls]
    return step((storage) => storage.privacy.eraseCalls({ ...callee(known, n), callIds }))
  },
  erase_rejected: (_, { id: accountId }) =>
    step((storage) =>
      storage.privacy.eraseRejectedRows({
        accountId,
        after: Option.none<Ids.BatchId>(),
        limit: 100,
        eraser: Erasure.erasedRow
      })
    )
} satisfies { readonly [act: string]: Make }
