/**
 * What the owners of the accounts do: single calls and batches under keys, tried again on any node until there is an answer,
 * repeated later, canceled, stopped for good, paused. Keeps every answer for the check.
 */
import { Accounts, type Ids } from "@outdial/core"
import { Clock, Effect, Schedule } from "effect"
import type { Canceled, Pause, Sent, Stop } from "./Evidence.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { RunSettings } from "./Fixture.ts"
import type { Tenant } from "./Tenants.ts"
import * as Timeline from "./Timeline.ts"

/** What has been done so far. */
export interface Requests {
  readonly sent: Array<Sent>
  readonly canceled: Array<Canceled>
  readonly stops: Array<Stop>
  readonly pauses: Array<Pause>
}

/** How much an owner does at once: one thing that waits for a frozen node must not hold up all others. */
const hands = 6

/** Maximum milliseconds of the timeline between two actions of one worker. */
const pause = 8000

/** An owner whose calls wait in such a number starts no more for now: what is begun has to end soon after the run. */
const queueMost = 25

/** Real milliseconds that a node is waited for. */
const requestTimeout = 3000

/** `waiting` returns how many calls of an account are queued. */
export const make = (
  { nodes, timeline }: RunSettings,
  random: SeededRandom,
  waiting: (accountId: string) => number
) => {
  const requests: Requests = { sent: [], canceled: [], stops: [], pauses: [] }
  let isEnded = false
  let keys = 0

  const now = () => Timeline.now(timeline)
  const rest = (millis: number) => Effect.sleep(Timeline.realMillis(timeline, millis))
  const numberOf = ({ numbers, prefix }: Tenant) => prefix + String(random.between(0, numbers - 1)).padStart(3, "0")

  /** One request to one node; fails where the answer is none. */
  const ask = (tenant: Tenant, path: string, body: unknown, key?: string) =>
    Effect.tryPromise(async () => {
      const askedAt = now()
      const response = await fetch(`http://127.0.0.1:${random.pick(nodesOf(nodes)).port}/v1${path}`, {
        method: "POST",
        headers: {
          "x-api-key": random.pick(tenant.apiKeys),
          "content-type": "application/json",
          ...(key !== undefined && { "idempotency-key": key })
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(requestTimeout)
      })
      // What the check reads of an answer; anything else is not looked at.
      const answer = await response.json() as { id?: string; accepted_count?: number; error?: { code: string } }
      const { status } = response
      if (status >= 500 || status === 429 || answer.error?.code === "idempotency_key_in_use") throw new Error("later")
      return { askedAt, id: answer.id, accepted: answer.accepted_count, status }
    })

  /** Until some node has answered; after the run, too. */
  const askUntilAnswered = (...request: Parameters<typeof ask>) =>
    Effect.retry(ask(...request), { schedule: Schedule.spaced("300 millis") }).pipe(Effect.orDie)

  const send = Effect.fnUntraced(function*(sent: Sent, tenant: Tenant) {
    const { accepted, askedAt, id, status } = yield* askUntilAnswered(tenant, sent.path, sent.body, sent.key)
    sent.answers.push({ askedAt, status, ...(id !== undefined && { id }), ...(accepted !== undefined && { accepted }) })
  })

  const request = (path: Sent["path"], tenant: Tenant, body: (key: string) => Sent["body"]) => {
    const key = `key-${keys++}`
    const sent: Sent = { key, path, accountId: tenant.id, body: body(key), answers: [] }
    requests.sent.push(sent)
    return send(sent, tenant)
  }

  const row = (tenant: Tenant, key: string) => ({
    phone_number: numberOf(tenant),
    metadata: { key },
    // Some are to wait, and some are given up if they have to; those that a day has no more room for would wait beyond the run.
    ...(random.chance(0.15) && { not_before: new Date(now() + random.between(2000, 15_000)).toISOString() }),
    ...(random.chance(tenant.dailyLimit === null ? 0.05 : 1) && { expires_at: new Date(now() + 25_000).toISOString() })
  })

  const accepted = ({ id }: Tenant) =>
    requests.sent.filter(({ accountId, answers, path }) =>
      accountId === id && path === "/calls" && answers[0]?.id !== undefined
    )

  const act = (tenant: Tenant): Effect.Effect<void> => {
    const how = random.next()
    if (how < 0.76 && waiting(tenant.id) > queueMost) return Effect.void
    if (how < 0.7) {
      return request("/calls", tenant, (key) => ({ agent_id: tenant.agentId, ...row(tenant, key) }))
    }
    if (how < 0.76) {
      return request("/batches", tenant, (key) => ({
        agent_id: tenant.agentId,
        calls: Array.from({ length: 8 }, (_, index) => row(tenant, `${key}/${index}`))
      }))
    }
    const [first, ...others] = accepted(tenant).slice(-8)
    if (first === undefined) return Effect.void
    const earlier = random.pick([first, ...others])
    return how < 0.88 ? send(earlier, tenant) : cancel(tenant, earlier.answers[0]?.id ?? "")
  }

  const cancel = Effect.fnUntraced(function*(tenant: Tenant, callId: string) {
    const { status } = yield* askUntilAnswered(tenant, `/calls/${callId}/cancel`, {})
    if (status === 200) requests.canceled.push({ callId, at: now() })
  })

  const stop = Effect.fnUntraced(function*(tenant: Tenant) {
    // Mostly a number that is waiting or talking.
    const [last] = accepted(tenant).slice(-1)
    const phoneNumber = last?.body.phone_number ?? numberOf(tenant)
    yield* askUntilAnswered(tenant, "/do_not_call", { phone_numbers: [phoneNumber] })
    requests.stops.push({ accountId: tenant.id, phoneNumber, at: now() })
  })

  /** Pauses are the operator's, who has no node but the library. */
  const setPaused = (id: Ids.AccountId, paused: boolean) =>
    Effect.flatMap(Accounts.Accounts, (accounts) => accounts.set(id, { paused })).pipe(
      Effect.provideService(Clock.Clock, Timeline.clock(timeline)),
      Effect.retry({ schedule: Schedule.spaced("300 millis") }),
      Effect.orDie
    )

  const pauseOnce = Effect.fnUntraced(function*({ id }: Tenant) {
    yield* rest(random.between(4000, 12_000))
    yield* setPaused(id, true)
    const from = now()
    yield* rest(random.between(3000, 8000))
    requests.pauses.push({ accountId: id, from, to: now() })
    yield* setPaused(id, false)
  })

  const untilEnded = <E, R>(effect: Effect.Effect<void, E, R>) =>
    Effect.gen(function*() {
      while (!isEnded) yield* effect
    })

  const owner = (tenant: Tenant) =>
    Effect.all([
      ...Array.from({ length: hands }, () =>
        untilEnded(Effect.suspend(() => Effect.andThen(rest(random.between(100, pause)), act(tenant))))),
      tenant.name === "stops"
        ? untilEnded(Effect.suspend(() =>
          Effect.andThen(rest(random.between(1000, 6000)), stop(tenant))
        ))
        : Effect.void,
      tenant.name === "pauses" ? untilEnded(pauseOnce(tenant)) : Effect.void
    ], { concurrency: "unbounded", discard: true })

  return {
    requests,
    /** Ends the load; what was begun is brought to its end. */
    end: Effect.sync(() => {
      isEnded = true
    }),
    run: (tenants: ReadonlyArray<Tenant>) => Effect.forEach(tenants, owner, { concurrency: "unbounded", discard: true })
  }
}

const nodesOf = (nodes: RunSettings["nodes"]) => {
  const [first, ...others] = nodes
  if (first === undefined) throw new Error("There are no nodes")
  return [first, ...others] as const
}
