/** The independent check of a run: none of the engine's code, only what the witnesses say. */
import type { Breach, Evidence } from "./Evidence.ts"
import * as RecordCheck from "./RecordCheck.ts"
import * as RingCheck from "./RingCheck.ts"
import * as TimeCheck from "./TimeCheck.ts"

/** Every promise that was not kept; one in which nothing rang has kept none. */
export const breaches = (evidence: Evidence): ReadonlyArray<Breach> => [
  ...(evidence.rings.length === 0 ? RingCheck.breach("accepted calls ring", "nothing rang at all") : []),
  ...RingCheck.check(evidence),
  ...TimeCheck.check(evidence),
  ...RecordCheck.check(evidence)
]
