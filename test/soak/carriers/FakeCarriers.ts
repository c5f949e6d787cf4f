/** The fake carriers that a run can call over, with the faults of a network and of a carrier at random. */
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Context, Effect, Layer } from "effect"
import type { SeededRandom } from "../SeededRandom.ts"
import type { CarrierCall } from "./CarrierCheck.ts"

export interface FakeCarrier {
  /** The settings of `outdial serve`. */
  readonly environment: Readonly<Record<string, string>>
  readonly calls: () => ReadonlyArray<CarrierCall>
  /** The ids of the calls for which the carrier was asked twice. */
  readonly doubled: ReadonlySet<string>
  /** How many requests for calls had a fault. */
  readonly faults: () => number
  readonly callbacks: () => number
  /** Loses the socket of one of the calls that are going on. */
  readonly cutSocket: Effect.Effect<void>
  /** Cuts the body of the next request for a call. */
  readonly cutRequest: Effect.Effect<void>
  readonly setCondition: (
    condition: "well" | "unreachable" | "faulty" | "silent" | "unauthorized"
  ) => Effect.Effect<void>
}

export const names = ["twilio", "telnyx"] as const
export type Name = (typeof names)[number]

const callerId = "+14155550999"
/** More than the load needs: the limit of the account's lines holds it. */
const callsPerSecond = "200"

/** Half of the requests are well. */
const faultOf = (random: SeededRandom): FakeTwilio.Fault | undefined => {
  const how = random.next()
  if (how < 0.5) return undefined
  return random.pick<FakeTwilio.Fault>([
    "response_lost",
    "error_500",
    "html",
    "error_200",
    "reset",
    "refused",
    "too_many",
    "twin",
    { cutAfter: random.between(1, 600) },
    { ringsAfter: random.between(10, 3000) }
  ])
}

const deliveryOf = (random: SeededRandom): FakeTwilio.Delivery => {
  const how = random.next()
  if (how < 0.08) return "lost"
  if (how < 0.16) return "doubled"
  return how < 0.26 ? { late: random.between(10, 3000) } : "sent"
}

/** Telnyx sends a webhook again for a minute, in which a node that was killed is back. */
const timings = { retry: 1 }

interface Fake {
  readonly calls: ReadonlyArray<FakeTwilio.FakeCall>
  readonly callbacks: ReadonlyArray<unknown>
  readonly cutSocket: (id: string) => void
  readonly fail: (...faults: ReadonlyArray<FakeTwilio.Fault>) => void
  readonly setCondition: FakeCarrier["setCondition"]
}

/** `isCalm`: from then on nothing goes wrong. */
export const make = Effect.fnUntraced(function*(name: Name, random: SeededRandom, isCalm: () => boolean) {
  const doubled = new Set<string>()
  const twins = new Set<string>()
  let faults = 0
  const options = {
    fault: (to: string) => {
      const fault = isCalm() ? undefined : faultOf(random)
      if (fault !== undefined) faults += 1
      if (fault === "twin") twins.add(to)
      return fault
    },
    delivery: () => isCalm() ? "sent" as const : deliveryOf(random)
  }
  const of = <R>(
    fake: Omit<Fake, "calls"> & {
      readonly calls: ReadonlyArray<Omit<FakeTwilio.FakeCall, "request"> & { readonly request: R }>
    },
    callIdOf: (request: R) => string,
    environment: Readonly<Record<string, string>>
  ): FakeCarrier => ({
    environment: { ...environment, OUTDIAL_CARRIER: name },
    calls: () =>
      fake.calls.map(({ endedAt, id, rangAt, request, status, to, words }) => {
        const callId = callIdOf(request)
        // Each number is called once.
        if (twins.has(to)) doubled.add(callId)
        return {
          id,
          callId,
          status,
          talked: words.some(({ speaker }) => speaker === "contact"),
          ...(rangAt !== undefined && { rangAt: rangAt.getTime() }),
          ...(endedAt !== undefined && { endedAt: endedAt.getTime() })
        }
      }),
    doubled,
    faults: () => faults,
    callbacks: () => fake.callbacks.length,
    cutSocket: Effect.sync(() => {
      const live = fake.calls.filter(({ status }) => status === "in-progress")
      const one = live[random.between(0, live.length - 1)]
      if (one !== undefined) fake.cutSocket(one.id)
    }),
    cutRequest: Effect.sync(() => fake.fail({ cutRequestAfter: random.between(0, 400) })),
    setCondition: fake.setCondition
  })

  if (name === "twilio") {
    const fake = Context.get(yield* Layer.build(FakeTwilio.FakeTwilio.layer(options)), FakeTwilio.FakeTwilio)
    return of(fake, (form) => form.get("StatusCallback")?.split("/").at(-1)?.split(".")[1] ?? "", {
      TWILIO_ACCOUNT_SID: fake.accountSid,
      TWILIO_AUTH_TOKEN: fake.authToken,
      TWILIO_API_URL: fake.url,
      TWILIO_CALLER_ID: callerId,
      TWILIO_CALLS_PER_SECOND: callsPerSecond
    })
  }
  const fake = Context.get(
    yield* Layer.build(FakeTelnyx.FakeTelnyx.layer({ ...options, timings })),
    FakeTelnyx.FakeTelnyx
  )
  return of(fake, ({ command_id }) => command_id?.split(" ")[0] ?? "", {
    TELNYX_API_KEY: fake.apiKey,
    TELNYX_CONNECTION_ID: fake.connectionId,
    TELNYX_PUBLIC_KEY: fake.publicKey,
    TELNYX_API_URL: fake.url,
    TELNYX_CALLER_ID: callerId,
    TELNYX_CALLS_PER_SECOND: callsPerSecond
  })
})
