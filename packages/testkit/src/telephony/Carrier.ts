/**
 * The carrier behind a provider under test, real or made for the test. The tests command it, and it records which phones rang.
 * Providers never see it.
 */
import type { CarrierReason } from "@outdial/core"
import { Context, Effect, Layer } from "effect"

/** The behaviour of a number. */
export type Behaviour =
  /** It rings; a person answers, says something, and hangs up. */
  | "talks"
  /** It rings; a machine answers. */
  | "voicemail"
  | "busy"
  | "never_answers"
  /** The carrier refuses the call; a second request for the same call rings, which tells a provider that repeats requests. */
  | "refused"
  /** The carrier reports that it has no capacity, and does not dial. A second request rings. */
  | "unavailable"
  /** The phone rings, then as in `talks`; but the carrier's response to the dial is lost. */
  | "unknown_rings"
  /** The phone rings, then as in `talks`; but the carrier answers the dial with an error, such as HTTP 500. */
  | "error_rings"
  /** The dial request, or the first of them, is lost: no phone rings, and no response comes. A second request rings. */
  | "unknown_lost"
  /** As in `talks`, but its end is never reported. */
  | "last_report_lost"

/** How the carrier treats requests. */
export type Condition =
  | "well"
  /** No connection can be made. */
  | "unreachable"
  /** It answers every request with an error, such as HTTP 500, and does nothing else. */
  | "faulty"
  /** It accepts every request, does nothing, and does not respond. */
  | "silent"
  /** It refuses every request, because it takes no calls of the account; only where it `authorizes`. */
  | "unauthorized"

export class Carrier extends Context.Service<Carrier, {
  /** A number that can be dialed for each behaviour. */
  readonly numbers: Readonly<Record<Behaviour, string>>
  /**
   * In each conversation, a part of what the agent says and the contact does not, and the reverse; absent when the provider reports no
   * transcript, because Outdial holds the conversation.
   */
  readonly words?: { readonly agent: string; readonly contact: string } | undefined
  /** The number that callees are shown when the dial had none. Default: none. */
  readonly defaultCallerId?: string | undefined
  /** Whether the carrier can be told to refuse the operator's account. Default: no. */
  readonly authorizes?: boolean | undefined
  /**
   * Whether a dial whose first request is lost proves that nothing was sent, because only a later one can ring: then it is `unavailable`.
   * Default: no, it is `unknown`.
   */
  readonly provesUnsent?: boolean | undefined
  /** Whether the end of a call says who has answered. Default: yes. */
  readonly tellsWhoAnswered?: boolean | undefined
  /** Whether there is a recording of each conversation. */
  readonly records: boolean
  /** The audio of each conversation, where the provider passes it on unchanged. */
  readonly recording?: Uint8Array | undefined
  /** The carrier's own code and words for the call that it refuses, if it gives any. */
  readonly refusal?: CarrierReason.CarrierReason | undefined
  /** The ids of the calls that made a phone ring, oldest first. A phone that rang twice is listed twice. */
  readonly rings: Effect.Effect<ReadonlyArray<string>>
  /** The number that the callee of a call was shown, if the dial had one. */
  readonly callerIdOf: (callId: string) => Effect.Effect<string | undefined>
  /** The callee of a ringing call answers. Returns when it has been reported and the response has been carried out. */
  readonly answer: (callId: string) => Effect.Effect<void>
  /** A call ends, hung up or not answered. Returns when it has been reported. */
  readonly end: (callId: string) => Effect.Effect<void>
  /** Sets how the carrier treats requests from now on. */
  readonly setCondition: (condition: Condition) => Effect.Effect<void>
  /** Returns when exactly so many requests wait for the silent carrier; at once if none can ever wait. */
  readonly untilWaiting: (requests: number) => Effect.Effect<void>
}>()("@outdial/testkit/telephony/Carrier") {
  /** Commanded by plain functions, for providers that were written without Effect. */
  static readonly layerOf = (carrier: HostCarrier) =>
    Layer.succeed(Carrier, {
      numbers: carrier.numbers,
      words: carrier.words,
      defaultCallerId: carrier.defaultCallerId,
      authorizes: carrier.authorizes,
      provesUnsent: carrier.provesUnsent,
      tellsWhoAnswered: carrier.tellsWhoAnswered,
      records: carrier.records,
      recording: carrier.recording,
      refusal: carrier.refusal,
      rings: Effect.promise(async () => carrier.rings()),
      callerIdOf: (callId) => Effect.promise(async () => carrier.callerIdOf(callId)),
      answer: (callId) => Effect.promise(async () => carrier.answer(callId)),
      end: (callId) => Effect.promise(async () => carrier.end(callId)),
      setCondition: (condition) => Effect.promise(async () => carrier.setCondition(condition)),
      untilWaiting: (requests) => Effect.promise(async () => carrier.untilWaiting(requests))
    })
}

/** `Carrier` in plain functions. */
export interface HostCarrier {
  readonly numbers: Readonly<Record<Behaviour, string>>
  readonly words?: { readonly agent: string; readonly contact: string }
  readonly defaultCallerId?: string
  readonly authorizes?: boolean
  readonly provesUnsent?: boolean
  readonly tellsWhoAnswered?: boolean
  readonly records: boolean
  readonly recording?: Uint8Array
  readonly refusal?: CarrierReason.CarrierReason
  readonly rings: () => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
  readonly callerIdOf: (callId: string) => string | undefined | Promise<string | undefined>
  readonly answer: (callId: string) => void | Promise<void>
  readonly end: (callId: string) => void | Promise<void>
  readonly setCondition: (condition: Condition) => void | Promise<void>
  readonly untilWaiting: (requests: number) => void | Promise<void>
}
