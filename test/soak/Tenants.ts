/** The accounts of a run, each with rules of another kind, and what its owners do. Durations are of the timeline. */
import { Accounts, Agents, ApiKeys, type Ids, type Policy, Webhooks } from "@outdial/core"
import { Effect, Redacted } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RunSettings } from "./Fixture.ts"

/** Of all nodes. */
export const keys = {
  publicUrl: "http://localhost",
  signingKey: Redacted.make("soak"),
  secretKeys: { key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) }
}

/** What the check holds an account's calls against. */
export interface Rules {
  readonly lines: number
  readonly recallGapSeconds: number
  readonly numberLimits: ReadonlyArray<Policy.NumberLimit>
  readonly callsPerSecond: number
  /** By the day of UTC. */
  readonly dailyLimit: number | null
  /** Of every day, where the phones are; none is any time. */
  readonly windows: ReadonlyArray<Policy.CallingWindow>
}

export interface Tenant extends Rules {
  readonly id: Ids.AccountId
  readonly name: string
  readonly agentId: string
  readonly apiKeys: readonly [string, ...ReadonlyArray<string>]
  /** How many numbers its calls are spread over. */
  readonly numbers: number
  /** The first digits of its numbers; three more follow. */
  readonly prefix: string
}

const unlimited = { recallGapSeconds: 0, numberLimits: [], callsPerSecond: 10, dailyLimit: null, windows: [] }

const clock = new Intl.DateTimeFormat("en", {
  timeZone: "America/Los_Angeles",
  hour: "numeric",
  minute: "numeric",
  hourCycle: "h23"
})

/** The minute of the day where the phones are, all of which are in one zone. */
export const minuteOf = (at: number): number => {
  const [hour = 0, minute = 0] = clock.format(at).split(":").map(Number)
  return hour * 60 + minute
}

const dayMinutes = 24 * 60

/** Closed in the minute in which the run begins, then open every other minute; from the tenth on, as there are no more, open. */
const everyOtherMinute = (startedAt: number): Rules["windows"] => {
  const first = minuteOf(startedAt) + 1
  const time = (minute: number) =>
    [minute / 60 % 24, minute % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":")
  return Array.from({ length: 10 }, (_, index) => {
    const start = first + 2 * index
    return { start: time(start), end: time(index < 9 ? start + 1 : first - 1 + dayMinutes) }
  })
}

const weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

const kinds = (startedAt: number): ReadonlyArray<Rules & Pick<Tenant, "name" | "numbers">> => [
  { name: "open", lines: 5, numbers: 500, ...unlimited },
  { name: "gap", lines: 3, numbers: 8, ...unlimited, recallGapSeconds: 30 },
  {
    name: "limits",
    lines: 4,
    numbers: 3,
    ...unlimited,
    numberLimits: [{ max: 1, windowSeconds: 40 }, { max: 2, windowSeconds: 120 }]
  },
  { name: "pauses", lines: 4, numbers: 200, ...unlimited },
  { name: "stops", lines: 3, numbers: 400, ...unlimited },
  { name: "slow", lines: 6, numbers: 300, ...unlimited, callsPerSecond: 1 },
  { name: "hours", lines: 4, numbers: 300, ...unlimited, windows: everyOtherMinute(startedAt) },
  { name: "days", lines: 2, numbers: 200, ...unlimited, dailyLimit: 4 }
]

/** Keys of one account: requests are limited by key. */
const keysEach = 4

/** Makes the accounts, and leaves their webhook secrets where the receiver finds them. */
export const make = Effect.fnUntraced(function*({ folder, receiverPort, timeline }: RunSettings) {
  const accounts = yield* Accounts.Accounts
  const agents = yield* Agents.Agents
  const apiKeys = yield* ApiKeys.ApiKeys
  const webhooks = yield* Webhooks.Webhooks
  const secrets: Record<string, string> = {}
  const tenants = yield* Effect.forEach(
    kinds(timeline.startedAt),
    ({ name, numbers, ...rules }, index) =>
      Effect.gen(function*() {
        const { lines, windows, ...policy } = rules
        const callingHours = windows.length === 0 ? null : Object.fromEntries(weekdays.map((day) => [day, windows]))
        const { id } = yield* accounts.create({ name, lines, policy: { callingHours, ...policy } })
        const agent = yield* agents.put(id, {
          name: "Ada",
          script: "Hello {{contact.name}}",
          questions: ["Will you come?"],
          dispositions: ["yes", "no"]
        })
        const made = yield* Effect.forEach(
          Array.from({ length: keysEach }),
          () => apiKeys.create(id, { name: "soak", scopes: ["calls:read", "calls:write", "do_not_call:manage"] })
        )
        const [first = "", ...others] = made.map(({ secret }) => Redacted.value(secret))
        const { secret } = yield* webhooks.set(id, { url: `http://127.0.0.1:${receiverPort}/${id}` })
        if (secret !== undefined) secrets[id] = secret
        const tenant: Tenant = {
          ...rules,
          id,
          name,
          agentId: agent.id,
          apiKeys: [first, ...others],
          numbers,
          prefix: `+1415555${index}`
        }
        return tenant
      })
  )
  writeFileSync(join(folder, "secrets.json"), JSON.stringify(secrets))
  return tenants
})
