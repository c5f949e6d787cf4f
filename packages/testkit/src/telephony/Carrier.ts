/**
 * The other side of a provider under test: a carrier, real or made for the test, that can be commanded, and that knows which
 * phones rang. Providers never see it.
 */
import { Context, Effect, Layer } from "effect"

/** What becomes of a call to a number. */
export type Behaviour =
  /** It rings; a person answers, says something, and hangs up. */
  | "talks"
  | "busy"
  | "never_answers"
  /** The carrier refuses the call. */
  | "refused"
  /** The carrier is reached and has no room: nothing is sent on, and it says so. */
  | "unavailable"
  /** The phone rings, then as in `talks`; but the carrier's answer to the dial is lost on its way. */
  | "unknown_rings"
  /** The dial is lost on its way: nothing rings, and no answer comes. */
  | "unknown_lost"
  /** As in `talks`, but its end is never reported. */
  | "last_report_lost"

export class Carrier extends Context.Service<Carrier, {
  /** A number that can be dialed for each behaviour. */
  readonly numbers: Readonly<Record<Behaviour, string>>
  /** Our ids of the calls that made a phone ring, oldest first: twice in it is a phone that rang twice. */
  readonly rings: Effect.Effect<ReadonlyArray<string>>
  /** The callee of a ringing call answers. Returns when what there is to tell of it has been told, and what was answered done. */
  readonly answer: (callId: string) => Effect.Effect<void>
  /** A call comes to its own end, hung up or not answered. Returns when what there is to tell of it has been told. */
  readonly end: (callId: string) => Effect.Effect<void>
  /** Cuts the way from the provider to the carrier, or mends it. */
  readonly setReachable: (isReachable: boolean) => Effect.Effect<void>
}>()("@outdial/testkit/telephony/Carrier") {
  /** Commanded by plain functions, for providers that were written without Effect. */
  static readonly layerOf = (carrier: HostCarrier) =>
    Layer.succeed(Carrier, {
      numbers: carrier.numbers,
      rings: Effect.promise(async () => carrier.rings()),
      answer: (callId) => Effect.promise(async () => carrier.answer(callId)),
      end: (callId) => Effect.promise(async () => carrier.end(callId)),
      setReachable: (isReachable) => Effect.promise(async () => carrier.setReachable(isReachable))
    })
}

/** `Carrier` in plain functions. */
export interface HostCarrier {
  readonly numbers: Readonly<Record<Behaviour, string>>
  readonly rings: () => ReadonlyArray<string> | Promise<ReadonlyArray<string>>
  readonly answer: (callId: string) => void | Promise<void>
  readonly end: (callId: string) => void | Promise<void>
  readonly setReachable: (isReachable: boolean) => void | Promise<void>
}
