/** What the model says and does in one go, as it comes. */
import type { AudioFormat } from "@outdial/core"
import { Cause, Effect, Latch, Queue } from "effect"
import type { Response, Tool } from "effect/ai"
import type { ServiceFailure } from "../speech/ServiceFailure.ts"
import * as RealtimeAudio from "./RealtimeAudio.ts"
import * as ReplySound from "./ReplySound.ts"

/** A part of an answer, as effect/ai has it. */
export type Part = Response.StreamPart<Record<string, Tool.Any>, "deferred">

/** What the model says and does in one go. */
export interface Reply {
  readonly number: number
  /** `exact`: words of ours, of which the conversation at the service knows nothing. */
  readonly kind: "answer" | "exact"
  readonly parts: Queue.Queue<Part, ServiceFailure | Cause.Done>
  /** Opens when more of it has come. */
  changed: Latch.Latch
  /** How often something of it has come. */
  changes: number
  /** By the service's names. */
  id: string | undefined
  message: string | undefined
  items: Array<string>
  transcript: string
  letters: string
  readonly sound: RealtimeAudio.Sound
  isDone: boolean
  failure: ServiceFailure | undefined
  /** The agent has asked for it. */
  isWanted: boolean
  /** The agent has read it to its end, and knows what it took. */
  isRead: boolean
  /** It is to be taken back. */
  isDropped: boolean
  /** Letters up to which the runner has given its words to the line, the line has asked for its sound, and the contact has heard it. */
  approved: number
  asked: number
  heard: number
  /** Where the sound that was asked for ends, in milliseconds. */
  askedMillis: number
  /** Something of it may not be heard. */
  isCut: boolean
  /** The service was told how much of it was heard. */
  isSettled: boolean
}

export const make = (
  { format, kind, number }: Pick<Reply, "kind" | "number"> & { readonly format: AudioFormat.AudioFormat }
): Effect.Effect<Reply> =>
  Effect.map(Queue.unbounded<Part, ServiceFailure | Cause.Done>(), (parts) => ({
    number,
    kind,
    parts,
    changed: Latch.makeUnsafe(false),
    changes: 0,
    id: undefined,
    message: undefined,
    items: [],
    transcript: "",
    letters: "",
    sound: RealtimeAudio.sound(format),
    isDone: false,
    failure: undefined,
    isWanted: false,
    isRead: false,
    isDropped: false,
    approved: 0,
    asked: 0,
    heard: 0,
    askedMillis: 0,
    isCut: false,
    isSettled: false
  }))

/** Wakes those that wait for more of it. */
export const wake = (reply: Reply): void => {
  const { changed } = reply
  reply.changes += 1
  reply.changed = Latch.makeUnsafe(false)
  changed.openUnsafe()
}

/** Waits until nothing follows. */
export const ended = (reply: Reply): Effect.Effect<void> =>
  Effect.suspend(() => reply.isDone ? Effect.void : Effect.andThen(reply.changed.await, ended(reply)))

/** Only answers have parts: nobody reads those of others. */
export const offer = ({ kind, parts }: Reply, ...more: ReadonlyArray<Part>): void => {
  if (kind === "answer") Queue.offerAllUnsafe(parts, more)
}

export const addWords = (reply: Reply, delta: string): void => {
  reply.transcript += delta
  reply.letters += ReplySound.lettersOf(delta)
  wake(reply)
}

/** Nothing follows. */
export const end = (reply: Reply, failure?: ServiceFailure): void => {
  if (reply.isDone) return
  reply.isDone = true
  reply.failure = failure
  reply.sound.end()
  if (failure === undefined) Queue.endUnsafe(reply.parts)
  else Queue.failCauseUnsafe(reply.parts, Cause.fail(failure))
  wake(reply)
}

/** Names the request in errors. */
export const eventId = ({ number }: Reply): string => `reply_${number}`

/** The service returns it with the response. */
export const metadata = ({ number }: Reply) => ({ request: String(number) })
