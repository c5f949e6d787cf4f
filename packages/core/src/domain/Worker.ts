/** A process that runs an engine's loops: it dials, makes outcomes and delivers events for all accounts of a storage. */
import type { DateTime } from "effect"
import type { CarrierName, WorkerId } from "./Ids.ts"

export interface Worker {
  readonly id: WorkerId
  /** The operator's name for it, such as the host and the process id. */
  readonly name?: string
  /** Of Outdial. */
  readonly version: string
  /** The loops that run now, such as `dispatcher` and `deliveries`. While the clock is uncertain, those that depend on the time wait. */
  readonly runs: ReadonlyArray<string>
  /** The carriers that it dials over. Not known of a worker of an earlier version. */
  readonly carriers?: ReadonlyArray<CarrierName>
  readonly startedAt: DateTime.Utc
  /** Its last heartbeat. */
  readonly seenAt: DateTime.Utc
}

/** Whether the worker dials calls. */
export const isDialing = ({ runs }: Worker): boolean => runs.includes("dispatcher")
