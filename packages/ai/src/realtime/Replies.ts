/**
 * The replies of a realtime session: one answer at a time, in the order in which they are asked for, and words of ours beside them. Before an
 * answer the service is told what of the ones before it was heard.
 */
import type { AudioFormat } from "@outdial/core"
import { Effect } from "effect"
import type { ServiceFailure } from "../speech/ServiceFailure.ts"
import * as RealtimeEvents from "./RealtimeEvents.ts"
import * as RealtimeSettings from "./RealtimeSettings.ts"
import * as Reply from "./Reply.ts"
import * as ReplySound from "./ReplySound.ts"

export interface Options {
  readonly format: AudioFormat.AudioFormat
  readonly isConnected: () => boolean
  /** Nothing is sent where there is no connection. */
  readonly send: (event: object) => Effect.Effect<void>
  /** What came of a tool that an answer has asked for, where the answer that was to say so was interrupted. */
  readonly outputOf: (call: ToolCall) => string
}

/** A tool that an answer asks for. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly params: unknown
}

/** What is to be answered: these words of the contact, or these items. */
export interface Input {
  readonly said: string | undefined
  readonly items: ReadonlyArray<RealtimeEvents.Item>
  /** Whether the service that is connected was told of it when it was connected. */
  readonly isTold: () => boolean
}

/** Answers whose sound is kept: an interrupted one may be spoken on. */
const mostAnswers = 4

export interface Replies {
  /** The model knows its tools, and may answer before the agent asks it to. */
  readonly setReady: () => void
  /** The contact has finished: the answer begins, before the agent asks for it. */
  readonly begin: Effect.Effect<void>
  /** What the contact has said was noise: it is not answered. */
  readonly takeBack: Effect.Effect<void>
  /** The answer to an input. */
  readonly answer: (input: Input) => Effect.Effect<Reply.Reply>
  /** The rest of that answer, after these items. */
  readonly goOn: (items: ReadonlyArray<RealtimeEvents.Item>) => Effect.Effect<Reply.Reply>
  /** The text, in the model's voice. */
  readonly exact: (text: string) => Effect.Effect<Reply.Reply>
  /** The answer asks for a tool. Before the next answer, the model is given what came of it. */
  readonly called: (reply: Reply.Reply, call: ToolCall) => void
  /** Nobody wants the rest of it. */
  readonly drop: (reply: Reply.Reply) => Effect.Effect<void>
  /** What is not heard yet may not be: the contact speaks, or the line falls silent. */
  readonly cut: () => void
  /** The answers that were asked for and whose sound is still known, the latest last. */
  readonly answers: () => ReadonlyArray<Reply.Reply>
  /** Those that the service makes. */
  readonly running: () => ReadonlyArray<Reply.Reply>
  /** One of these. */
  readonly find: (is: (reply: Reply.Reply) => boolean) => Reply.Reply | undefined
  readonly end: (reply: Reply.Reply, failure?: ServiceFailure) => void
  /** Asks the service for the next answer, if it makes none. */
  readonly next: Effect.Effect<void>
  /** The connection was lost: the service that is connected next knows nothing of them. */
  readonly forget: (failure: ServiceFailure) => void
}

export const make = ({ format, isConnected, outputOf, send }: Options): Replies => {
  let numbers = 0
  /** Those that the service makes. */
  let running: ReadonlyArray<Reply.Reply> = []
  let answers: ReadonlyArray<Reply.Reply> = []
  /** The answer that the service is making, and those that wait for its end, with what is to be sent before. */
  let active: Reply.Reply | undefined
  let pending: ReadonlyArray<{ readonly reply: Reply.Reply; readonly items: ReadonlyArray<RealtimeEvents.Item> }> = []
  /** The answer to what the contact has said last, which was not asked for yet. */
  let early: Reply.Reply | undefined
  let isReady = false
  /** Turns of the contact that this connection has heard and that were not answered. */
  let unanswered = 0
  /** Calls of tools whose outcome the service was not given. */
  let calls: ReadonlyArray<{ readonly reply: Reply.Reply; readonly call: ToolCall }> = []

  const made = (kind: Reply.Reply["kind"]) => Effect.suspend(() => Reply.make({ format, kind, number: numbers += 1 }))

  const end = (reply: Reply.Reply, failure?: ServiceFailure) => {
    Reply.end(reply, failure)
    if (active === reply) active = undefined
    running = running.filter((other) => other !== reply)
    pending = pending.filter((other) => other.reply !== reply)
  }

  /** What the contact has not heard of an answer, the model is not to know. */
  const settled = (reply: Reply.Reply): Effect.Effect<void> => {
    const { heard, isWanted, items, letters, message, sound } = reply
    reply.isSettled = true
    if (!isWanted) {
      answers = answers.filter((other) => other !== reply)
      calls = calls.filter((call) => call.reply !== reply)
      return Effect.forEach(items, (item_id) => send({ type: "conversation.item.delete", item_id }), { discard: true })
    }
    if (message === undefined || heard >= letters.length) return Effect.void
    if (heard === 0) return send({ type: "conversation.item.delete", item_id: message })
    const millis = sound.millis()
    const heardTo = ReplySound.millisAt({ millis, isWhole: true, letters: letters.length }, heard)
    return send({
      type: "conversation.item.truncate",
      item_id: message,
      content_index: 0,
      audio_end_ms: Math.min(Math.floor(millis), heardTo)
    })
  }

  const settle = (which: (reply: Reply.Reply) => boolean) =>
    Effect.forEach(answers.filter((reply) => reply.isDone && !reply.isSettled && which(reply)), settled, {
      discard: true
    })

  const cut = () => {
    for (const reply of answers) if (reply.isWanted && reply.heard < reply.letters.length) reply.isCut = true
  }

  /** A call without an output would stay open in the conversation for good, as when the contact interrupts the tool. */
  const outputsBeside = (items: ReadonlyArray<RealtimeEvents.Item>): ReadonlyArray<RealtimeEvents.Item> => {
    const given = new Set(items.flatMap((item) => item.type === "function_call_output" ? [item.call_id] : []))
    const open = calls.filter(({ call }) => !given.has(call.id))
    calls = []
    return open.map(({ call }) => ({ type: "function_call_output", call_id: call.id, output: outputOf(call) }))
  }

  /** The service makes one answer at a time. */
  const next: Effect.Effect<void> = Effect.suspend(() => {
    const [first, ...others] = pending
    if (first === undefined || active !== undefined || !isConnected()) return Effect.void
    pending = others
    const { items, reply } = first
    active = reply
    running = [...running, reply]
    return settle(({ isCut, isWanted }) => isCut || !isWanted).pipe(
      Effect.andThen(
        Effect.suspend(() =>
          Effect.forEach([...outputsBeside(items), ...items], (item) => send(RealtimeEvents.create(item)), {
            discard: true
          })
        )
      ),
      Effect.andThen(send({
        type: "response.create",
        event_id: Reply.eventId(reply),
        response: { metadata: Reply.metadata(reply) }
      }))
    )
  })

  const ask = (items: ReadonlyArray<RealtimeEvents.Item>) =>
    Effect.flatMap(made("answer"), (reply) => {
      answers = [...answers, reply].slice(-mostAnswers)
      pending = [...pending, { reply, items }]
      return Effect.as(next, reply)
    })

  const wanted = (items: ReadonlyArray<RealtimeEvents.Item>) =>
    Effect.tap(ask(items), (reply) => Effect.sync(() => void (reply.isWanted = true)))

  const drop = (reply: Reply.Reply): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (early === reply) early = undefined
      reply.isDropped = true
      if (reply.isDone) return Effect.void
      if (pending.some((other) => other.reply === reply)) {
        answers = answers.filter((other) => other !== reply)
        return Effect.sync(() => end(reply))
      }
      return reply.id === undefined ? Effect.void : send({ type: "response.cancel", response_id: reply.id })
    })

  const begin = Effect.gen(function*() {
    unanswered += 1
    if (!isReady) return
    if (early !== undefined) yield* drop(early)
    early = yield* ask([])
  })

  return {
    setReady: () => {
      isReady = true
    },
    begin,
    takeBack: Effect.suspend(() => {
      unanswered = Math.max(0, unanswered - 1)
      return early === undefined ? Effect.void : drop(early)
    }),
    answer: ({ isTold, items, said }) =>
      Effect.gen(function*() {
        // Whatever the contact has not heard until now, they will not hear.
        yield* settle(({ isWanted }) => isWanted)
        const begun = early
        early = undefined
        if (said !== undefined && begun !== undefined && begun.failure === undefined) {
          unanswered = 0
          begun.isWanted = true
          return begun
        }
        if (begun !== undefined) yield* drop(begun)
        // The service has not heard the contact: its connection was lost meanwhile.
        const missed = said !== undefined && unanswered === 0 ? [RealtimeEvents.userText(said)] : []
        unanswered = 0
        return yield* wanted(isTold() ? [] : [...missed, ...items])
      }),
    goOn: wanted,
    exact: (text) =>
      Effect.gen(function*() {
        const reply = yield* made("exact")
        running = [...running, reply]
        yield* send({
          type: "response.create",
          event_id: Reply.eventId(reply),
          response: { ...RealtimeSettings.exactly(text), metadata: Reply.metadata(reply) }
        })
        return reply
      }),
    called: (reply, call) => {
      calls = [...calls, { reply, call }]
    },
    drop,
    cut,
    answers: () => answers.filter(({ isWanted }) => isWanted),
    running: () => running,
    find: (is) => running.find(is),
    end,
    next,
    forget: (failure) => {
      for (const reply of [...running, ...pending.map(({ reply }) => reply)]) end(reply, failure)
      answers = answers.filter(({ isWanted }) => isWanted)
      for (const reply of answers) reply.isSettled = true
      early = undefined
      unanswered = 0
      calls = []
    }
  }
}
