/** Local time as the runtime has it, for tests of pure rules. */
import { TimeZones } from "@outdial/core"
import { Effect } from "effect"

export const { offset } = Effect.runSync(Effect.provide(TimeZones.TimeZones, TimeZones.TimeZones.layer))
