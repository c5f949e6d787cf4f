/** Checks accepted calls, their ends and their events against the guarantees. */
import type { Breach, Evidence, Sent } from "./Evidence.ts"
import { breach, final, groups, most } from "./RingCheck.ts"

const ended = ({ calls }: Evidence) =>
  calls.flatMap(({ id, outcomeState, status }) =>
    !final.has(status) || outcomeState === "pending"
      ? breach("every accepted call ends", `${id} is ${status}, its outcome ${outcomeState}`)
      : []
  )

const finality = ({ steps }: Evidence) =>
  groups(steps, ({ callId }) => callId).flatMap((life) =>
    life.flatMap(({ callId, status }, index) => {
      const before = life[index - 1]?.status
      return before !== undefined && final.has(before) && status !== before
        ? breach("final states are final", `${callId} went from ${before} to ${status}`)
        : []
    })
  )

/** Lines as the engine counts them: also one whose end was never reported is in use until that is found out. */
const lines = ({ accounts, steps }: Evidence) =>
  accounts.flatMap(({ id, lines }) => {
    const own = steps.filter(({ accountId }) => accountId === id)
    const intervals = groups(own, ({ callId }) => callId).flatMap((life) =>
      life.flatMap(({ at, status }, index) =>
        status === "dialing" || status === "in_progress" ? [{ from: at, to: life[index + 1]?.at ?? Infinity }] : []
      )
    )
    const highest = most(intervals)
    return highest > lines ? breach("no line is given out twice", `${id} used ${highest} of ${lines}`) : []
  })

const terminal: ReadonlySet<string> = new Set(["call.completed", "call.not_connected"])

const events = ({ calls, events }: Evidence) => {
  const eventsOf = Map.groupBy(events.filter(({ type }) => terminal.has(type)), ({ callId }) => callId)
  return calls.filter(({ status }) => final.has(status)).flatMap(({ id, outcomeState, status }) => {
    const own = eventsOf.get(id) ?? []
    const wanted = status === "completed" ? "call.completed" : "call.not_connected"
    // The one of a completed call comes with its outcome.
    if (outcomeState === "pending") return []
    return own.length === 1 && own[0]?.type === wanted
      ? []
      : breach(
        "every call ends in exactly one event",
        `${id}, ${status}, has ${own.map(({ type }) => type).join(", ")}`
      )
  })
}

const deliveries = ({ events, received }: Evidence) => {
  const receivedOf = Map.groupBy(received, ({ eventId }) => eventId)
  const known = new Map(events.map((event) => [event.id, event]))
  return [
    ...events.flatMap(({ id }) =>
      receivedOf.get(id)?.some(({ answer, isGenuine }) => isGenuine && answer === 204) === true
        ? []
        : breach("every event is received", id)
    ),
    ...received.flatMap(({ accountId, eventId, hash, isGenuine }) => {
      const event = known.get(eventId)
      return [
        ...(isGenuine ? [] : breach("every delivery is signed", eventId)),
        ...(event?.accountId === accountId ? [] : breach("only events are delivered, to their owner", eventId)),
        ...(event === undefined || event.hash === hash
          ? []
          : breach("all deliveries of an event are the same", eventId))
      ]
    })
  ]
}

export const isAccepted = ({ status }: Sent["answers"][number]) => status >= 200 && status < 300

/** How often a request may have made each of its rows, which is once; and the responses to its owner. */
const requests = ({ calls, sent, steps }: Evidence) => {
  const storedAt = new Map(steps.toReversed().map(({ at, callId }) => [callId, at]))
  const byKey = Map.groupBy(calls, ({ key }) => key)
  const byId = new Map(calls.map((call) => [call.id, call]))
  const byBatch = Map.groupBy(calls, ({ batchId }) => batchId)
  return [
    ...[...byKey].flatMap(([key, made]) =>
      made.length > 1 ? breach("a key makes one call only", `${key} made ${made.map(({ id }) => id).join(", ")}`) : []
    ),
    ...sent.flatMap(({ accountId, answers, key, path }) => {
      const accepted = answers.filter(isAccepted)
      const ids = new Set(accepted.map(({ id }) => id))
      return [
        ...(answers.length === 0 ? breach("every request is answered in the end", key) : []),
        ...answers.filter((answer) =>
          !isAccepted(answer) && byKey.get(key)?.some(({ id }) => (storedAt.get(id) ?? 0) < answer.askedAt) === true
        ).flatMap(({ status }) => breach("a retry returns the call", `${key} was answered ${status}`)),
        ...(ids.size > 1 ? breach("a key has one answer", `${key} was answered ${[...ids].join(", ")}`) : []),
        ...accepted.flatMap(({ accepted = 0, id = "" }) => {
          const isKept = path === "/calls"
            ? byId.get(id)?.key === key && byId.get(id)?.accountId === accountId
            : byBatch.get(id)?.length === accepted || accepted === 0
          return isKept ? [] : breach("nothing accepted is lost", `${key}, answered ${id}`)
        })
      ]
    })
  ]
}

export const check = (evidence: Evidence): ReadonlyArray<Breach> => [
  ...ended(evidence),
  ...finality(evidence),
  ...lines(evidence),
  ...events(evidence),
  ...deliveries(evidence),
  ...requests(evidence)
]
