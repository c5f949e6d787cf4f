/** Port: agents and their versions. */
import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Agent, AgentDefinition } from "../domain/Agent.ts"
import type { AccountId, AgentId } from "../domain/Ids.ts"
import type { StorageError } from "../storage/StorageError.ts"

/** A version of an agent without its texts. */
export interface AgentVersion extends Pick<Agent, "name" | "version"> {
  /** Since when it applies to new calls. */
  readonly createdAt: DateTime.Utc
}

export class AgentStore extends Context.Service<AgentStore, {
  /** Adds the agent, or a new version of it. An identical definition changes nothing. An archived agent is one no longer. */
  readonly put: (options: {
    readonly accountId: AccountId
    readonly agent: AgentDefinition & { readonly id: AgentId }
    readonly now: DateTime.Utc
  }) => Effect.Effect<Agent, StorageError>
  /** Archives the agent; an archived one stays as it is. `None` if there is no such agent. */
  readonly archive: (options: {
    readonly accountId: AccountId
    readonly id: AgentId
    readonly now: DateTime.Utc
  }) => Effect.Effect<Option.Option<Agent>, StorageError>
  /** Archived agents, too. */
  readonly get: (accountId: AccountId, id: AgentId) => Effect.Effect<Option.Option<Agent>, StorageError>
  /** Newest first, without archived agents. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Agent>, StorageError>
  /** Newest first, at most `Limits.agentVersions`; none if there is no such agent. */
  readonly versions: (accountId: AccountId, id: AgentId) => Effect.Effect<ReadonlyArray<AgentVersion>, StorageError>
  /** The agent in this version, whether it is archived or not. `updatedAt` is when the version was written. */
  readonly version: (
    accountId: AccountId,
    id: AgentId,
    version: number
  ) => Effect.Effect<Option.Option<Agent>, StorageError>
}>()("@outdial/core/account/AgentStore") {}
