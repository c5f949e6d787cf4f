/**
 * Holds conversations: executes what the step function decides, between a line, an agent and the log. It stops speaking when another
 * process has taken the conversation over.
 */
import { Clock, Context, DateTime, Duration, Effect, Exit, Fiber, Latch, Layer, Option, Queue, Stream } from "effect"
import type { AgentInput, Entry } from "../domain/Conversation.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { DoNotCallStore } from "../do-not-call/DoNotCallStore.ts"
import { whileStorageReturns } from "../loop/AccountPoller.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { agentBrief } from "../rules/call/AgentBrief.ts"
import * as Conversation from "../rules/conversation/Conversation.ts"
import { phrasesOf } from "../rules/conversation/Phrases.ts"
import { settingsOf } from "../rules/conversation/Settings.ts"
import { type Acquired, ConversationStore } from "./ConversationStore.ts"
import { Conversations, type Held, type TextLine } from "./Conversations.ts"
import * as LogWriter from "./LogWriter.ts"
import * as TurnLatency from "./TurnLatency.ts"
import { AgentFailed, type ConversationBrief, TextAgent } from "./TextAgent.ts"

/** The conversations that this process holds. */
export class ActiveConversations extends Context.Service<ActiveConversations, {
  /** When the next of them continues without an input. */
  readonly nextDueAt: Effect.Effect<Option.Option<DateTime.Utc>>
  /** Returns when all of them wait for the contact or for time to pass, or after 10 ms of real time. */
  readonly idle: Effect.Effect<void>
  /** Ends all of them politely, and takes no more. */
  readonly stop: Effect.Effect<void>
}>()("@outdial/core/conversation/ActiveConversations") {}

/** A conversation of this process. */
interface Active {
  readonly inputs: Queue.Queue<Conversation.Input>
  /** In epoch milliseconds. */
  wakeAt: number
}

/** How long an agent may take to begin a conversation, and for each note of what was heard. */
const agentTimeout = "15 seconds"

/** How long the end of a call waits for the do-not-call list, which must have the number before. */
const optOutTimeout = "5 seconds"

export const layer: Layer.Layer<
  Conversations | ActiveConversations,
  never,
  ConversationStore | DoNotCallStore | TextAgent | Wakeups
> = Layer.effectContext(
  Effect.gen(function*() {
    const store = yield* ConversationStore
    const doNotCall = yield* DoNotCallStore
    const textAgent = yield* TextAgent
    const wakeups = yield* Wakeups
    const clock = yield* Clock.Clock
    const writer = yield* LogWriter.make
    const active = new Set<Active>()
    const busy = makeBusy()
    let isStopping = false

    const optOut = ({ call: { accountId, id, phoneNumber } }: Acquired) =>
      Effect.flatMap(
        DateTime.now,
        (now) =>
          withEventWriter({ now }, (events) =>
            doNotCall.add({
              accountId,
              now,
              events,
              entries: [{ phoneNumber, source: "call", callId: id, createdAt: now }]
            }))
      ).pipe(
        Effect.retry(whileStorageReturns),
        Effect.andThen(wakeups.notify("delivery", accountId)),
        Effect.catchCause((cause) =>
          Effect.logError(`The contact of ${id} asked not to be called again, which could not be stored`, cause)
        )
      )

    const seal = Effect.fnUntraced(function*({ call: { accountId, id: callId }, generation }: Acquired) {
      yield* writer.commit
      yield* Effect.flatMap(
        DateTime.now,
        (now) => withEventWriter({ now }, (events) => store.seal({ accountId, callId, generation, now, events }))
      ).pipe(
        Effect.retry(whileStorageReturns),
        Effect.catchCause((cause) => Effect.logError(`The conversation of ${callId} could not be sealed`, cause))
      )
      // A call that waited for its last words has ended: its line is free.
      yield* wakeups.notify("dial", accountId)
      yield* wakeups.notify("outcome", accountId)
      yield* wakeups.notify("delivery", accountId)
    })

    /** From the first word to the last, or until another process has the log. */
    const converse = Effect.fnUntraced(function*(acquired: Acquired, line: TextLine) {
      const { agent, call, generation } = acquired
      const { accountId, id: callId } = call
      const startedAt = (call.answeredAt ?? (yield* DateTime.now)).epochMilliseconds
      const before = acquired.entries.map(({ entry }) => entry)
      // Of the entries that follow, only this is needed: a conversation of hours would hold all its words.
      let hasSpoken = before.some(isContactTurn)
      let hasOptedOut = before.some(isOptOut)
      const inputs = yield* Queue.unbounded<Conversation.Input>()
      const self: Active = { inputs, wakeAt: Infinity }
      let isLost = false
      const log: LogWriter.Log = {
        accountId,
        callId,
        generation,
        onLost: Effect.sync(() => {
          isLost = true
          Queue.offerUnsafe(inputs, { _tag: "Time" })
        })
      }
      const latency = TurnLatency.make(agent.id, callId)
      const brief: ConversationBrief = { accountId, callId, agent: agentBrief(agent, call), contact: call.contact }
      const talk = yield* Effect.exit(Effect.timeout(textAgent.open(brief, before), agentTimeout))
      const scope = yield* Effect.scope
      const optOuts: Array<Fiber.Fiber<void>> = []
      let answering: Fiber.Fiber<void> | undefined

      const answer = (request: number, input: AgentInput) =>
        (Exit.isSuccess(talk) ? talk.value.reply(input) : Stream.fail(new AgentFailed({ cause: talk.cause })))
          .pipe(
            Stream.runForEach((part) => Queue.offer(inputs, { _tag: "Part", request, part })),
            Effect.matchCauseEffect({
              onSuccess: () => Queue.offer(inputs, { _tag: "Done", request }),
              onFailure: (cause) =>
                Effect.andThen(
                  Effect.logWarning(`The agent of ${callId} failed`, cause),
                  Queue.offer(inputs, { _tag: "Failed", request, cause: "The agent failed" })
                )
            }),
            Effect.asVoid,
            busy.during
          )

      const execute = Effect.fnUntraced(function*(action: Conversation.Action) {
        switch (action._tag) {
          case "Speak":
            yield* line.speak({ id: action.utterance, text: action.text, interruptible: action.interruptible })
            return yield* latency.spoke
          case "StopSpeaking":
            return yield* line.stopSpeaking
          case "Press":
            return yield* line.press(action.digits)
          case "Ask":
            latency.asked(action.input, clock.currentTimeMillisUnsafe())
            answering = yield* Effect.forkIn(answer(action.request, action.input), scope)
            return
          case "Interrupt":
            // An agent that does not stop must not hold up the contact.
            return answering?.interruptUnsafe()
          case "AgentHeard":
            return Exit.isSuccess(talk)
              ? yield* talk.value.heard({ text: action.text, interrupted: action.interrupted }).pipe(
                Effect.timeout(agentTimeout),
                Effect.catchCause((cause) => Effect.logWarning(`The agent of ${callId} failed`, cause))
              )
              : undefined
          case "Log": {
            const isFirstWord = !hasSpoken && isContactTurn(action.entry)
            hasSpoken ||= isFirstWord
            hasOptedOut ||= isOptOut(action.entry)
            yield* writer.write(log, action.entry)
            // The status of the call depends on it.
            if (isFirstWord) yield* Effect.forkIn(writer.commit, scope)
            return
          }
          case "OptOut":
            optOuts.push(yield* Effect.forkIn(optOut(acquired), scope))
            return
          case "HangUp":
            yield* Effect.timeoutOption(Fiber.awaitAll(optOuts), optOutTimeout)
            return yield* line.hangUp
          default:
            return action satisfies never
        }
      })

      yield* line.events.pipe(
        Stream.runForEach((event) => Queue.offer(inputs, { _tag: "Line", event })),
        Effect.ensuring(Queue.offer(inputs, { _tag: "Line", event: { _tag: "Closed" } })),
        Effect.forkIn(scope)
      )
      yield* Effect.forkIn(writer.keepLease(log), scope)

      const settings = settingsOf(brief.agent, phrasesOf(agent.language))
      const elapsed = () => Math.max(0, clock.currentTimeMillisUnsafe() - startedAt)
      let state = before.length === 0
        ? Conversation.start(settings)
        : Conversation.resume(settings, before, elapsed())
      let input: Conversation.Input = { _tag: "Answered" }
      active.add(self)
      yield* Effect.addFinalizer(() => Effect.sync(() => active.delete(self)))
      if (isStopping) Queue.offerUnsafe(inputs, { _tag: "Stop", reason: "shutdown" })
      while (true) {
        const next = Conversation.step(state, input, elapsed())
        state = next.state
        yield* Effect.forEach(next.actions, execute, { discard: true })
        if (isLost) {
          yield* line.stopSpeaking
          yield* line.release
          return "taken_over" as const
        }
        if (state.phase === "over") break
        self.wakeAt = startedAt + next.wakeAt
        input = yield* nextInput(inputs, next.wakeAt - elapsed())
      }
      answering?.interruptUnsafe()
      // The number may not be on the list yet: storage was away, or the process that noted the opt-out has died.
      if (hasOptedOut) yield* optOut(acquired)
      yield* seal(acquired)
      return "over" as const
    })

    /** The next input, or `Time` when none comes before. */
    const nextInput = (inputs: Active["inputs"], millis: number) =>
      Effect.suspend(() => {
        const waiting = Queue.takeUnsafe(inputs)
        if (waiting !== undefined) return waiting
        return busy.pause(Effect.timeoutOrElse(Queue.take(inputs), {
          duration: Duration.millis(Math.max(0, millis)),
          orElse: () => Effect.succeed<Conversation.Input>({ _tag: "Time" })
        }))
      })

    const hold: Conversations["Service"]["hold"] = Effect.fnUntraced(
      function*({ accountId, callId, line, takesOver }) {
        const acquired = isStopping ? Option.none() : yield* Effect.flatMap(
          DateTime.now,
          (now) => store.acquire({ accountId, callId, now, takesOver })
        ).pipe(
          Effect.retry(whileStorageReturns),
          Effect.tapError((error) => Effect.logWarning(`The conversation of ${callId} could not begin`, error)),
          Effect.orElseSucceed(() => Option.none<Acquired>())
        )
        if (Option.isNone(acquired)) {
          yield* line.hangUp
          return "refused" as Held
        }
        return yield* converse(acquired.value, line)
      },
      Effect.scoped,
      (effect) => busy.during(effect)
    )

    return Context.make(Conversations, {
      hold: (call) => CallTrace.step(call.callId, "Conversations.hold")(hold(call))
    }).pipe(Context.add(ActiveConversations, {
      idle: busy.idle,
      nextDueAt: Effect.sync(() => {
        const at = Math.min(...[...active].map(({ wakeAt }) => wakeAt))
        return Number.isFinite(at) ? Option.some(DateTime.makeUnsafe(at)) : Option.none()
      }),
      stop: Effect.sync(() => {
        isStopping = true
        for (const { inputs } of active) Queue.offerUnsafe(inputs, { _tag: "Stop", reason: "shutdown" })
      })
    }))
  })
)

const isOptOut = (entry: Entry) => entry._tag === "Noted" && entry.note._tag === "OptOut"

const isContactTurn = (entry: Entry) => entry._tag === "Turn" && entry.speaker === "contact"

/** How long `idle` waits for agents, in real time: one that does not answer must not hold up a test clock. */
const answerWait = Effect.provideService(Effect.sleep("10 millis"), Clock.Clock, Clock.Clock.defaultValue())

/** Counts the work that does not wait for the contact or for time to pass. */
const makeBusy = () => {
  let count = 0
  const isIdle = Latch.makeUnsafe(true)
  const change = (by: number) =>
    Effect.sync(() => {
      count += by
      if (count === 0) isIdle.openUnsafe()
      else isIdle.closeUnsafe()
    })
  return {
    idle: Effect.raceFirst(isIdle.await, answerWait),
    during: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(change(1), () => work, () => change(-1)),
    /** For a wait within the work. */
    pause: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.acquireUseRelease(change(-1), () => wait, () => change(1))
  }
}
