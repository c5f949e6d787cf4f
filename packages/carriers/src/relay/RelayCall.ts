/** The conversation of an answered call over a relay's socket, from its first frame to its end. */
import type { CarrierRoutes, CarrierTokens, Conversations, PhoneNumber } from "@outdial/core"
import { type Cause, DateTime, Effect, Option, Queue, Stream } from "effect"
import type { Report } from "../call/CarrierCall.ts"
import { untilOver } from "../call/LostSocket.ts"
import { decode, type RelayDialect, type Setup } from "./RelayFrames.ts"
import * as RelayLine from "./RelayLine.ts"

export interface RelayCallOptions extends Pick<RelayLine.RelayLineOptions, "moves"> {
  readonly dialect: RelayDialect
  readonly conversations: Pick<Conversations.Conversations["Service"], "hold">
  readonly report: Report
  /** The carrier's id of the call in the first frame; none when the frame is of another account. */
  readonly idOf: (setup: Setup) => string | undefined
  readonly hangUp: (call: CarrierTokens.TokenCall, carrierCallId: string) => Effect.Effect<void>
  /** How the call is connected with a number (`RelayLineOptions.transfers`). Default: it cannot be transferred. */
  readonly transfers?:
    | { readonly handoffData: (number: PhoneNumber.PhoneNumber) => string }
    | { readonly command: (transfer: Transfer) => Effect.Effect<boolean> }
  /** Whether the carrier says that the call is over. */
  readonly isOver: (carrierCallId: string) => Effect.Effect<boolean, unknown>
}

/** A transfer of the call to a number. */
export interface Transfer {
  readonly call: CarrierTokens.TokenCall
  readonly carrierCallId: string
  /** The number that the contact was called from, if the first frame says so. */
  readonly from: string | undefined
  readonly number: PhoneNumber.PhoneNumber
}

/** How long a relay may take to say which call it is. */
const setupTimeout = "10 seconds"

/** Of RFC 6455 §7.4.1. */
const policyViolation = 1008

export const hold = Effect.fnUntraced(
  function*(
    call: CarrierTokens.TokenCall,
    socket: CarrierRoutes.Socket,
    { conversations, dialect, hangUp, idOf, isOver, moves, report, transfers }: RelayCallOptions
  ) {
    const frames = yield* Queue.bounded<string, Cause.Done>(100)
    yield* socket.messages.pipe(
      Stream.runForEach((message) => typeof message === "string" ? Queue.offer(frames, message) : Effect.void),
      Effect.ensuring(Queue.end(frames)),
      Effect.forkScoped
    )
    const first = yield* Queue.take(frames).pipe(Effect.timeoutOption(setupTimeout), Effect.orElseSucceed(Option.none))
    const setup = decode(Option.getOrElse(first, () => ""))
    const id = setup.type === "setup" ? idOf(setup) : undefined
    if (id === undefined) return yield* socket.close(policyViolation)
    const answered = { _tag: "Answered", at: yield* DateTime.now, by: "unknown" } as const
    const isOurs = yield* Effect.orElseSucceed(report(call, id, answered), () => true)
    if (!isOurs) return yield* socket.close()
    const from = setup.type === "setup" ? setup.from ?? undefined : undefined
    const line = yield* RelayLine.make({
      dialect,
      frames: Stream.fromQueue(frames),
      send: socket.send,
      close: socket.close(),
      hangUp: hangUp(call, id),
      lost: untilOver(isOver(id)),
      ...(moves !== undefined && { moves }),
      ...(transfers !== undefined && { transfers: transfersOf(transfers, { call, carrierCallId: id, from }) })
    })
    yield* conversations.hold({ ...call, takesOver: true, line })
  },
  Effect.scoped
)

const transfersOf = (
  transfers: NonNullable<RelayCallOptions["transfers"]>,
  of: Omit<Transfer, "number">
): NonNullable<RelayLine.RelayLineOptions["transfers"]> =>
  "handoffData" in transfers ? transfers : { command: (number) => transfers.command({ ...of, number }) }
