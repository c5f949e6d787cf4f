/**
 * Maps rows to domain values. With `CallRows` and `EventRows` the only place that knows both names of a field. Rows were validated
 * before they were written, so reading does not validate again.
 */
import {
  type Account,
  type Agent,
  type ApiKey,
  type Event,
  type Ids,
  Policy,
  type SealedSecret,
  type WebhookEndpoint
} from "@outdial/core"
import { DateTime, Option, Schema } from "effect"

/** An instant as the driver reads `timestamptz`. */
type Instant = Date

export interface AccountRow {
  readonly id: Ids.AccountId
  readonly name: string
  readonly lines: number
  readonly paused: boolean
  readonly epoch: number
  readonly policy: unknown
  readonly plan_version: number
  readonly erasure_key: SecretDocument | null
  readonly created_at: Instant
}

/** A policy of a later version, or one written by hand, may be invalid in this version. */
const readPolicy = Schema.decodeUnknownOption(Policy.PolicyDocument, { onExcessProperty: "error" })

export const toAccount = (row: AccountRow): Account.Account => ({
  id: row.id,
  name: row.name,
  lines: row.lines,
  paused: row.paused,
  epoch: row.epoch,
  ...Option.match(readPolicy(row.policy), { onNone: () => ({}), onSome: (policy) => ({ policy }) }),
  planVersion: row.plan_version,
  ...(row.erasure_key !== null && { erasureKey: toSecret(row.erasure_key) }),
  createdAt: DateTime.fromDateUnsafe(row.created_at)
})

/** The owner's definition of an agent, one document because it is always read whole. */
export type AgentDefinition = Omit<Agent.Agent, "id" | "version" | "createdAt" | "updatedAt">

export interface AgentRow {
  readonly id: Ids.AgentId
  readonly version: number
  readonly definition: AgentDefinition
  readonly created_at: Instant
  readonly updated_at: Instant
  readonly archived_at: Instant | null
}

export const toAgent = (row: AgentRow): Agent.Agent => ({
  ...row.definition,
  id: row.id,
  version: row.version,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  updatedAt: DateTime.fromDateUnsafe(row.updated_at),
  ...(row.archived_at !== null && { archivedAt: DateTime.fromDateUnsafe(row.archived_at) })
})

export const toDefinition = (
  { id: _, version: __, createdAt: ___, updatedAt: ____, archivedAt: _____, ...definition }: Agent.Agent
): AgentDefinition => definition

export interface ApiKeyRow {
  readonly id: Ids.ApiKeyId
  readonly account_id: Ids.AccountId
  readonly name: string
  readonly hash: string
  readonly scopes: ReadonlyArray<ApiKey.Scope>
  readonly created_at: Instant
  readonly expires_at: Instant | null
  readonly revoked_at: Instant | null
  readonly last_used_at: Instant | null
}

export const toApiKey = (row: ApiKeyRow): ApiKey.ApiKey => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  hash: row.hash,
  scopes: row.scopes,
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  ...(row.expires_at !== null && { expiresAt: DateTime.fromDateUnsafe(row.expires_at) }),
  ...(row.revoked_at !== null && { revokedAt: DateTime.fromDateUnsafe(row.revoked_at) }),
  ...(row.last_used_at !== null && { lastUsedAt: DateTime.fromDateUnsafe(row.last_used_at) })
})

/** A sealed secret as a document. */
export interface SecretDocument {
  readonly key_id: string
  readonly ciphertext: string
  readonly hint: string
}

export const toSecret = ({ ciphertext, hint, key_id }: SecretDocument): SealedSecret.SealedSecret => ({
  keyId: key_id,
  ciphertext,
  hint
})

const toDocument = ({ ciphertext, hint, keyId }: SealedSecret.SealedSecret): SecretDocument => ({
  key_id: keyId,
  ciphertext,
  hint
})

export interface WebhookRow {
  readonly account_id: Ids.AccountId
  readonly url: string
  readonly enabled: boolean
  readonly events: ReadonlyArray<Event.SubscribableKind>
  readonly secret: SecretDocument
  /** Instants in a document are text. */
  readonly previous_secrets: ReadonlyArray<{ readonly secret: SecretDocument; readonly expires_at: string }>
  readonly created_at: Instant
  readonly updated_at: Instant
  readonly disabled_reason: WebhookEndpoint.DisabledReason | null
  readonly disabled_at: Instant | null
}

export const toWebhook = (row: WebhookRow): WebhookEndpoint.WebhookEndpoint => ({
  accountId: row.account_id,
  url: row.url,
  enabled: row.enabled,
  events: row.events,
  secret: toSecret(row.secret),
  previousSecrets: row.previous_secrets.map(({ expires_at, secret }) => ({
    secret: toSecret(secret),
    expiresAt: DateTime.makeUnsafe(expires_at)
  })),
  ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
  ...(row.disabled_at !== null && { disabledAt: DateTime.fromDateUnsafe(row.disabled_at) }),
  createdAt: DateTime.fromDateUnsafe(row.created_at),
  updatedAt: DateTime.fromDateUnsafe(row.updated_at)
})

/** The stored document of a sealed secret. */
export const fromSecret = (secret: SealedSecret.SealedSecret): string => JSON.stringify(toDocument(secret))

/** The stored document of previous secrets. */
export const fromPreviousSecrets = (secrets: WebhookEndpoint.WebhookEndpoint["previousSecrets"]): string =>
  JSON.stringify(secrets.map(({ expiresAt, secret }) => ({
    secret: toDocument(secret),
    expires_at: DateTime.formatIso(expiresAt)
  })))
