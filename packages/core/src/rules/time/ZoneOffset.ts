/** The offset of a time zone's wall clock from UTC: the rules' only source of local time. */

export interface ZoneOffset {
  /** The difference between wall clock and UTC, in milliseconds. */
  readonly offsetMs: number
  /** The next instant, in epoch milliseconds, at which the offset may be another. */
  readonly until: number
}

/** The offset of a zone at an instant in epoch milliseconds; `undefined` when no such zone is known. */
export type ZoneOffsets = (zone: string, at: number) => ZoneOffset | undefined
