/**
 * The calling rules of a process with several carriers: they put calls into lanes that name their carriers. The version of the routes is
 * part of the plan, so that waiting calls are planned again when the routes change. With one carrier, the rules as they are.
 */
import { Effect, Layer } from "effect"
import * as Lane from "../domain/Lane.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { carriersOf } from "../rules/dispatch/Routing.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"

/** The version of what calls are planned by, besides their account's policy. */
export const planData = (timeZones: TimeZones["Service"], { router }: Telephony["Service"]): string =>
  router === undefined ? timeZones.version : `${timeZones.version}-${router.version}`

export const layer: Layer.Layer<CallingRules, never, CallingRules | PhoneNumbers | Telephony | TimeZones> = Layer
  .effect(
    CallingRules,
    Effect.gen(function*() {
      const rules = yield* CallingRules
      const telephony = yield* Telephony
      const numbers = yield* PhoneNumbers
      const timeZoneData = planData(yield* TimeZones, telephony)
      if (telephony.router === undefined) return rules
      const { routing } = telephony.router
      return {
        ...rules,
        laneOf: (account, call) => {
          const assessment = numbers.assess(call.phoneNumber)
          const country = assessment._tag === "NotPossible" ? undefined : assessment.country
          const carriers = carriersOf(routing, {
            accountId: account.id,
            agentId: call.agentId,
            ...(call.callerId !== undefined && { callerId: call.callerId }),
            ...(country !== undefined && { country })
          })
          const lane = Lane.plannedBy(rules.laneOf(account, call), { planVersion: account.planVersion, timeZoneData })
          return Lane.over(lane, carriers)
        }
      }
    })
  )
