/**
 * The log of changes that users of the console make. An entry is written before its change, so that no change is made without one, and
 * completed with the result. An entry without a status belongs to a change whose end is not known.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import type { Unavailable } from "../domain/Errors.ts"
import { type AccountId, type AuditEntryId, makeAuditEntryId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { ConsoleStore } from "./ConsoleStore.ts"

/** A change that is about to be made. */
export type Change = Omit<AuditEntry, "createdAt" | "id" | "status">

export class AuditLog extends Context.Service<AuditLog, {
  /** Records the change. If it fails, the change must not be made. */
  readonly begin: (change: Change) => Effect.Effect<AuditEntryId, Unavailable>
  /** Sets the HTTP status of the result, and adds details. */
  readonly complete: (
    id: AuditEntryId,
    result: { readonly status: number; readonly details: AuditEntry["details"] }
  ) => Effect.Effect<void, Unavailable>
  /** Newest first; only those of the account, if one is given. */
  readonly list: (
    filter: { readonly accountId?: AccountId },
    page: PageRequest
  ) => Effect.Effect<Page<AuditEntry>, Unavailable>
}>()("@outdial/core/console/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function*() {
      const store = yield* ConsoleStore
      const random = yield* SecureRandom.SecureRandom
      return AuditLog.of({
        begin: Effect.fn("AuditLog.begin")(function*(change) {
          const id = yield* makeAuditEntryId
          yield* orUnavailable(store.addAuditEntry({ ...change, id, createdAt: yield* DateTime.now }))
          return id
        }, Effect.provideService(SecureRandom.SecureRandom, random)),
        complete: Effect.fn("AuditLog.complete")((id, { details, status }) =>
          orUnavailable(store.completeAuditEntry({ id, status, details }))
        ),
        list: Effect.fn("AuditLog.list")((filter, page) => orUnavailable(store.listAuditEntries(filter, page)))
      })
    })
  )
}
