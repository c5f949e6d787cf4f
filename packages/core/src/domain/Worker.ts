/** A process that runs an engine's loops: it dials, makes outcomes and delivers events for all accounts of a storage. */
import type { DateTime } from "effect"
import type { WorkerId } from "./Ids.ts"

export interface Worker {
  readonly id: WorkerId
  /** What its operator calls it, such as the host and the number of the process. */
  readonly name?: string
  /** Of Outdial. */
  readonly version: string
  /** The loops it runs now, such as `dispatcher` and `deliveries`. While its clock is uncertain, those that depend on the time wait. */
  readonly runs: ReadonlyArray<string>
  readonly startedAt: DateTime.Utc
  /** Its last heartbeat. */
  readonly seenAt: DateTime.Utc
}

/** Whether the worker dials calls. */
export const isDialing = ({ runs }: Worker): boolean => runs.includes("dispatcher")
