/**
 * The test engine for tests that do not use Effect, under any test runner: the promise engine in memory, with a clock that only
 * `advance` moves. Nothing happens before `drain` or `advance`, and nothing takes real time.
 */
import {
  type OptionNames,
  type Outcome,
  OutcomeSource,
  Outdial,
  OutdialError,
  PhoneNumber,
  PhoneNumbers,
  refuseUnknown,
  SimulatedCallee,
  SimulatedTelephony,
  type Storage,
  WebhookSigner,
  WebhookTransport
} from "@outdial/core"
import { Clock, Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { WebhookEvent } from "@outdial/core/webhooks"
import { advance } from "./EffectTestEngine.ts"

/** A Tuesday, on which it is day in Europe (17:00 in Berlin) and in all of the Americas (08:00 in Los Angeles). */
const defaultNow = DateTime.makeUnsafe("2027-01-12T16:00:00.000Z")

const defaultAgent = {
  name: "Ada",
  script: "Hello {{contact.name}}, this is Ada.",
  questions: ["Does Tuesday suit you?"],
  dispositions: ["interested", "not_interested"]
}

export interface OpenOptions {
  /** The agents. Default: one named Ada, without variables. */
  readonly agents?: ReadonlyArray<Outdial.HostAgentDefinition>
  /** Maximum number of concurrent calls. Default: 5. */
  readonly lines?: number
  /** The policy; `{}` is that of a new account. Default: one without restrictions. */
  readonly policy?: Outdial.HostPolicy
  /** The initial time. Default: Tuesday 2027-01-12, 16:00 UTC. */
  readonly now?: Date
  /** Who answers, by number. Default: chosen by the last digits of the number. */
  readonly callees?: Readonly<Record<string, SimulatedCallee.Callee>>
  /** Makes the outcomes. Default: samples that fit the agent. */
  readonly outcomes?: (
    conversation: OutcomeSource.Conversation,
    options: { readonly signal: AbortSignal }
  ) => Outcome.Outcome | Promise<Outcome.Outcome>
  /** The storage. Its tables must exist; rows of other tests stay. Default: memory. */
  readonly storage?: Layer.Layer<Storage.Storage, unknown>
  /** Receives the webhook deliveries, such as the route handler under test. Default: answers 200. */
  readonly receiver?: (request: Request) => Response | Promise<Response>
}

const optionNames: OptionNames.Names<OpenOptions> = {
  agents: true,
  lines: true,
  policy: true,
  now: true,
  callees: true,
  outcomes: true,
  storage: true,
  receiver: true
}

/** A phone that rang. */
export interface TestRing {
  readonly at: Date
  readonly callId: string
  readonly phoneNumber: string
}

/** A webhook delivery: its request and its event. */
export interface TestDelivery {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly event: WebhookEvent
}

/** An engine to test with, seen from its only account. */
export interface HostTestEngine extends Omit<Outdial.Outdial, "drain"> {
  /** The first of the agents. */
  readonly agentId: string
  /** Does everything that is due now, without moving the clock. */
  readonly drain: () => Promise<void>
  /** Moves the clock forward, by `"2 hours"` or by milliseconds, and does everything that becomes due on the way. */
  readonly advance: (duration: Duration.Input) => Promise<void>
  /** The current time of the clock. */
  readonly now: () => Date
  /** The phones that rang, oldest first. */
  readonly rings: () => ReadonlyArray<TestRing>
  /** What was delivered, of every kind of event, oldest first; attempts that the receiver refused are in it, too. */
  readonly inbox: () => ReadonlyArray<TestDelivery>
  /** The secret that deliveries are signed with. */
  readonly webhookSecret: string
}

/** Opens an engine for a test. `await using engine = await TestEngine.open()` closes it with the test. */
export const open = async (options: OpenOptions = {}): Promise<HostTestEngine> => {
  refuseUnknown(options, optionNames)
  const rings: Array<TestRing> = []
  const inbox: Array<TestDelivery> = []
  const [first = defaultAgent, ...others] = options.agents ?? []
  const agents = [first, ...others] as const
  const engine = await Outdial.open({
    agents,
    policy: options.policy ?? { callingHours: null, recallGapSeconds: 0, numberLimits: [], callsPerSecond: 10_000 },
    ...(options.lines !== undefined && { lines: options.lines }),
    ...(options.outcomes !== undefined && { outcomes: OutcomeSource.OutcomeSource.layerOf(options.outcomes) }),
    telephony: telephony(options.callees ?? {}, rings),
    signer,
    transport: transport(options.receiver ?? (() => new Response()), inbox),
    clock: Layer.effectDiscard(TestClock.setTime(startOf(options))).pipe(
      Layer.provideMerge(TestClock.layer())
    ),
    ...(options.storage !== undefined && { storage: options.storage, secretKey: testSecretKey }),
    workers: "manual"
  })
  const { secret } = await engine.webhook.set({
    url: "https://inbox.test/",
    events: ["call.dialing", "call.in_progress", "call.completed", "call.not_connected", "batch.completed"]
  })
  const [{ name }] = agents
  const agent = (await engine.agents.list()).find((agent) => agent.name === name)
  const clock = Context.get(engine.services, Clock.Clock)
  return {
    ...engine,
    agentId: agent?.id ?? "",
    drain: () => engine.drain(),
    advance: async (duration) => {
      const forward = forwardBy(duration)
      // Rejects once the engine is closed.
      await engine.drain()
      await Effect.runPromiseWith(engine.services)(advance(forward))
    },
    now: () => DateTime.toDateUtc(DateTime.makeUnsafe(clock.currentTimeMillisUnsafe())),
    rings: () => [...rings],
    inbox: () => [...inbox],
    // A storage of an earlier engine has a webhook, whose secret is shown only once.
    webhookSecret: secret ?? (await engine.webhook.rotateSecret({ gracePeriodSeconds: 0 })).secret ?? ""
  }
}

/** The same for every engine, so that one can open what another has sealed on the same storage. Protects nothing. */
const testSecretKey = btoa("a key for tests, of 32 bytes ...")

/** Checks of options for tests in plain JavaScript. */
const refused = (message: string) => new OutdialError("invalid_request", message, {}, undefined)

const startOf = ({ now }: OpenOptions): number => {
  const at = DateTime.make(now ?? defaultNow)
  if (Option.isNone(at)) throw refused(`now: ${String(now)} is no date`)
  return at.value.epochMilliseconds
}

const forwardBy = (input: Duration.Input): Duration.Duration => {
  const duration = Duration.fromInput(input)
  if (Option.isNone(duration) || !Duration.isFinite(duration.value) || Duration.isNegative(duration.value)) {
    throw refused(`advance: ${JSON.stringify(input)} is no duration to move on by; say "2 hours", or milliseconds`)
  }
  return duration.value
}

/** Signs with the machine's time, because receivers check the age of a delivery. */
const signer = Layer.effect(
  WebhookSigner.WebhookSigner,
  Effect.map(WebhookSigner.WebhookSigner, ({ sign }) => ({
    sign: (secrets, event) => TestClock.withLive(sign(secrets, event))
  }))
).pipe(Layer.provide(WebhookSigner.WebhookSigner.layer))

/** The simulator with these callees, by number in any format. */
const telephony = (callees: Readonly<Record<string, SimulatedCallee.Callee>>, rings: Array<TestRing>) => {
  const byNumber = new Map(Object.entries(callees).map(([text, callee]) => [canonical(text), known(callee)]))
  return SimulatedTelephony.layer({
    callee: ({ phoneNumber }) => byNumber.get(phoneNumber),
    onRing: ({ at, callId, phoneNumber }) =>
      Effect.sync(() => rings.push({ at: DateTime.toDateUtc(at), callId, phoneNumber }))
  })
}

const { assess } = Effect.runSync(Effect.provide(PhoneNumbers.PhoneNumbers, PhoneNumbers.PhoneNumbers.layer))

/** The number in E.164. */
const canonical = (text: string) => {
  const assessment = Option.map(Schema.decodeOption(PhoneNumber.PhoneNumberText)(text), assess)
  if (Option.isNone(assessment) || assessment.value._tag === "NotPossible") {
    throw refused(`callees: ${JSON.stringify(text)} is no telephone number`)
  }
  return assessment.value.number
}

const isCallee = Schema.is(SimulatedCallee.Callee)

const known = (callee: unknown): SimulatedCallee.Callee => {
  if (isCallee(callee)) return callee
  const { literals } = SimulatedCallee.Callee
  throw refused(`callees: ${JSON.stringify(callee)} is none of ${literals.join(", ")}`)
}

const transport = (receiver: (request: Request) => Response | Promise<Response>, inbox: Array<TestDelivery>) =>
  Layer.succeed(WebhookTransport.WebhookTransport, {
    send: ({ body, headers, url }) =>
      Effect.tryPromise({
        try: async () => {
          inbox.push({ headers, body, event: JSON.parse(body) })
          const response = await receiver(new Request(url, { method: "POST", headers, body }))
          return { statusCode: response.status, retryAfter: Option.none() }
        },
        catch: (cause) => new WebhookTransport.TransportFailed({ errorCode: "network_error", cause })
      }),
    refuses: () => Option.none()
  })
