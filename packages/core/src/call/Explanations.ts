/**
 * Explains what every rule decides about a waiting call now, or would decide about a number that is not queued. Reads
 * the same facts and uses the same rules as the claim that dials. Changes nothing.
 */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Account } from "../domain/Account.ts"
import { AgentNotFound, InvalidRequest, NotFound, type Unavailable } from "../domain/Errors.ts"
import type { Explanation } from "../domain/Explanation.ts"
import { type AccountId, AgentId, type CallId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import type { PolicyDocument } from "../domain/Policy.ts"
import type { PreviewCall } from "../domain/PreviewCall.ts"
import { isDialing } from "../domain/Worker.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { unknownNumber } from "../rules/policy/DialFacts.ts"
import * as Explaining from "../rules/call/Explaining.ts"
import type { Candidate } from "../rules/policy/TimeRules.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { impossibleNumber, refusal, waitingTimes } from "./CallAdmission.ts"
import { ErasureAliases } from "../privacy/ErasureAliases.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { Workers } from "../worker/Workers.ts"
import * as NumberReading from "../phone-number/NumberReading.ts"
import { defaultCountryFor, notANumber } from "../phone-number/NumberReading.ts"
import { AgentStore } from "../account/AgentStore.ts"
import { CallStore } from "./CallStore.ts"
import { AccountStore } from "../account/AccountStore.ts"

export class Explanations extends Context.Service<Explanations, {
  /** What every rule decides about the call now. For a call that is no longer waiting, how it ended, and what they decided. */
  readonly explain: (
    accountId: AccountId,
    id: CallId
  ) => Effect.Effect<Explanation, NotFound | Unavailable>
  /** What every rule would decide about a call to the number now, by the account's policy or by another. Queues nothing. */
  readonly preview: (
    accountId: AccountId,
    request: PreviewCall,
    options?: { readonly policy?: PolicyDocument }
  ) => Effect.Effect<Explanation, AgentNotFound | InvalidRequest | Unavailable>
}>()("@outdial/core/call/Explanations") {
  static readonly layer = Layer.effect(
    Explanations,
    Effect.gen(function*() {
      const agentStore = yield* AgentStore
      const callStore = yield* CallStore
      const accountStore = yield* AccountStore
      const erasureKeys = yield* ErasureAliases
      const numbers = yield* PhoneNumbers
      const rules = yield* CallingRules
      const workers = yield* Workers
      const { isKnown } = yield* TimeZones
      const readNumber = NumberReading.read(numbers)

      const factsFor = Effect.fnUntraced(function*(accountId: AccountId, phoneNumber: PhoneNumber) {
        const now = yield* DateTime.now
        const { numbers: known, ...facts } = yield* callStore.dialFacts({
          accountId,
          phoneNumbers: [phoneNumber],
          now,
          rules,
          aliasesOf: erasureKeys.aliasesOf(accountId)
        })
        return { ...facts, number: known.get(phoneNumber) ?? unknownNumber }
      }, orUnavailable)

      return Explanations.of({
        explain: Effect.fn("Explanations.explain")(function*(accountId, id) {
          const found = yield* orUnavailable(callStore.get(accountId, id))
          if (Option.isNone(found)) return yield* new NotFound({ what: `call ${id}` })
          const call = found.value
          const facts = yield* factsFor(accountId, call.phoneNumber)
          const explained = Explaining.ofCall(rules, call, facts)
          if (call.status !== "queued") return explained
          return { ...explained, workerAlive: (yield* workers.list).some(isDialing) }
        }),
        preview: Effect.fn("Explanations.preview")(function*(accountId, request, { policy } = {}) {
          const stored = accountStore.get(accountId)
          const account = policy === undefined ? stored : Effect.map(stored, Option.map(withPolicy(policy)))
          const country = yield* orUnavailable(defaultCountryFor(account, [request.phoneNumber]))
          const number = readNumber(request.phoneNumber, country)
          if (number._tag === "NotANumber") return yield* notANumber(number.message)
          const { assessment } = number
          if (assessment._tag === "NotPossible") return yield* impossibleNumber
          const { agentId = noAgent, contact = {} } = request
          if (contact.timeZone !== undefined && !isKnown(contact.timeZone)) return yield* unknownZone
          const agent = Option.filter(
            yield* orUnavailable(agentStore.get(accountId, agentId)),
            ({ archivedAt }) => archivedAt === undefined
          )
          if (request.agentId !== undefined && Option.isNone(agent)) return yield* new AgentNotFound({ agentId })
          const storedFacts = yield* factsFor(accountId, assessment.number)
          const facts = policy === undefined
            ? storedFacts
            : { ...storedFacts, account: withPolicy(policy)(storedFacts.account) }
          const { now } = facts
          const times = yield* Effect.fromResult(waitingTimes(request, now))
          const callerId = Option.getOrUndefined(agent)?.callerId
          const candidate: Candidate = {
            phoneNumber: assessment.number,
            agentId,
            lane: rules.laneOf(facts.account, {
              agentId,
              contact,
              phoneNumber: assessment.number,
              ...(callerId !== undefined && { callerId })
            }),
            ...times,
            unavailableCount: 0
          }
          return Explaining.ofNumber(
            rules,
            candidate,
            facts,
            refusal({ assessment, facts, timeRules: rules.timeRules(candidate, facts) })
          )
        })
      })
    })
  )
}

const withPolicy = (policy: PolicyDocument) => (account: Account): Account => ({ ...account, policy })

const unknownZone = new InvalidRequest({
  problems: [{ path: ["contact", "timeZone"], message: "must be the name of a time zone, such as Europe/Paris" }]
})

/** The agent of a preview that names none: no policy has rules for it. */
const noAgent = AgentId.make("00000000-0000-4000-8000-000000000000")
