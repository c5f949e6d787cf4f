/** The carriers of a deployment, as operators see them. */
import type { DateTime } from "effect"
import type { CarrierReason } from "./CarrierReason.ts"
import type { CarrierName } from "./Ids.ts"

/** Dialing over a carrier is stopped. Calls that go on, go on. */
export interface CarrierPause {
  readonly at: DateTime.Utc
  /** `operator`: until it is resumed. `fault`: the carrier refused the account; a check that succeeds resumes it as well. */
  readonly by: "fault" | "operator"
  /** What the carrier said. */
  readonly reason?: CarrierReason
  /** When the carrier was last checked, or paused for a fault. */
  readonly checkedAt?: DateTime.Utc
}

export interface Carrier {
  readonly name: CarrierName
  /** Absent while it dials. */
  readonly pause?: CarrierPause
}
