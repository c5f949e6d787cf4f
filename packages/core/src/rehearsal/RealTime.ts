/**
 * The agent and the outcome source of a rehearsal work in real time, while the virtual clock stands still. They have as long for an answer
 * as in a real call. Measures how long each answer took.
 */
import { Clock, Context, Duration, Effect, Option, Result, Scheduler, Stream } from "effect"
import type { RegisteredTools } from "../conversation/Tool.ts"
import { AgentFailed, type AgentTools, TextAgent, type TextTalk } from "../conversation/TextAgent.ts"
import type { AgentInput } from "../domain/Conversation.ts"
import * as Limits from "../domain/Limits.ts"
import { OutcomeFailed, OutcomeSource } from "../outcome/OutcomeSource.ts"
import { answerTimeout } from "../rules/conversation/Conversation.ts"
import type { Contact } from "../simulator/SimulatedContact.ts"
import type { VirtualClock } from "../time/VirtualClock.ts"

/** The clock and the scheduler of whoever asked for the rehearsal. */
export type Host = Context.Context<never>

export const host: Effect.Effect<Host> = Effect.gen(function*() {
  return Context.make(Clock.Clock, yield* Clock.Clock).pipe(
    Context.add(Scheduler.Scheduler, yield* Scheduler.Scheduler)
  )
})

interface Options {
  readonly clock: VirtualClock
  readonly host: Host
}

const inTime = "It did not answer in time"

/**
 * The same agent. `onLatency` is called with the milliseconds from what the contact said to the first words of each answer, `onFailure`
 * with what went wrong: the log of a call does not have it.
 */
export const agent = (
  self: TextAgent["Service"],
  { clock, host, onFailure, onLatency }: Options & {
    readonly onFailure: (message: string) => void
    readonly onLatency: (millis: number) => void
  }
): TextAgent["Service"] => {
  const { monotonicTimeNanosUnsafe: nanos } = Context.get(host, Clock.Clock)
  const outside = <A, E, R>(work: Effect.Effect<A, E, R>) => clock.during(Effect.provideContext(work, host))
  const failed = ({ message }: AgentFailed) => Effect.sync(() => onFailure(message))
  const reply = (talk: TextTalk, input: AgentInput, tools: AgentTools) =>
    Stream.suspend(() => {
      const askedAt = nanos()
      let isAnswered = input._tag !== "Words" && input._tag !== "Digits"
      return talk.reply(input, tools).pipe(
        Stream.timeoutOrElse({
          duration: answerTimeout,
          orElse: () => Stream.fail(new AgentFailed({ cause: inTime }))
        }),
        Stream.tap((part) =>
          Effect.sync(() => {
            if (isAnswered || part._tag !== "Say") return
            isAnswered = true
            onLatency(Number((nanos() - askedAt) / 1_000n) / 1_000)
          })
        ),
        Stream.tapError(failed),
        Stream.provideContext(host)
      )
    })
  return {
    open: (brief, entries) =>
      Effect.map(
        outside(Effect.tapError(failingLate(self.open(brief, entries)), failed)),
        (talk) => ({
          heard: (words) => outside(Effect.ignore(failingLate(talk.heard(words)))),
          toolLogged: (entry) => outside(Effect.ignore(failingLate(talk.toolLogged?.(entry) ?? Effect.void))),
          unreported: outside(talk.unreported ?? Effect.succeed([])),
          reply: (input, tools) =>
            Stream.unwrap(
              Effect.as(
                Effect.acquireRelease(clock.begin, (end) => Effect.sync(end)),
                reply(talk, input, tools)
              )
            )
        })
      )
  }
}

/** The same tools. */
export const tools = (self: RegisteredTools, { clock, host }: Options): RegisteredTools =>
  Option.map(self, (tools) =>
    new Map(Array.from(tools, ([name, tool]) => [name, {
      ...tool,
      prepare: (args) =>
        Result.map(tool.prepare(args), (run) => (context) =>
          clock.during(Effect.provideContext(Effect.timeout(run(context), tool.timeout), host)))
    }])))

const failingLate = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(work, { duration: answerTimeout, orElse: () => Effect.fail(new AgentFailed({ cause: inTime })) })

/** The same outcome source. */
export const outcomes = (
  self: OutcomeSource["Service"],
  { clock, host }: Options
): OutcomeSource["Service"] => ({
  ...self,
  make: (conversation) =>
    self.make(conversation).pipe(
      Effect.timeoutOrElse({
        duration: Duration.times(Limits.outcomeLease, 0.8),
        orElse: () => Effect.fail(new OutcomeFailed({ cause: inTime }))
      }),
      // The clock of the call passes this time at once, but the service behind the source means real time.
      Effect.tapError(({ retryAfter = Duration.zero }) =>
        Duration.isLessThanOrEqualTo(retryAfter, Limits.outcomeDeadline) ? Effect.sleep(retryAfter) : Effect.void
      ),
      (work) => clock.during(Effect.provideContext(work, host))
    )
})

/** The same contact. */
export const contact = (self: Contact, { clock, host }: Options): Contact => (moment) =>
  clock.during(Effect.provideContext(self(moment), host))
