/**
 * One call of a rehearsal: the agent and a persona, through an engine of its own in memory, on a clock of its own. Nothing leaves the
 * process but what the agent itself does.
 */
import { Context, DateTime, Duration, Effect, Fiber, Layer, Option } from "effect"
import { Accounts } from "../account/Accounts.ts"
import { Agents } from "../account/Agents.ts"
import { Calls } from "../call/Calls.ts"
import { TextAgent } from "../conversation/TextAgent.ts"
import { Tools } from "../conversation/Tool.ts"
import { DoNotCallList } from "../do-not-call/DoNotCallList.ts"
import type { Agent, AgentDefinition } from "../domain/Agent.ts"
import { type Call, isFinal } from "../domain/Call.ts"
import type { Entry } from "../domain/Conversation.ts"
import type { DoNotCallEntry } from "../domain/DoNotCall.ts"
import * as Limits from "../domain/Limits.ts"
import type { Variables } from "../domain/Variables.ts"
import * as Engine from "../engine/Engine.ts"
import * as MemoryStorage from "../engine/MemoryStorage.ts"
import * as WatchedConversations from "../engine/WatchedConversations.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { OutcomeSource } from "../outcome/OutcomeSource.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { Recordings } from "../recording/Recordings.ts"
import { SecretBox } from "../secret/SecretBox.ts"
import type { Contact } from "../simulator/SimulatedContact.ts"
import * as SimulatedTelephony from "../simulator/SimulatedTelephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import * as VirtualClock from "../time/VirtualClock.ts"
import { WebhookTransport } from "../webhook/WebhookTransport.ts"
import type { Persona } from "./Persona.ts"
import * as RealTime from "./RealTime.ts"
import * as SeededCrypto from "./SeededCrypto.ts"

export interface CallOptions {
  readonly agent: AgentDefinition
  readonly variables: Variables
  readonly persona: Persona
  readonly contact: Contact
  /** Chooses the ids, and with them how long the phone rings. */
  readonly seed: number
}

/** What is known of a call when it is over. */
export interface RehearsedCall {
  readonly agent: Agent
  readonly call: Call
  /** The log of the conversation. */
  readonly entries: ReadonlyArray<Entry>
  /** Whether the number is on the do-not-call list. */
  readonly listed: DoNotCallEntry | undefined
  /** What went wrong in the agent. */
  readonly agentFailures: ReadonlyArray<string>
  /** From what the contact said to the first words of each answer, in milliseconds of real time. */
  readonly latencies: ReadonlyArray<number>
}

/** What the calls of a rehearsal share. */
export type Shared = OutcomeSource | PhoneNumbers | TextAgent | TimeZones

/** A Tuesday, so that an agent that asks for the time hears of a working day. */
const startsAt = DateTime.makeUnsafe("2027-01-12T16:00:00.000Z").epochMilliseconds

/** No phone rings: the number is reserved for fiction. */
const phoneNumber = "+14155550100"

/** Longer than any conversation and its outcome may take: a call that is not over then never will be. */
const longest = (maxDurationSeconds: number) => (maxDurationSeconds + 3_600) * 1_000

export const hold = Effect.fnUntraced(function*(options: CallOptions) {
  const shared = yield* Effect.context<Shared>()
  const host = yield* RealTime.host
  const clock = yield* VirtualClock.make(startsAt)
  const entries: Array<Entry> = []
  const agentFailures: Array<string> = []
  const latencies: Array<number> = []
  const services = layer({
    ...options,
    clock,
    host,
    shared,
    onEntry: (entry) => void entries.push(entry),
    onFailure: (message) => void agentFailures.push(message),
    onLatency: (millis) => void latencies.push(millis)
  })
  // A fiber of its own, so that all its work is done under the clock.
  const fiber = yield* Effect.forkChild(
    Effect.provideContext(Effect.provide(toItsEnd(options, clock, entries), services, { local: true }), clock.services)
  )
  const ended = yield* Fiber.join(fiber)
  return { ...ended, agentFailures, entries, latencies } satisfies RehearsedCall
})

/** Starts the call and moves the clock until it is over. */
const toItsEnd = Effect.fnUntraced(function*(
  { agent, persona, variables }: CallOptions,
  clock: VirtualClock.VirtualClock,
  entries: ReadonlyArray<Entry>
) {
  const accounts = yield* Accounts
  const agents = yield* Agents
  const calls = yield* Calls
  const engine = yield* Engine.Engine
  const list = yield* DoNotCallList
  const { id: accountId } = yield* accounts.create({ name: "rehearsal", lines: 1, policy: { callingHours: null } })
  const stored = yield* agents.put(accountId, agent)
  const { id } = yield* calls.start(accountId, {
    agentId: stored.id,
    phoneNumber,
    contact: persona.contact ?? {},
    variables
  })

  const dueAt = Effect.map(
    engine.nextDueAt,
    Option.match({ onNone: () => Infinity, onSome: ({ epochMilliseconds }) => epochMilliseconds })
  )
  const until = startsAt + longest(agent.maxDurationSeconds ?? Duration.toSeconds(Limits.conversationDuration))
  let now = startsAt
  while (now < until) {
    yield* clock.settled
    if ((yield* dueAt) <= now) {
      yield* engine.drain
      yield* clock.settled
    }
    if (isOver(yield* calls.get(accountId, id), entries, now)) break
    const due = yield* dueAt
    // Due work that was not done waits for something else, so the clock moves on.
    now = Math.min(clock.nextAt() ?? Infinity, due <= now ? Infinity : due, until)
    yield* clock.moveTo(now)
  }
  const listed = yield* Effect.option(list.get(accountId, phoneNumber))
  return { agent: stored, call: yield* calls.get(accountId, id), listed: Option.getOrUndefined(listed) }
})

/** Nothing more will happen in the call: its conversation is over, and its outcome is made or given up. */
const isOver = ({ endedAt, outcome, status }: Call, entries: ReadonlyArray<Entry>, now: number): boolean => {
  if (!isFinal(status) || (entries.length > 0 && entries.at(-1)?._tag !== "Over")) return false
  const waits = (endedAt?.epochMilliseconds ?? now) + Duration.toMillis(Limits.outcomeDeadline)
  return status !== "completed" || outcome !== null || now > waits
}

interface LayerOptions extends CallOptions {
  readonly clock: VirtualClock.VirtualClock
  readonly host: RealTime.Host
  readonly shared: Context.Context<Shared>
  readonly onEntry: (entry: Entry) => void
  readonly onFailure: (message: string) => void
  readonly onLatency: (millis: number) => void
}

const layer = ({ clock, contact, host, onEntry, onFailure, onLatency, persona, seed, shared }: LayerOptions) => {
  const agent = RealTime.agent(Context.get(shared, TextAgent), { clock, host, onFailure, onLatency })
  const outcomes = RealTime.outcomes(Context.get(shared, OutcomeSource), { clock, host })
  const tools = RealTime.tools(Context.get(shared, Tools), { clock, host })
  const isVoicemail = persona.moves?.some((move) => move.type === "machine" && move.kind === "voicemail") === true
  return Engine.layer({ publicUrl: "http://localhost" }).pipe(
    Layer.provide(SimulatedTelephony.layer({
      callee: () => isVoicemail ? "voicemail" : "talks",
      contact: () => RealTime.contact(contact, { clock, host })
    })),
    Layer.provide(WatchedConversations.layer((_, entry) => Effect.sync(() => onEntry(entry)))),
    Layer.provide(Engine.layerLineReports),
    Layer.provide([Layer.succeed(TextAgent, agent), Layer.succeed(Tools, tools)]),
    Layer.provide([
      MemoryStorage.layer,
      Layer.succeed(OutcomeSource, outcomes),
      Layer.succeedContext(Context.pick(PhoneNumbers, TimeZones)(shared)),
      Recordings.layerMemory,
      SecretBox.layerMemory,
      SeededCrypto.layer(seed),
      Wakeups.layerMemory,
      WebhookTransport.layerNowhere
    ])
  )
}
