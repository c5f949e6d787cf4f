/** Holds what rang at a fake carrier, and what is on record of the calls, against the promises. */
import { type Breach } from "../Evidence.ts"
import { breach, final, groups } from "../RingCheck.ts"

/** A call at the carrier. Instants are in epoch milliseconds. */
export interface CarrierCall {
  readonly id: string
  /** Our id of it. */
  readonly callId: string
  readonly status: string
  readonly rangAt?: number
  readonly endedAt?: number
  /** Whether the contact has said something to the agent. */
  readonly talked: boolean
}

/** A call on record. */
export interface KeptCall {
  readonly id: string
  readonly status: string
  readonly outcomeState: string
  readonly endedAt?: number
  /** The types of its terminal events. */
  readonly events: ReadonlyArray<string>
}

export interface Evidence {
  /** Our ids of the calls for which the carrier was asked twice, by something on the way. */
  readonly doubled: ReadonlySet<string>
  readonly atCarrier: ReadonlyArray<CarrierCall>
  readonly calls: ReadonlyArray<KeptCall>
}

/** Carriers date the end of a call by the second. */
const wholeSecond = 1000

const rings = ({ atCarrier, calls, doubled }: Evidence) => {
  const endOf = new Map(calls.map(({ endedAt, id }) => [id, endedAt]))
  return groups(atCarrier, ({ callId }) => callId).flatMap((own) => {
    const [{ callId } = { callId: "" }] = own
    const rung = own.filter(({ rangAt }) => rangAt !== undefined)
    const end = endOf.get(callId)
    return [
      ...endOf.has(callId) ? [] : breach("only accepted calls ring", `${callId} is not known`),
      // Whoever asks the carrier twice makes two phones ring, and one of them is cut off.
      ...rung.length > (doubled.has(callId) ? 2 : 1)
        ? breach("no phone rings twice for one call", `${callId} rang ${rung.length} times`)
        : [],
      ...own.filter(({ talked }) => talked).length > 1
        ? breach("no contact is talked to twice for one call", callId)
        : [],
      ...rung.filter(({ rangAt = 0 }) => end !== undefined && rangAt > end + wholeSecond)
        .flatMap(({ rangAt = 0 }) =>
          breach("no phone rings after the end of its call", `${callId}, ${rangAt - (end ?? 0)} ms after`)
        )
    ]
  })
}

const ends = ({ atCarrier, calls }: Evidence) => [
  ...calls.flatMap(({ events, id, outcomeState, status }) => {
    if (!final.has(status) || outcomeState === "pending" || outcomeState === "awaiting_recording") {
      return breach("every accepted call ends", `${id} is ${status}, its outcome ${outcomeState}`)
    }
    const wanted = status === "completed" ? "call.completed" : "call.not_connected"
    return events.length === 1 && events[0] === wanted
      ? []
      : breach("every call ends in exactly one event", `${id}, ${status}, has ${events.join(", ")}`)
  }),
  ...atCarrier.filter(({ endedAt }) => endedAt === undefined).flatMap(({ callId, id, status }) =>
    breach("no line stays open at the carrier", `${id} of ${callId} is ${status}`)
  )
]

/** A contact that was talked to is not on record as one that was not reached. */
const statuses = ({ atCarrier, calls }: Evidence) => {
  const talked = new Set(atCarrier.filter((call) => call.talked).map(({ callId }) => callId))
  const rang = new Set(atCarrier.filter(({ rangAt }) => rangAt !== undefined).map(({ callId }) => callId))
  return calls.flatMap(({ id, status }) => [
    ...status === "completed" && !talked.has(id)
      ? breach("what did not talk is not completed", `${id} is ${status}`)
      : [],
    ...(status === "busy" || status === "no_answer") && !rang.has(id)
      ? breach("what did not ring did not connect", `${id} is ${status}`)
      : []
  ])
}

export const check = (evidence: Evidence): ReadonlyArray<Breach> => [
  ...rings(evidence),
  ...ends(evidence),
  ...statuses(evidence)
]
