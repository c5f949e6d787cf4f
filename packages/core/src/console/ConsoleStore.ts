/** Port: links to the console, its sessions, and the audit log of changes. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AuditEntry } from "../domain/AuditEntry.ts"
import type { ConsoleLink, ConsoleSession } from "../domain/ConsoleSession.ts"
import type { AccountId, AuditEntryId, ConsoleSessionId } from "../domain/Ids.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** The action of an opened link in the audit log. */
export const openAction = "session.open"

/** What a link becomes. */
export interface OpenLinkOptions {
  readonly hash: string
  readonly now: DateTime.Utc
  readonly session: {
    readonly id: ConsoleSessionId
    /** SHA-256 of the session's token, in hex. */
    readonly hash: string
    readonly expiresAt: DateTime.Utc
  }
  /** The id of the audit log's entry. */
  readonly entryId: AuditEntryId
}

export class ConsoleStore extends Context.Service<ConsoleStore, {
  readonly addLink: (link: ConsoleLink) => Effect.Effect<void, StorageError>
  /**
   * Removes the link, and stores the session with its role, name and account and the entry `session.open` of the audit log, which names the link;
   * all or nothing.
   * `None` if there is no such link at `now`.
   */
  readonly openLink: (options: OpenLinkOptions) => Effect.Effect<Option.Option<ConsoleSession>, StorageError>
  /** Those that can be opened at `now`, newest first. */
  readonly listLinks: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<ConsoleLink>, StorageError>
  /** Removes the link. Returns whether there was one. */
  readonly revokeLink: (hash: string) => Effect.Effect<boolean, StorageError>
  /** The session, unless it is expired or revoked at `now`. Records the use, to the minute. */
  readonly useSession: (options: {
    readonly hash: string
    readonly now: DateTime.Utc
  }) => Effect.Effect<Option.Option<ConsoleSession>, StorageError>
  /** Those that are neither expired nor revoked at `now`, newest first. */
  readonly listSessions: (now: DateTime.Utc) => Effect.Effect<ReadonlyArray<ConsoleSession>, StorageError>
  /** Removes the session. Returns whether there was one. */
  readonly revokeSession: (id: ConsoleSessionId) => Effect.Effect<boolean, StorageError>
  readonly addAuditEntry: (entry: AuditEntry) => Effect.Effect<void, StorageError>
  /** Sets the status, and adds the details to those of the entry. */
  readonly completeAuditEntry: (
    completion: Pick<AuditEntry, "details"> & { readonly id: AuditEntryId; readonly status: number }
  ) => Effect.Effect<void, StorageError>
  /** Newest first; only those of the account, if one is given. */
  readonly listAuditEntries: (
    filter: { readonly accountId?: AccountId },
    page: PageRequest
  ) => Effect.Effect<Page<AuditEntry>, StorageError>
  /** Deletes links and sessions that are expired at `now`, and at most `limit` entries from before the instant. Returns how many. */
  readonly prune: (options: {
    readonly now: DateTime.Utc
    readonly entriesBefore: DateTime.Utc
    readonly limit: number
  }) => Effect.Effect<number, StorageError>
}>()("@outdial/core/console/ConsoleStore") {}
