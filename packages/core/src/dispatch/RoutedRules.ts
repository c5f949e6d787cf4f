/**
 * The calling rules of a process with several carriers: they put calls into lanes that name their carriers. The version of the routes is
 * part of the plan, so that waiting calls are planned again when the routes change. Without routes, new calls have none, and calls that a
 * process with routes has planned stay with their carriers.
 */
import { Effect, Layer } from "effect"
import * as Lane from "../domain/Lane.ts"
import * as PlanData from "../domain/PlanData.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { carriersOf } from "../rules/dispatch/Routing.ts"
import { Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"

/** The version of this process's plan data. */
export const planDataOf = (timeZones: TimeZones["Service"], { router }: Telephony["Service"]): string =>
  PlanData.make({ timeZones: timeZones.version, ...(router !== undefined && { routes: router.version }) })

export const layer: Layer.Layer<CallingRules, never, CallingRules | PhoneNumbers | Telephony | TimeZones> = Layer
  .effect(
    CallingRules,
    Effect.gen(function*() {
      const rules = yield* CallingRules
      const telephony = yield* Telephony
      const numbers = yield* PhoneNumbers
      const planData = planDataOf(yield* TimeZones, telephony)
      if (telephony.router === undefined) {
        return {
          ...rules,
          laneOf: (account, call) => {
            const lane = rules.laneOf(account, call)
            const carriers = call.lane === undefined ? [] : Lane.carriersInOrder(call.lane)
            return carriers.length === 0 ? lane : Lane.over(lane, carriers)
          }
        }
      }
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
          const lane = Lane.plannedBy(rules.laneOf(account, call), { planVersion: account.planVersion, planData })
          return Lane.over(lane, carriers)
        }
      }
    })
  )
