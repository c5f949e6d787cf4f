/**
 * Conversations with agents by keyboard, in the memory of this process. Each belongs to the user who has started it. It ends after some
 * minutes without words, and when the process drains.
 */
import {
  Activity,
  type Agent,
  type AgentPorts,
  type Conversation,
  type Ids,
  KeyboardCall,
  type Outcome,
  Readiness,
  TypedLine,
  type Variables
} from "@outdial/core"
import { Cause, Duration, Effect, Exit, Latch, Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import type { TalkEvent } from "./TalksApi.ts"

/** Conversations of one user, and of the process: each holds an engine of its own in memory. */
export const talksPerUser = 3
export const talksPerProcess = 30

/** After so long without words of the contact it is hung up. */
const idle = Duration.minutes(5)

/** How long what was said can be read after the end, for a page that connects again. */
const keptFor = Duration.minutes(1)

/** A person who types is slower than one who speaks: the longest silence that an agent may allow, in seconds. */
const silenceSeconds = 120

export interface NewTalk {
  /** Who starts it. */
  readonly owner: string
  readonly accountId: Ids.AccountId
  readonly agent: Agent.AgentDefinition
  readonly contact: { readonly name?: string }
  readonly variables: Variables.Variables
  readonly ports: AgentPorts.AgentPorts
}

export interface Talk extends Pick<NewTalk, "accountId" | "owner"> {
  readonly id: string
  readonly line: TypedLine.TypedLine
  /** Everything so far; an event's number is its index plus one. */
  readonly events: () => ReadonlyArray<TalkEvent>
  /** Returns when there are more events than these, or at once if it is over. */
  readonly moreThan: (count: number) => Effect.Effect<void>
  readonly isOver: () => boolean
  /** The contact has done something. */
  readonly touch: () => void
}

export const make = Effect.gen(function*() {
  const { awaitDraining } = yield* Readiness.Readiness
  const scope = yield* Effect.scope
  const talks = new Map<string, Talk>()

  const hangUpAll = Effect.suspend(() => Effect.forEach(talks.values(), ({ line }) => line.hungUp, { discard: true }))
  yield* Effect.forkScoped(Effect.andThen(awaitDraining, hangUpAll))

  const start = Effect.fnUntraced(function*(options: NewTalk) {
    const { accountId, agent, contact, owner, ports, variables } = options
    const held = [...talks.values()].filter((talk) => !talk.isOver())
    const own = held.filter((talk) => talk.owner === owner)
    if (own.length >= talksPerUser || held.length >= talksPerProcess) return "full"
    const { uuidV4 } = yield* SecureRandom.SecureRandom
    const id = yield* uuidV4()
    const talkScope = yield* Scope.fork(scope)
    const events: Array<TalkEvent> = []
    const changed = Latch.makeUnsafe()
    let isOver = false
    let touchedAt = 0
    const emit = (event: TalkEvent) =>
      Effect.sync(() => {
        events.push(event)
        if (event.type === "over") isOver = true
        changed.openUnsafe()
      })
    const activity = watched(Activity.make(), (busy) => {
      events.push({ type: "answering", busy })
      changed.openUnsafe()
    })
    const line = yield* TypedLine.make({ activity, pace: 0, speaker: silent }).pipe(Scope.provide(talkScope))
    const talk: Talk = {
      id,
      accountId,
      owner,
      line,
      events: () => events,
      isOver: () => isOver,
      touch: () => {
        touchedAt += 1
      },
      moreThan: (count) =>
        Effect.gen(function*() {
          while (events.length <= count && !isOver) {
            changed.closeUnsafe()
            yield* changed.await
          }
        })
    }
    talks.set(id, talk)

    let reason: Conversation.EndReason | null = null
    const over = (outcome: Outcome.Outcome | null) =>
      emit({ type: "over", reason, outcome, latenciesMs: line.latencies().map(({ millis }) => millis) })
    const holding = KeyboardCall.hold({
      agent: { ...agent, silenceSeconds },
      activity,
      contact,
      variables,
      line: line.line,
      textAgent: ports.textAgent,
      tools: ports.tools,
      outcomes: ports.outcomes,
      onEntry: (entry) => {
        if (entry._tag === "Over") reason = entry.reason
        const event = eventOf(entry)
        return event === undefined ? Effect.void : emit(event)
      }
    }).pipe(
      Effect.exit,
      Effect.flatMap((exit) =>
        Exit.isSuccess(exit)
          ? over(exit.value)
          : Effect.andThen(emit({ type: "failed", cause: failureOf(exit.cause) }), over(null))
      )
    )
    const hangUpWhenIdle = Effect.gen(function*() {
      let seen = -1
      while (touchedAt !== seen) {
        seen = touchedAt
        yield* Effect.sleep(idle)
      }
      yield* line.hungUp
    })
    yield* Effect.forkIn(hangUpWhenIdle, talkScope)
    yield* Effect.forkIn(
      holding.pipe(
        Effect.andThen(Effect.sleep(keptFor)),
        Effect.andThen(Effect.sync(() => void talks.delete(id))),
        Effect.andThen(Scope.close(talkScope, Exit.void))
      ),
      scope
    )
    return talk
  })

  return {
    start,
    /** The conversation with this id, if it is the user's. */
    find: (accountId: Ids.AccountId, owner: string, id: string): Talk | undefined => {
      const talk = talks.get(id)
      return talk !== undefined && talk.accountId === accountId && talk.owner === owner ? talk : undefined
    }
  }
})

const silent: TypedLine.Speaker = { begins: Effect.void, says: () => Effect.void, ends: () => Effect.void }

/** Reports when the agent begins to work on an answer, and when it has ended. */
const watched = (activity: Activity.Activity, onBusy: (busy: boolean) => void): Activity.Activity => ({
  ...activity,
  began: () => {
    activity.began()
    onBusy(true)
  },
  ended: () => {
    activity.ended()
    onBusy(false)
  }
})

/** What went wrong, in one line and without a stack. */
const failureOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return (error instanceof Error ? error.message : String(error)).slice(0, longestFailure)
}

const longestFailure = 500

const eventOf = (entry: Conversation.Entry): TalkEvent | undefined => {
  switch (entry._tag) {
    case "Turn": {
      const { at, endedAt, interrupted, speaker, text } = entry
      return {
        type: "turn",
        speaker,
        text,
        startMs: at,
        endMs: endedAt,
        ...(interrupted !== undefined && { interrupted })
      }
    }
    case "Noted":
      return notedOf(entry.note)
    case "ToolIntent":
      return { type: "tool", id: entry.id, name: entry.name, arguments: entry.arguments }
    case "ToolResult":
      return {
        type: "tool",
        id: entry.id,
        result: entry.result,
        ...(entry.problem !== undefined && { problem: entry.problem })
      }
    case "Failed":
      return { type: "failed", cause: entry.cause }
    case "Machine":
    case "ModelUsed":
    case "Over":
      return undefined
    default:
      return entry satisfies never
  }
}

const notedOf = (note: Conversation.Note): TalkEvent => {
  switch (note._tag) {
    case "Answer":
      return { type: "noted", note: "answer", question: note.question, text: note.answer }
    case "Callback":
      return { type: "noted", note: "callback", ...(note.timeText !== undefined && { text: note.timeText }) }
    case "Meeting":
      return { type: "noted", note: "meeting", ...(note.timeText !== undefined && { text: note.timeText }) }
    case "OptOut":
      return { type: "noted", note: "opt_out" }
    case "Transfer":
      return { type: "noted", note: "transfer", text: note.to }
    default:
      return note satisfies never
  }
}
