/**
 * Holds conversations: executes what the step function decides, between a line, an agent and the log. It stops speaking when another
 * process has taken the conversation over.
 */
import { Clock, Context, DateTime, Duration, Effect, Fiber, Latch, Layer, Option, Queue, Schema, Stream } from "effect"
import { type Entry, LineEvent, type MachineKind } from "../domain/Conversation.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { DoNotCallStore } from "../do-not-call/DoNotCallStore.ts"
import { whileStorageReturns } from "../loop/AccountPoller.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { agentBrief } from "../rules/call/AgentBrief.ts"
import * as Conversation from "../rules/conversation/Conversation.ts"
import { phrasesOf } from "../rules/conversation/Phrases.ts"
import { settingsOf } from "../rules/conversation/Settings.ts"
import * as AgentTalk from "./AgentTalk.ts"
import type { AudioLine } from "./AudioLine.ts"
import * as BusyWork from "./BusyWork.ts"
import { type Acquired, ConversationStore } from "./ConversationStore.ts"
import { Conversations, type Held, type TextLine } from "./Conversations.ts"
import type { Line } from "./Line.ts"
import * as LogWriter from "./LogWriter.ts"
import * as TurnLatency from "./TurnLatency.ts"
import { type ConversationBrief, TextAgent } from "./TextAgent.ts"
import { Tools } from "./Tool.ts"
import * as ToolRunner from "./ToolRunner.ts"
import { VoiceAgent } from "./VoiceAgent.ts"
import * as VoiceOpening from "./VoiceOpening.ts"

/** The conversations that this process holds. */
export class ActiveConversations extends Context.Service<ActiveConversations, {
  /** When the next of them continues without an input. */
  readonly nextDueAt: Effect.Effect<Option.Option<DateTime.Utc>>
  /** Returns when all of them wait for the contact or for time to pass, or when nothing happens in them for a moment of real time. */
  readonly idle: Effect.Effect<void>
  /**
   * Has the lines that can move connected to other processes, and ends the other conversations politely. Those that come now are not taken
   * if their line can move; the others are ended politely, too. Returns when this process holds none.
   */
  readonly stop: Effect.Effect<void>
}>()("@outdial/core/conversation/ActiveConversations") {}

/** A conversation of this process. */
interface Active {
  readonly accountId: AccountId
  readonly callId: CallId
  /** The verdict of the carrier that it has been given. */
  machine?: MachineKind
  readonly inputs: Queue.Queue<Conversation.Input>
  /** In epoch milliseconds. */
  wakeAt: number
}

/** How long a line may take for a request. */
const lineTimeout = "5 seconds"

/** How often verdicts of carriers are read when no wake-up has come: the delay that a lost one costs. */
const verdictPoll = "1 second"

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
    /** Where no line exchanges sound, none is needed. */
    const voiceAgent = Option.getOrUndefined(yield* Effect.serviceOption(VoiceAgent))
    const wakeups = yield* Wakeups
    const registered = yield* Tools
    /** Tools may outlast their conversations, but not the process, and none may hold up its end. */
    const running = new Set<Fiber.Fiber<void>>()
    yield* Effect.addFinalizer(() => Effect.sync(() => running.forEach((tool) => tool.interruptUnsafe())))
    const clock = yield* Clock.Clock
    const writer = yield* LogWriter.make()
    const active = new Set<Active>()
    const busy = BusyWork.makeUnsafe()
    const none = Latch.makeUnsafe(true)
    const some = Latch.makeUnsafe(false)
    let isStopping = false

    const activate = (one: Active) =>
      Effect.suspend(() => {
        active.add(one)
        none.closeUnsafe()
        some.openUnsafe()
        return Metrics.conversations(active.size)
      })
    const deactivate = (one: Active) =>
      Effect.suspend(() => {
        active.delete(one)
        if (active.size === 0) {
          none.openUnsafe()
          some.closeUnsafe()
        }
        return Metrics.conversations(active.size)
      })

    /** Gives the conversations the verdicts of carriers, which any node may have received. */
    const readVerdicts = Effect.gen(function*() {
      const held = [...active]
      if (held.length === 0) return
      const machines = yield* store.machines(held)
      for (const [index, one] of held.entries()) {
        const kind = machines[index]
        if (kind === undefined || kind === one.machine) continue
        // A full queue gets it at the next poll.
        if (!Queue.offerUnsafe(one.inputs, { _tag: "Line", event: { _tag: "Machine", kind } })) continue
        one.machine = kind
        // Until it is work that `idle` waits for.
        yield* Effect.replicateEffect(Effect.yieldNow, 10, { discard: true })
      }
      // Failures of the storage are counted there.
    }).pipe(Effect.ignore)
    yield* some.await.pipe(
      Effect.andThen(Effect.raceFirst(wakeups.wait("conversation"), Effect.sleep(verdictPoll))),
      Effect.andThen(readVerdicts),
      Effect.forever,
      Effect.forkScoped
    )

    const runDetached = Effect.fnUntraced(function*(tool: Effect.Effect<void>) {
      const fiber = yield* Effect.forkDetach(busy.during(tool), { startImmediately: true })
      running.add(fiber)
      fiber.addObserver(() => running.delete(fiber))
    })

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
    const converse = Effect.fnUntraced(function*({ acquired, acquiredAt, line: given, self }: {
      readonly self: Active
      readonly acquired: Acquired
      /** In epoch milliseconds. */
      readonly acquiredAt: number
      readonly line: TextLine | AudioLine
    }) {
      const { agent, call, generation } = acquired
      const { accountId, id: callId } = call
      if (generation > 1) {
        yield* Effect.logDebug(`The line of ${callId} has come here: line ${generation} of its conversation`)
      }
      const startedAt = (call.answeredAt ?? (yield* DateTime.now)).epochMilliseconds
      const before = acquired.entries.map(({ entry }) => entry)
      // Of the entries that follow, only this is needed: a conversation of hours would hold all its words.
      let hasSpoken = before.some(isContactTurn)
      let hasOptedOut = before.some(isOptOut)
      let hasTurns = before.some(({ _tag }) => _tag === "Turn")
      const { inputs } = self
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
      const scope = yield* Effect.scope
      yield* Effect.forkIn(writer.keepLease(log, acquiredAt), scope)
      const latency = TurnLatency.make(agent.id, callId)
      const brief: ConversationBrief = {
        accountId,
        callId,
        // On a line that cannot transfer, there is nowhere to transfer to.
        agent: { ...agentBrief(agent, call), ...(given.transfer === undefined && { transferNumbers: [] }) },
        contact: call.contact
      }
      const { agent: talking, line } = VoiceOpening.isAudio(given)
        ? yield* VoiceOpening.open(voiceAgent, { brief, entries: before, line: given })
        : { agent: textAgent, line: given }
      const tools = yield* ToolRunner.make({
        brief,
        registered,
        offer: (input) => Queue.offer(inputs, input),
        commit: Effect.map(writer.commit, () => !isLost)
      })
      const optOuts: Array<Fiber.Fiber<void>> = []
      /** Comes before all inputs that wait. */
      let next: Conversation.Input | undefined

      const talk = yield* AgentTalk.make({
        before,
        brief,
        busy,
        textAgent: talking,
        toolsOf: tools.of,
        offer: (input) => Queue.offer(inputs, input),
        onPart: latency.produced
      })

      let hasFailed = false
      /** A line that fails, or does not answer, counts as closed. */
      const onLine = (request: Effect.Effect<void>) =>
        request.pipe(
          Effect.timeout(lineTimeout),
          Effect.catchCause((cause) => {
            if (hasFailed) return Effect.void
            hasFailed = true
            return Effect.andThen(
              Effect.logWarning(`The line of ${callId} failed`, cause),
              Effect.forkIn(Queue.offer(inputs, { _tag: "Line", event: { _tag: "Closed" } }), scope)
            )
          })
        )

      let hasIgnored = false
      /** Once, too, and only where it is asked for: it is no fault that an operator must know of. */
      const ignored = (what: string) => {
        if (hasIgnored) return Effect.void
        hasIgnored = true
        return Effect.logDebug(`The conversation of ${callId}: ${what}, which is ignored`)
      }

      let hasWarned = false
      /** Once: a fault that lasts would fill the log of the process. */
      const warn = (problem: string) => {
        if (hasWarned) return Effect.void
        hasWarned = true
        return Effect.logWarning(`The conversation of ${callId}: ${problem}`)
      }

      if (before.length > 0) yield* onLine(line.resumed?.(before) ?? Effect.void)

      const execute = Effect.fnUntraced(function*(action: Conversation.Action) {
        switch (action._tag) {
          case "Speak":
            yield* onLine(line.speak({ id: action.utterance, text: action.text, interruptible: action.interruptible }))
            // What is said to words that still wait for their answer is the answer to earlier ones.
            return state.waiting === undefined ? yield* latency.spoke : undefined
          case "StopSpeaking":
            return yield* onLine(line.stopSpeaking)
          case "Press":
            return yield* onLine(line.press(action.digits))
          case "Ask":
            return yield* talk.ask(action.request, action.input)
          case "Interrupt":
            return talk.interrupt()
          case "AgentHeard":
            return yield* talk.tell(({ heard }) => heard({ text: action.text, interrupted: action.interrupted }))
          case "RunTool":
            return yield* runDetached(tools.run(action))
          case "AnswerTool":
            return yield* tools.answer(action)
          case "Log": {
            const isFirstWord = !hasSpoken && isContactTurn(action.entry)
            hasSpoken ||= isFirstWord
            hasOptedOut ||= isOptOut(action.entry)
            hasTurns ||= action.entry._tag === "Turn"
            yield* writer.write(log, action.entry)
            // The status of the call depends on these.
            if (isFirstWord || action.entry._tag === "Machine") yield* Effect.forkIn(writer.commit, scope)
            const { entry } = action
            if (entry._tag !== "ToolIntent" && entry._tag !== "ToolResult") return
            return yield* talk.tell(({ toolLogged }) => toolLogged?.(entry))
          }
          case "Warn":
            return yield* warn(action.problem)
          case "Ignore":
            return yield* ignored(action.what)
          case "OptOut":
            optOuts.push(yield* Effect.forkIn(optOut(acquired), scope))
            return
          case "Transfer": {
            // Its note: the carrier may connect the call with another process again.
            yield* writer.commitInTime
            if (isLost || !(yield* writer.isHeld(log))) return
            const isTransferred = yield* (line.transfer?.(action.number) ?? Effect.succeed(false)).pipe(
              Effect.timeout(lineTimeout),
              // It may have begun: a call that is connected must not be hung up. If it is not, the carrier connects it again or ends it.
              Effect.catchCause((cause) =>
                Effect.as(Effect.logWarning(`Whether ${callId} was transferred is unknown`, cause), true)
              )
            )
            next = { _tag: "Transferred", isTransferred }
            return
          }
          case "Release":
            return yield* onLine(line.release)
          case "HangUp":
            yield* Effect.timeoutOption(Fiber.awaitAll(optOuts), optOutTimeout)
            // The end that the carrier then reports is judged by what is on record.
            yield* writer.commitInTime
            if (isLost) return
            // The process may have been suspended meanwhile, and another one may have continued the conversation.
            return yield* onLine((yield* writer.isHeld(log)) ? line.hangUp : line.release)
          default:
            return action satisfies never
        }
      })

      let hasBadEvent = false
      const offerEvent = (event: LineEvent) => {
        if (isLineEvent(event)) return Queue.offer(inputs, { _tag: "Line", event })
        if (hasBadEvent) return Effect.void
        hasBadEvent = true
        return Effect.logWarning(`The line of ${callId} reports events of a wrong form, which are ignored`)
      }
      yield* line.events.pipe(
        Stream.runForEach(offerEvent),
        Effect.catchCause((cause) => {
          hasFailed = true
          return Effect.logWarning(`The line of ${callId} failed`, cause)
        }),
        // Not when it is interrupted: at the end of a conversation a full queue takes nothing any more.
        Effect.andThen(Queue.offer(inputs, { _tag: "Line", event: { _tag: "Closed" } })),
        Effect.forkIn(scope)
      )
      const settings = {
        ...settingsOf(brief.agent, phrasesOf(agent.language)),
        fillers: tools.fillers,
        reportsSpeech: VoiceOpening.isAudio(given)
      }
      const elapsed = () => Math.max(0, clock.currentTimeMillisUnsafe() - startedAt)
      let state = before.length === 0
        ? Conversation.start(settings)
        : Conversation.resume(settings, before, elapsed())
      const { machine } = call
      if (machine !== undefined) self.machine = machine
      let input: Conversation.Input = { _tag: "Answered", ...(machine !== undefined && { machine }) }
      /** Puts on record what the agent's models took besides its answers. */
      const countRest = Effect.flatMap(talk.unreported, (uses) =>
        Effect.forEach(
          uses,
          (use) => writer.write(log, { _tag: "ModelUsed", at: Math.round(elapsed()), ...use }),
          { discard: true }
        ))
      const leave = Effect.gen(function*() {
        yield* onLine(line.stopSpeaking)
        yield* onLine(line.release)
        return "taken_over" as const
      })
      while (true) {
        if (input._tag === "Stop" && state.phase === "talking" && line.move !== undefined) {
          // The process that gets the line reads the log.
          yield* countRest
          yield* writer.commit
          if (yield* isMoved(line)) return yield* leave
        }
        // Not a word is said in a conversation that may be another process's.
        if (!(yield* writer.isHeld(log))) return yield* leave
        busy.stepped()
        const { actions, state: after, wakeAt } = Conversation.step(state, input, elapsed())
        state = after
        // Words of attention, and those after the end, are not answered.
        const isAnswered = state.waiting !== undefined || actions.some(({ _tag }) => _tag === "Ask")
        if (isAnswered && isFinalWords(input)) latency.heard(clock.currentTimeMillisUnsafe())
        next = undefined
        yield* Effect.forEach(actions, execute, { discard: true })
        if (isLost) return yield* leave
        if (state.phase === "over") break
        self.wakeAt = startedAt + wakeAt
        input = next ?? (yield* nextInput(inputs, wakeAt - elapsed()))
      }
      talk.interrupt()
      yield* countRest
      if (state.reason === "transferred") {
        // Not sealed: the conversation goes on from its log if the carrier connects the call again.
        yield* writer.commit
        return "over" as const
      }
      if (!hasTurns && !hasFailed) yield* Effect.logDebug(`The line of ${callId} was closed before a word was heard`)
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
      function*({ accountId, callId, line: given, takesOver }) {
        const { move: _, ...staying } = given
        // A line that could not be moved is not asked again.
        const line = isStopping ? staying : given
        // Bounded: a line or an agent that produces more than the conversation can take waits.
        const inputs = yield* Queue.bounded<Conversation.Input>(1000)
        yield* Effect.addFinalizer(() => Queue.shutdown(inputs))
        const self: Active = { accountId, callId, inputs, wakeAt: Infinity }
        if (voiceAgent === undefined && VoiceOpening.isAudio(given)) {
          yield* Effect.logError(`${callId} is hung up: its line exchanges sound, which needs a VoiceAgent`)
          yield* Effect.timeoutOption(given.hangUp, lineTimeout)
          return "refused" as Held
        }
        // From here on `stop` waits for it.
        yield* Effect.acquireRelease(activate(self), () => deactivate(self))
        if (isStopping) {
          if (yield* isMoved(given)) {
            yield* Effect.timeoutOption(line.release, lineTimeout)
            return "taken_over" as Held
          }
          Queue.offerUnsafe(inputs, { _tag: "Stop", reason: "shutdown" })
        }
        const acquired = yield* Effect.flatMap(
          DateTime.now,
          (now) =>
            Effect.map(
              store.acquire({ accountId, callId, now, takesOver }),
              Option.map((acquired) => ({ acquired, acquiredAt: now.epochMilliseconds }))
            )
        ).pipe(
          Effect.retry(whileStorageReturns),
          Effect.tapError((error) => Effect.logWarning(`The conversation of ${callId} could not begin`, error)),
          Effect.orElseSucceed(Option.none)
        )
        if (Option.isNone(acquired)) {
          yield* Effect.timeoutOption(line.hangUp, lineTimeout)
          return "refused" as Held
        }
        return yield* converse({ ...acquired.value, line, self })
      },
      Effect.scoped,
      (effect) => busy.during(effect)
    )

    return Context.make(Conversations, {
      holding: (call) => Effect.flatMap(DateTime.now, (now) => store.holding({ ...call, now })),
      hold: (call) => CallTrace.step(call.callId, "Conversations.hold")(hold(call)),
      takesSound: voiceAgent !== undefined
    }).pipe(Context.add(ActiveConversations, {
      idle: Effect.andThen(readVerdicts, busy.idle),
      nextDueAt: Effect.sync(() => {
        const at = Math.min(...[...active].map(({ wakeAt }) => wakeAt))
        return Number.isFinite(at) ? Option.some(DateTime.makeUnsafe(at)) : Option.none()
      }),
      stop: Effect.gen(function*() {
        isStopping = true
        const stopOne = ({ inputs }: Active) => Queue.offer(inputs, { _tag: "Stop", reason: "shutdown" })
        yield* Effect.forEach([...active], stopOne, { concurrency: "unbounded", discard: true })
        yield* none.await
      })
    }))
  })
)

/** Has the line connected with another process, if it can be. */
const isMoved = ({ move = Effect.succeed(false) }: Line): Effect.Effect<boolean> =>
  move.pipe(Effect.timeout(lineTimeout), Effect.catchCause(() => Effect.succeed(false)))

const isLineEvent = Schema.is(LineEvent)

const isFinalWords = (input: Conversation.Input) =>
  input._tag === "Line" && (input.event._tag === "Heard" && input.event.isFinal || input.event._tag === "Digits")

const isOptOut = (entry: Entry) => entry._tag === "Noted" && entry.note._tag === "OptOut"

const isContactTurn = (entry: Entry) => entry._tag === "Turn" && entry.speaker === "contact"
