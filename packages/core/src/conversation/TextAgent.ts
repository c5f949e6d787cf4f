/** Port: an agent that thinks in text. It answers what the contact says; the runner speaks, enforces the limits and writes the log. */
import { Clock, Context, Effect, Layer, Schema, type Scope, Stream } from "effect"
import type { AgentBrief } from "../domain/Agent.ts"
import type { Contact } from "../domain/Call.ts"
import { type AgentInput, AgentPart, type Entry } from "../domain/Conversation.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import { problems } from "../domain/Problems.ts"

/** The agent cannot answer. The contact hears the fallback phrase, and the call ends. */
export class AgentFailed extends Schema.TaggedError<AgentFailed>()("AgentFailed", { cause: Schema.Defect() }) {
  override get message() {
    return `The agent failed: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
  }
}

/** The call that the agent talks in. */
export interface ConversationBrief {
  readonly accountId: AccountId
  readonly callId: CallId
  readonly agent: AgentBrief
  readonly contact: Contact
}

/** One conversation. */
export interface TextTalk {
  /** The parts of the answer. The stream is interrupted when the contact speaks. */
  readonly reply: (input: AgentInput) => Stream.Stream<AgentPart, AgentFailed>
  /** What the contact has heard of the agent's words. */
  readonly heard: (words: { readonly text: string; readonly interrupted: boolean }) => Effect.Effect<void>
}

/** What an agent that is a plain function is to answer. */
export interface TalkSoFar extends ConversationBrief {
  /** What is to be answered. */
  readonly input: AgentInput
  /** The conversation so far, with the words of the input. */
  readonly entries: ReadonlyArray<Entry>
  /** Aborted when the answer is no longer wanted, such as when the contact speaks. */
  readonly signal: AbortSignal
}

export class TextAgent extends Context.Service<TextAgent, {
  /** Begins a conversation, or continues it after these entries. */
  readonly open: (
    brief: ConversationBrief,
    entries: ReadonlyArray<Entry>
  ) => Effect.Effect<TextTalk, AgentFailed, Scope.Scope>
}>()("@outdial/core/conversation/TextAgent") {
  /**
   * An agent that is a plain function, such as an async generator: it is called for each input and yields the parts of its answer. What
   * it throws, and a part of the wrong form, ends the call with the fallback phrase.
   */
  static readonly layerOf = (answer: (talk: TalkSoFar) => AsyncIterable<AgentPart>) =>
    TextAgent.layerOfAnswers((talk) =>
      Stream.unwrap(Effect.map(abortedAtEnd, (signal) => partsOf(() => answer({ ...talk, signal }))))
    )

  /** An agent whose answers follow from the conversation so far. */
  static readonly layerOfAnswers = (
    answer: (talk: Omit<TalkSoFar, "signal">) => Stream.Stream<AgentPart, AgentFailed>
  ) => Layer.succeed(TextAgent, { open: (brief, entries) => opened(brief, entries, answer) })
}

/** A conversation that remembers what was said: the entries before it, then what it is told. */
const opened = Effect.fnUntraced(function*(
  brief: ConversationBrief,
  before: ReadonlyArray<Entry>,
  answer: (talk: Omit<TalkSoFar, "signal">) => Stream.Stream<AgentPart, AgentFailed>
): Effect.fn.Return<TextTalk> {
  const clock = yield* Clock.Clock
  const start = clock.currentTimeMillisUnsafe() - before.reduce((latest, entry) => Math.max(latest, entry.at), 0)
  let entries = before
  const add = (speaker: "agent" | "contact", text: string, interrupted: boolean) => {
    const at = Math.max(0, Math.round(clock.currentTimeMillisUnsafe() - start))
    const last = entries.at(-1)
    // The same words with those that followed them: the agent had not begun to answer.
    const isContinued = speaker === "contact" && last?._tag === "Turn" && last.speaker === "contact" &&
      text.startsWith(last.text)
    const turn = { _tag: "Turn", speaker, text, at, endedAt: at, ...(interrupted && { interrupted }) } as const
    entries = [...isContinued ? entries.slice(0, -1) : entries, turn]
    return at
  }
  return {
    reply: (input) =>
      Stream.suspend(() => {
        if (input._tag === "Words") add("contact", input.text, false)
        if (input._tag === "Digits") add("contact", input.digits, false)
        return Stream.tap(
          answer({ ...brief, input, entries }),
          (part) =>
            Effect.sync(() => {
              if (part._tag !== "Note") return
              const at = Math.max(0, Math.round(clock.currentTimeMillisUnsafe() - start))
              entries = [...entries, { _tag: "Noted", at, note: part.note }]
            })
        )
      }),
    heard: ({ interrupted, text }) => Effect.sync(() => void add("agent", text, interrupted))
  }
})

const abortedAtEnd = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  ),
  ({ signal }) => signal
)

/** The checked parts of an async iterable. When they are no longer wanted, nothing waits for the function: it may ignore its signal. */
const partsOf = (iterable: () => AsyncIterable<unknown>): Stream.Stream<AgentPart, AgentFailed> =>
  Stream.unwrap(Effect.map(
    Effect.acquireRelease(
      Effect.try({ try: () => iterable()[Symbol.asyncIterator](), catch: (cause) => new AgentFailed({ cause }) }),
      (iterator) => Effect.sync(() => void Promise.resolve().then(() => iterator.return?.()).catch(() => undefined))
    ),
    (iterator) =>
      Stream.unfold(iterator, () =>
        Effect.gen(function*() {
          const next = yield* Effect.tryPromise({
            try: () => iterator.next(),
            catch: (cause) => new AgentFailed({ cause })
          })
          if (next.done === true) return undefined
          return [yield* decoded(next.value), iterator] as const
        }))
  ))

const decode = Schema.decodeUnknownEffect(AgentPart)

const decoded = (part: unknown): Effect.Effect<AgentPart, AgentFailed> =>
  Effect.mapError(decode(part, { errors: "all" }), ({ issue }) => {
    const [{ message, path }] = problems(issue)
    return new AgentFailed({
      cause: new Error(
        path.length === 0
          ? "A part must be an object whose _tag is Say, Press, Note or End"
          : `A part is not valid: ${path.join(".")} ${message}`
      )
    })
  })
