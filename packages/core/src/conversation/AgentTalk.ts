/**
 * The agent's side of one conversation: it is asked for answers, one at a time, and told what was heard. Whatever it does, it holds up
 * neither the contact nor the runner.
 */
import { Clock, Effect, Exit, Fiber, Schema, type Scope, Stream } from "effect"
import type { AgentInput, Entry } from "../domain/Conversation.ts"
import { ModelUse } from "../domain/ModelUsage.ts"
import type { Input } from "../rules/conversation/Conversation.ts"
import type { BusyWork } from "./BusyWork.ts"
import { AgentFailed, type AgentTools, type ConversationBrief, type TextAgent, type TextTalk } from "./TextAgent.ts"

export interface AgentTalk {
  /** Begins the answer. Its parts and its end are offered as inputs. */
  readonly ask: (request: number, input: AgentInput) => Effect.Effect<void>
  /** Does not wait for an agent that does not stop. */
  readonly interrupt: () => void
  /** Tells the agent what was logged, in order. */
  readonly tell: (told: (talk: TextTalk) => Effect.Effect<void> | undefined) => Effect.Effect<void>
  /** What its models took that no part has said. */
  readonly unreported: Effect.Effect<ReadonlyArray<ModelUse>>
}

export interface Options {
  readonly brief: ConversationBrief
  /** What was said before. */
  readonly before: ReadonlyArray<Entry>
  readonly textAgent: TextAgent["Service"]
  readonly toolsOf: (request: number) => AgentTools
  readonly busy: BusyWork
  readonly offer: (input: Input) => Effect.Effect<unknown>
  /** The agent has produced a part, at that time in epoch milliseconds. */
  readonly onPart: (at: number) => void
}

/** How long an agent may take for each note of what was heard. */
const noteTimeout = "15 seconds"

/** How long it may take to say what its models took: the call has ended, and its outcome waits. */
const useTimeout = "2 seconds"

/** Opens the conversation. Meanwhile the contact hears a filler, and in the end the fallback, as during an answer. */
export const make = Effect.fnUntraced(function*(
  { before, brief, busy, offer, onPart, textAgent, toolsOf }: Options
): Effect.fn.Return<AgentTalk, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const scope = yield* Effect.scope
  const { callId } = brief
  const forked = <A, R>(work: Effect.Effect<A, never, R>) => Effect.forkIn(work, scope, { startImmediately: true })
  const opening = yield* forked(Effect.exit(textAgent.open(brief, before)))
  let answering: Fiber.Fiber<void> | undefined
  let noting: Fiber.Fiber<void> | undefined
  let isDeaf = false

  const answer = (request: number, input: AgentInput) =>
    Stream.unwrap(Effect.gen(function*() {
      if (noting !== undefined) yield* Fiber.await(noting)
      const talk = yield* Fiber.join(opening)
      return Exit.isSuccess(talk)
        ? talk.value.reply(input, toolsOf(request))
        : Stream.fail(new AgentFailed({ cause: talk.cause }))
    }))
      .pipe(
        Stream.runForEach((part) => {
          onPart(clock.currentTimeMillisUnsafe())
          // The words are given to the line before more of the answer is read, which may be there already.
          return Effect.andThen(offer({ _tag: "Part", request, part }), Effect.yieldNow)
        }),
        Effect.matchCauseEffect({
          onSuccess: () => offer({ _tag: "Done", request }),
          onFailure: (cause) =>
            Effect.andThen(
              Effect.logWarning(`The agent of ${callId} failed`, cause),
              offer({ _tag: "Failed", request, cause: "The agent failed" })
            )
        }),
        Effect.asVoid,
        busy.during
      )

  return {
    // At once, so that it counts as work before the runner waits.
    ask: (request, input) => Effect.map(forked(answer(request, input)), (fiber) => void (answering = fiber)),
    interrupt: () => answering?.interruptUnsafe(),
    tell: Effect.fnUntraced(function*(told) {
      const before = noting
      const note = Effect.gen(function*() {
        if (before !== undefined) yield* Fiber.await(before)
        const talk = yield* Fiber.join(opening)
        if (Exit.isFailure(talk) || isDeaf) return
        yield* Effect.timeout(told(talk.value) ?? Effect.void, noteTimeout)
      }).pipe(
        Effect.catchCause((cause) => {
          isDeaf = true
          return Effect.logWarning(`The agent of ${callId} does not take note of what was heard`, cause)
        }),
        busy.during
      )
      noting = yield* forked(note)
    }),
    unreported: Effect.suspend(() => {
      const opened = opening.pollUnsafe()
      const talk = opened === undefined || Exit.isFailure(opened) ? undefined : opened.value
      return talk === undefined || Exit.isFailure(talk)
        ? Effect.succeed([])
        : talk.value.unreported ?? Effect.succeed([])
    }).pipe(
      Effect.flatMap(decodeUses),
      Effect.timeout(useTimeout),
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning(`The agent of ${callId} does not say what its models took`, cause), [])
      )
    )
  }
})

const decodeUses = Schema.decodeUnknownEffect(Schema.Array(ModelUse))
