/** A node that crashes at one step of a dial, between the claim and the record of the carrier's id; and the carrier that it calls over. */
import { Ids, type Storage, Telephony } from "@outdial/core"
import { DateTime, Duration, Effect, Layer } from "effect"

/** In their order. */
export const steps = [
  "claimed",
  "before the fence",
  "behind the fence",
  "before the request",
  "behind the request",
  "before the record of the answer",
  "behind the record of the answer"
] as const
export type Step = (typeof steps)[number]

/** Whether the first call may have been sent, so that it is not dialed again, although its phone did not ring. */
export const isLost = (step: Step): boolean => step === "behind the fence" || step === "before the request"

export interface Crash {
  readonly step: Step
  readonly crash: Effect.Effect<never>
}

const at = ({ crash, step }: Crash, here: Step): Effect.Effect<void> => step === here ? crash : Effect.void

/** The storage of a node that crashes. */
export const storageOf = (storage: Storage.Storage["Service"], crash: Crash): Storage.Storage["Service"] => {
  const { claimDue, report, submit } = storage.dispatch
  const accepts = ({ reports }: Storage.ReportOptions) => reports.some(({ event }) => event._tag === "Accepted")
  return {
    ...storage,
    dispatch: {
      ...storage.dispatch,
      claimDue: (options) =>
        Effect.tap(claimDue(options), ({ claimed }) => claimed.length > 0 ? at(crash, "claimed") : Effect.void),
      submit: (options) =>
        Effect.andThen(at(crash, "before the fence"), submit(options)).pipe(
          Effect.tap(() => at(crash, "behind the fence"))
        ),
      report: (options) =>
        accepts(options)
          ? Effect.andThen(at(crash, "before the record of the answer"), report(options)).pipe(
            Effect.tap(() => at(crash, "behind the record of the answer"))
          )
          : report(options)
    }
  }
}

/** What the carrier has: when the phone of each call rang. */
export interface Lines {
  readonly ring: (callId: string) => Effect.Effect<void>
  readonly rangAt: (callId: string) => number | undefined
}

/** How long a phone rings. */
const ringing = Duration.seconds(20)

/** A carrier that takes every call, tells of its end only when it is asked, and knows all calls that rang. */
export const telephonyOf = ({ rangAt, ring }: Lines, crash?: Crash): Layer.Layer<Telephony.Telephony> =>
  Layer.succeed(Telephony.Telephony, {
    name: Ids.CarrierName.make("lines"),
    dial: ({ callId }) =>
      Effect.gen(function*() {
        if (crash !== undefined) yield* at(crash, "before the request")
        yield* ring(callId)
        if (crash !== undefined) yield* at(crash, "behind the request")
        return Ids.CarrierCallId.make(`line ${callId}`)
      }),
    lookUp: ({ callId }) =>
      Effect.map(DateTime.now, (now): Telephony.CarrierView => {
        const from = rangAt(callId)
        if (from === undefined) return { _tag: "NotFound" }
        const end = DateTime.addDuration(DateTime.makeUnsafe(from), ringing)
        return DateTime.isLessThan(now, end)
          ? { _tag: "Live" }
          : { _tag: "Ended", event: { _tag: "Ended", at: end, result: "no_answer", recorded: false } }
      }),
    hangUp: () => Effect.void,
    notFoundLag: Duration.seconds(5)
  })
