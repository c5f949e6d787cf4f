/** Port: an agent that thinks in text. It answers what the contact says; the runner speaks, enforces the limits and writes the log. */
import { Clock, Context, Effect, Layer, Schema, type Scope, Stream } from "effect"
import type { AgentBrief } from "../domain/Agent.ts"
import type { Contact } from "../domain/Call.ts"
import { type AgentInput, AgentPart, type Entry, type ToolAnswer, type ToolEntry } from "../domain/Conversation.ts"
import type { AccountId, CallId } from "../domain/Ids.ts"
import type { ModelUse } from "../domain/ModelUsage.ts"
import { problems } from "../domain/Problems.ts"
import type { ToolDescription } from "./Tool.ts"

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

/** The tools of the host application, for one answer. */
export interface AgentTools {
  /** Those that the agent may use. */
  readonly available: ReadonlyArray<ToolDescription>
  /**
   * Runs a tool once its intent is on record, and returns what it answers. With the same arguments it runs once in a conversation, unless
   * it only reads: asked for again it gives the same answer, and one that still runs is waited for.
   */
  readonly run: (name: string, args: unknown) => Effect.Effect<ToolAnswer>
}

/** For agents that are asked outside of a conversation, such as in tests. */
export const noTools: AgentTools = { available: [], run: (name) => Effect.succeed(unknownTool(name)) }

export const unknownTool = (name: string): ToolAnswer => ({
  result: `There is no tool named ${JSON.stringify(name.slice(0, 100))}.`,
  problem: "unknown_tool"
})

/** One conversation. */
export interface TextTalk {
  /** The parts of the answer. The stream is interrupted when the contact speaks. A tool that runs then goes on. */
  readonly reply: (input: AgentInput, tools: AgentTools) => Stream.Stream<AgentPart, AgentFailed>
  /** What the contact has heard of the agent's words. */
  readonly heard: (words: { readonly text: string; readonly interrupted: boolean }) => Effect.Effect<void>
  /** What was written to the log about a tool, also when the answer that asked for it was interrupted. */
  readonly toolLogged?: (entry: ToolEntry) => Effect.Effect<void>
  /**
   * What language models took that no `ModelUsed` has said, such as for an answer that was interrupted; each use once. Asked at the end of the
   * conversation, which waits 2 seconds for it. Default: nothing.
   */
  readonly unreported?: Effect.Effect<ReadonlyArray<ModelUse>>
}

/** What an agent whose answers follow from the conversation is to answer. */
export interface Asked extends ConversationBrief {
  /** What is to be answered. */
  readonly input: AgentInput
  /** The conversation so far, with the words of the input. */
  readonly entries: ReadonlyArray<Entry>
  readonly tools: AgentTools
}

/** What an agent that is a plain function is to answer. */
export interface TalkSoFar extends Omit<Asked, "tools"> {
  readonly tools: {
    /** Those that the agent may use. */
    readonly available: ReadonlyArray<ToolDescription>
    /** As `AgentTools.run`. Rejects when the answer is no longer wanted. */
    readonly run: (name: string, args: unknown) => Promise<ToolAnswer>
  }
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
      Stream.unwrap(Effect.map(abortedAtEnd, (signal) => {
        const { available, run } = talk.tools
        const tools = {
          available,
          run: (name: string, args: unknown) => Effect.runPromise(run(name, args), { signal })
        }
        return partsOf(() => answer({ ...talk, tools, signal }))
      }))
    )

  /** An agent whose answers follow from the conversation so far. */
  static readonly layerOfAnswers = (
    answer: (talk: Asked) => Stream.Stream<AgentPart, AgentFailed>
  ) => Layer.succeed(TextAgent, { open: (brief, entries) => talkOf(brief, entries, answer) })
}

/** A conversation whose answers follow from what was said: the entries before it, then what it is told. */
export const talkOf = Effect.fnUntraced(function*(
  brief: ConversationBrief,
  before: ReadonlyArray<Entry>,
  answer: (talk: Asked) => Stream.Stream<AgentPart, AgentFailed>
): Effect.fn.Return<TextTalk> {
  const clock = yield* Clock.Clock
  const start = clock.currentTimeMillisUnsafe() - before.reduce((latest, entry) => Math.max(latest, entry.at), 0)
  let entries = before
  const now = () => Math.max(0, Math.round(clock.currentTimeMillisUnsafe() - start))
  const add = (speaker: "agent" | "contact", text: string, interrupted: boolean) => {
    const at = now()
    const turn = { _tag: "Turn", speaker, text, at, endedAt: at, ...(interrupted && { interrupted }) } as const
    entries = [...speaker === "contact" ? withoutRepeated(entries, text) : entries, turn]
  }
  return {
    reply: (input, tools) =>
      Stream.suspend(() => {
        if (input._tag === "Words") add("contact", input.text, false)
        if (input._tag === "Digits") add("contact", input.digits, false)
        if (input._tag === "NotTransferred") {
          entries = [...entries, { _tag: "Noted", at: now(), note: { _tag: "Transfer", to: input.to, failed: true } }]
        }
        if (input._tag === "Machine") entries = [...entries, { _tag: "Machine", at: now(), kind: input.kind }]
        return Stream.tap(
          answer({ ...brief, input, entries, tools }),
          (part) =>
            Effect.sync(() => {
              if (part._tag !== "Note") return
              entries = [...entries, { _tag: "Noted", at: now(), note: part.note }]
            })
        )
      }),
    heard: ({ interrupted, text }) => Effect.sync(() => add("agent", text, interrupted)),
    toolLogged: (entry) => Effect.sync(() => void (entries = [...entries, entry]))
  }
})

/** The entries without the contact's last words, if these repeat them: the agent had not spoken since. */
const withoutRepeated = (entries: ReadonlyArray<Entry>, text: string): ReadonlyArray<Entry> => {
  const since = entries.findLastIndex((entry) => entry._tag === "Turn" && entry.speaker === "agent") + 1
  const recent = entries.slice(since)
  const said = recent.flatMap((entry) => entry._tag === "Turn" ? [entry.text] : []).join(" ")
  return said !== "" && text.startsWith(said)
    ? [...entries.slice(0, since), ...recent.filter(({ _tag }) => _tag !== "Turn")]
    : entries
}

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
          ? "A part must be an object whose _tag is Say, Press, Note, Transfer, ModelUsed or End"
          : `A part is not valid: ${path.join(".")} ${message}`
      )
    })
  })
