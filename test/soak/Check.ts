/** The independent check of a run: none of the engine's code, only what the witnesses say. */
import type { Breach, Evidence } from "./Evidence.ts"
import * as RecordCheck from "./RecordCheck.ts"
import * as RingCheck from "./RingCheck.ts"

/** Every promise that was not kept. */
export const breaches = (evidence: Evidence): ReadonlyArray<Breach> => [
  ...RingCheck.check(evidence),
  ...RecordCheck.check(evidence)
]
