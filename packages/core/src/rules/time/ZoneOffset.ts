/** How the wall clock of a time zone stands to UTC. Rules ask for it and know no other source of local time. */

export interface ZoneOffset {
  /** What has to be added to UTC to get the wall clock, in milliseconds. */
  readonly offsetMs: number
  /** The next instant, in epoch milliseconds, at which the offset may be another. */
  readonly until: number
}

/** The offset of a zone at an instant in epoch milliseconds; `undefined` when no such zone is known. */
export type ZoneOffsets = (zone: string, at: number) => ZoneOffset | undefined
