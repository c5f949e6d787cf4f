/**
 * The session of one conversation at a realtime service. The service decides when the contact has finished; this session decides when the
 * model answers. It begins an answer as soon as the contact has finished, while their words are still being recognized; an answer that
 * nobody asks for is taken back. A connection that is lost is replaced once, and the model is told again what was said.
 */
import { type AudioFormat, type ModelUsage, SpeechToText, SpokenText } from "@outdial/core"
import { type Cause, Deferred, Duration, Effect, Latch, Queue, Result, type Scope, Stream } from "effect"
import { Response } from "effect/ai"
import { Base64 } from "effect/encoding"
import type { Socket } from "effect/socket"
import {
  lost,
  notValid,
  ofCode,
  reconnected,
  refused,
  type ServiceFailure,
  speechFailed
} from "../speech/ServiceFailure.ts"
import * as ServiceSocket from "../speech/ServiceSocket.ts"
import * as RealtimeAudio from "./RealtimeAudio.ts"
import * as RealtimeEvents from "./RealtimeEvents.ts"
import * as RealtimeSettings from "./RealtimeSettings.ts"
import * as Replies from "./Replies.ts"
import * as Reply from "./Reply.ts"

const service = "The realtime service"

export interface SessionOptions extends RealtimeSettings.RealtimeOptions {
  readonly format: AudioFormat.AudioFormat
  readonly language: string | undefined
  readonly instructions: string
  /** What was said until now, for a new connection. */
  readonly history: () => ReadonlyArray<RealtimeEvents.Item>
  /** As of `Replies`. */
  readonly outputOf: Replies.Options["outputOf"]
}

export interface RealtimeSession extends Pick<Replies.Replies, "answers" | "cut" | "drop"> {
  readonly recognition: SpeechToText.Recognition
  /** Once this is known, answers begin before they are asked for. */
  readonly setTools: (tools: ReadonlyArray<object>) => Effect.Effect<void>
  /** As of `Replies`, once there is a connection. */
  readonly answer: Waiting<Replies.Replies["answer"]>
  readonly goOn: Waiting<Replies.Replies["goOn"]>
  readonly exact: Waiting<Replies.Replies["exact"]>
  /** What replies took of which no answer has the use. Gives up those that the service still makes, and waits a second for what they took. */
  readonly unreported: Effect.Effect<ReadonlyArray<ModelUsage.ModelUse>>
  /** Words that the contact has heard, and the model does not know. */
  readonly tell: (item: RealtimeEvents.Item) => Effect.Effect<void>
}

type Waiting<Ask> = Ask extends (given: infer Given) => Effect.Effect<infer A>
  ? (given: Given) => Effect.Effect<A, ServiceFailure>
  : never

const mostFrames = 250
const mostEvents = 1_000

/** The longest sound of a reply: more than an answer of the longest length takes. */
const longestSound = Duration.toMillis("5 minutes")

/** The most characters of it. */
const longestWords = 20_000

/** The most characters of a turn of the contact, of which the latest count: ten minutes of speech. */
const longestTurn = 10_000

/** A connection on which nothing comes of a reply for so long is lost. The model may think before its first words. */
const silence = Duration.seconds(3)

/** How long words of ours wait for a connection that was lost. */
const connectTimeout = Duration.seconds(5)

/** How long the service may take to say what a reply took that was given up. */
const useTimeout = Duration.seconds(1)

export const open = Effect.fnUntraced(function*(
  options: SessionOptions
): Effect.fn.Return<RealtimeSession, ServiceFailure, Scope.Scope | Socket.WebSocketConstructor> {
  const { format, history, key, language, model, outputOf, url = "wss://api.openai.com/v1/realtime" } = options
  const address: ServiceSocket.Address = {
    service,
    url: `${url.replace(/^http/u, "ws")}${url.includes("?") ? "&" : "?"}model=${encodeURIComponent(model)}`,
    headers: RealtimeSettings.headers(key)
  }
  const input = RealtimeAudio.toService(format)
  const audio = yield* Queue.sliding<Uint8Array>(mostFrames)
  const heard = yield* Queue.bounded<SpeechToText.RecognitionEvent, SpeechToText.SpeechFailed | Cause.Done>(mostEvents)
  const opened = yield* Deferred.make<void, ServiceFailure>()
  const ready = Latch.makeUnsafe(false)
  /** The session cannot be used any more. */
  let over: ServiceFailure | undefined
  let connection: ServiceSocket.Connection | undefined
  let servedModel = model
  let tools: ReadonlyArray<object> = []
  /** The words of turns that are not final. */
  const turns = new Map<string, string>()
  /** The contact has begun a turn that is not over. */
  let isSpeaking = false
  /** What replies took that no answer will say. */
  let unused: Use = nothing
  /** Answers that say at their end what they took. */
  let finished: ReadonlyArray<{ readonly reply: Reply.Reply; readonly use: Use }> = []

  /** All that no answer will say. An answer that was not read to its end has not said it. */
  const takeUnused = ({ isOver }: { readonly isOver: boolean }): Use => {
    const unread = finished.filter(({ reply }) => !reply.isRead)
    const isLost = (reply: Reply.Reply) => isOver || reply.isDropped
    finished = unread.filter(({ reply }) => !isLost(reply))
    const all = unread.filter(({ reply }) => isLost(reply)).map(({ use }) => use).reduce(sum, unused)
    unused = nothing
    return all
  }

  const send = (event: object): Effect.Effect<void> =>
    Effect.suspend(() => connection === undefined ? Effect.void : Effect.ignore(connection.send(JSON.stringify(event))))

  const replies = Replies.make({ format, send, outputOf, isConnected: () => connection !== undefined })

  const sessionUpdate = () => ({
    type: "session.update",
    session: RealtimeSettings.settings({ ...options, language, tools })
  })

  const words = (text: string, isFinal: boolean) => Effect.asVoid(Queue.offer(heard, { _tag: "Words", text, isFinal }))

  const replyOf = (id: string) => replies.find((reply) => reply.id === id)

  const on = (event: RealtimeEvents.ServerEvent): Effect.Effect<void, ServiceFailure> => {
    switch (event.type) {
      case "session.created":
        servedModel = event.session.model ?? model
        return Effect.void
      case "session.updated":
        return Effect.void
      case "error": {
        const { code, event_id, type } = event.error
        const failure = ofCode(service, code ?? type ?? undefined)
        const reply = replies.find((reply) => Reply.eventId(reply) === event_id)
        if (reply !== undefined) replies.end(reply, failure)
        else if (connection === undefined) {
          return Effect.fail(failure.isLost ? refused(service, `it refuses the session (${failure.why})`) : failure)
        }
        // Such as the cancelling of an answer that has just ended.
        const log = code?.includes("cancel") === true ? Effect.logDebug : Effect.logWarning
        return Effect.andThen(log(failure.message), replies.next)
      }
      case "input_audio_buffer.speech_started":
        replies.cut()
        isSpeaking = true
        return Effect.asVoid(Queue.offer(heard, { _tag: "SpeechStarted" }))
      case "input_audio_buffer.committed":
        turns.set(event.item_id, "")
        isSpeaking = false
        return replies.begin
      case "conversation.item.input_audio_transcription.delta": {
        const text = `${turns.get(event.item_id) ?? ""}${event.delta ?? ""}`.slice(-longestTurn)
        turns.set(event.item_id, text)
        return SpokenText.hasWords(text) ? words(text.trim(), false) : Effect.void
      }
      case "conversation.item.input_audio_transcription.completed": {
        turns.delete(event.item_id)
        const text = event.transcript.trim()
        if (SpokenText.hasWords(text)) return words(text, true)
        // Noise: the model need not know of it.
        return replies.takeBack.pipe(
          Effect.andThen(send({ type: "conversation.item.delete", item_id: event.item_id })),
          Effect.andThen(words("", true))
        )
      }
      case "conversation.item.input_audio_transcription.failed":
        turns.delete(event.item_id)
        // The model has heard it, and answers.
        return words(unintelligible, true)
      case "response.created": {
        const { id, metadata } = event.response
        const reply = replies.find((reply) => String(reply.number) === metadata?.["request"])
        if (reply === undefined) return send({ type: "response.cancel", response_id: id })
        reply.id = id
        Reply.wake(reply)
        Reply.offer(
          reply,
          Response.makePart("response-metadata", { id, modelId: servedModel, timestamp: undefined }),
          Response.makePart("text-start", { id })
        )
        return reply.isDropped ? send({ type: "response.cancel", response_id: id }) : Effect.void
      }
      case "response.output_item.added": {
        const reply = replyOf(event.response_id)
        if (reply === undefined) return Effect.void
        reply.items.push(event.item.id)
        if (event.item.type === "message") reply.message = event.item.id
        Reply.wake(reply)
        return Effect.void
      }
      case "response.function_call_arguments.delta": {
        const reply = replyOf(event.response_id)
        if (reply !== undefined) Reply.wake(reply)
        return Effect.void
      }
      case "response.output_audio_transcript.delta": {
        const reply = replyOf(event.response_id)
        if (reply === undefined) return Effect.void
        Reply.addWords(reply, event.delta)
        if (reply.transcript.length > longestWords) return Effect.fail(refused(service, "it speaks for far too long"))
        Reply.offer(reply, Response.makePart("text-delta", { id: event.response_id, delta: event.delta }))
        return Effect.void
      }
      case "response.output_audio_transcript.done": {
        const reply = replyOf(event.response_id)
        if (reply !== undefined) Reply.offer(reply, Response.makePart("text-end", { id: event.response_id }))
        return Effect.void
      }
      case "response.output_audio.delta": {
        const reply = replyOf(event.response_id)
        if (reply === undefined) return Effect.void
        const decoded = Base64.decode(event.delta)
        if (Result.isFailure(decoded)) return Effect.fail(notValid(service))
        reply.sound.push(decoded.success)
        if (reply.sound.millis() > longestSound) return Effect.fail(refused(service, "it speaks for far too long"))
        Reply.wake(reply)
        return Effect.void
      }
      case "response.output_item.done": {
        const reply = replyOf(event.response_id)
        const { arguments: given, call_id, name, type } = event.item
        if (reply !== undefined) Reply.wake(reply)
        if (
          reply === undefined || type !== "function_call" || typeof call_id !== "string" || typeof name !== "string"
        ) {
          return Effect.void
        }
        const params = paramsOf(given ?? "")
        replies.called(reply, { id: call_id, name, params })
        Reply.offer(
          reply,
          Response.makePart("tool-call", { id: call_id, name, params, providerExecuted: false }) as Reply.Part
        )
        return Effect.void
      }
      case "response.done": {
        const { id, status, status_details, usage } = event.response
        const reply = replyOf(id)
        const taken = { inputTokens: usage?.input_tokens ?? 0, outputTokens: usage?.output_tokens ?? 0 }
        if (reply === undefined) return Effect.void
        if (reply.kind === "exact" || reply.isDropped) {
          unused = sum(unused, taken)
        } else {
          const use = sum(taken, takeUnused({ isOver: false }))
          finished = [...finished, { reply, use }]
          const { inputTokens, outputTokens } = use
          const usage = new Response.Usage({
            inputTokens: { total: inputTokens, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
            outputTokens: { total: outputTokens, text: undefined, reasoning: undefined }
          })
          const reason = status === "incomplete" ? "length" : "stop"
          Reply.offer(reply, Response.makePart("finish", { reason, usage, response: undefined }))
        }
        if (status !== "failed") {
          replies.end(reply)
          return replies.next
        }
        const failure = ofCode(service, status_details?.error?.code ?? undefined)
        replies.end(reply, failure)
        return Effect.andThen(Effect.logWarning(failure.message), replies.next)
      }
      default:
        return event satisfies never
    }
  }

  const next = ({ next }: ServiceSocket.Connection) =>
    Effect.flatMap(
      next,
      (message) => Effect.mapError(Effect.fromResult(RealtimeEvents.read(message)), () => notValid(service))
    )

  const configured = (made: ServiceSocket.Connection) =>
    Effect.gen(function*() {
      yield* made.send(JSON.stringify(sessionUpdate()))
      while (true) {
        const event = yield* next(made)
        if (event === undefined) continue
        yield* on(event)
        if (event.type === "session.updated") return
      }
    }).pipe(
      Effect.timeoutOrElse({ duration: connectTimeout, orElse: () => Effect.fail(lost(service, "it does not answer")) })
    )

  const hearing = (made: ServiceSocket.Connection) =>
    Effect.flatMap(
      Queue.take(audio),
      (frame) => made.send(JSON.stringify({ type: "input_audio_buffer.append", audio: Base64.encode(input(frame)) }))
    ).pipe(
      Effect.forever
    )

  const reading = (made: ServiceSocket.Connection) =>
    Effect.forever(Effect.flatMap(next(made), (event) => event === undefined ? Effect.void : on(event)))

  /** Fails when nothing comes of a reply that the service has begun, or was asked for, between two looks. */
  const watching = Effect.gen(function*() {
    let before: ReadonlyMap<Reply.Reply, number> = new Map()
    while (true) {
      yield* Effect.sleep(silence)
      if (replies.running().some((reply) => before.get(reply) === reply.changes)) {
        return yield* lost(service, "it does not answer")
      }
      before = new Map(replies.running().map((reply) => [reply, reply.changes]))
    }
  })

  const session = Effect.scoped(Effect.gen(function*() {
    const made = yield* ServiceSocket.connect(address)
    yield* configured(made)
    for (const item of history()) yield* made.send(JSON.stringify(RealtimeEvents.create(item)))
    connection = made
    ready.openUnsafe()
    yield* Deferred.succeed(opened, undefined)
    yield* replies.next
    return yield* Effect.raceAllFirst([hearing(made), reading(made), watching])
  }))

  /** The service that is connected next knows nothing of these. */
  const forget = Effect.gen(function*() {
    connection = undefined
    ready.closeUnsafe()
    replies.forget(lost(service, "the connection was lost"))
    // The contact waits for an answer to these.
    for (const text of turns.values()) yield* words(SpokenText.hasWords(text) ? text.trim() : unintelligible, true)
    // The service that is connected next does not know that they had begun.
    if (isSpeaking && turns.size === 0) yield* words("", true)
    isSpeaking = false
    turns.clear()
  })

  yield* Effect.addFinalizer(() => Queue.end(heard))
  yield* reconnected(session, forget).pipe(
    Effect.catch((failure) =>
      Effect.suspend(() => {
        over = failure
        ready.openUnsafe()
        return Effect.andThen(Deferred.fail(opened, failure), Queue.fail(heard, speechFailed(failure)))
      })
    ),
    Effect.forkScoped
  )
  yield* Deferred.await(opened)

  const connected = ready.await.pipe(
    Effect.timeoutOrElse({ duration: connectTimeout, orElse: () => Effect.fail(lost(service, "it is not connected")) }),
    Effect.flatMap(() => over === undefined ? Effect.void : Effect.fail(over))
  )

  return {
    recognition: {
      hear: (frame) => Effect.asVoid(Queue.offer(audio, frame)),
      events: Stream.fromQueue(heard)
    },
    setTools: (given) =>
      Effect.suspend(() => {
        replies.setReady()
        if (JSON.stringify(tools) === JSON.stringify(given)) return Effect.void
        tools = given
        return send({ type: "session.update", session: { type: "realtime", tools } })
      }),
    exact: (text) => Effect.andThen(connected, replies.exact(text)),
    answer: (input) => Effect.andThen(connected, replies.answer(input)),
    goOn: (items) => Effect.andThen(connected, replies.goOn(items)),
    unreported: Effect.gen(function*() {
      const running = replies.running()
      yield* Effect.forEach(running, replies.drop, { discard: true })
      yield* Effect.timeoutOption(Effect.forEach(running, Reply.ended, { discard: true }), useTimeout)
      const { inputTokens, outputTokens } = takeUnused({ isOver: true })
      return inputTokens + outputTokens === 0 ? [] : [{ model: servedModel, inputTokens, outputTokens }]
    }),
    answers: replies.answers,
    cut: replies.cut,
    drop: replies.drop,
    tell: (item) => send(RealtimeEvents.create(item))
  }
})

/** How words appear in the log that the service could not recognize. The model has heard them, unless its connection was lost. */
const unintelligible = "(unintelligible)"

interface Use {
  readonly inputTokens: number
  readonly outputTokens: number
}

const nothing: Use = { inputTokens: 0, outputTokens: 0 }

const sum = (one: Use, other: Use): Use => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens
})

/** Arguments that are no JSON stay text, which the check of arguments refuses. */
const paramsOf = (given: string): unknown => {
  if (given.trim() === "") return {}
  try {
    return JSON.parse(given)
  } catch {
    return given
  }
}
