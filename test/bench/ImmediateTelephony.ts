/** A carrier without delay: each call is answered and ends as soon as it is dialed. */
import { Ids, LineReports, OutcomeSource, SimulatedTelephony, Telephony } from "@outdial/core"
import { DateTime, Duration, Effect, Layer } from "effect"

export const layer = (
  onDial: (request: Telephony.DialRequest) => void = () => {}
): Layer.Layer<Telephony.Telephony, never, LineReports.LineReports> =>
  Layer.effect(
    Telephony.Telephony,
    Effect.gen(function*() {
      const reports = yield* LineReports.LineReports
      const scope = yield* Effect.scope
      const talk = Effect.fnUntraced(function*({ accountId, agent, callId }: Telephony.DialRequest) {
        const at = yield* DateTime.now
        yield* reports.report({ accountId, callId, event: { _tag: "Answered", at, by: "human" } })
        yield* reports.report({
          accountId,
          callId,
          event: {
            _tag: "Ended",
            at,
            result: "hung_up",
            answeredAt: at,
            answeredBy: "human",
            transcript: OutcomeSource.sampleTranscript(agent),
            recorded: false
          }
        })
      })
      return {
        name: SimulatedTelephony.carrier,
        dial: (request) =>
          Effect.suspend(() => {
            onDial(request)
            return Effect.as(Effect.forkIn(talk(request), scope), Ids.CarrierCallId.make(request.callId))
          }),
        lookUp: () => Effect.succeed({ _tag: "Unreachable" }),
        hangUp: () => Effect.void,
        notFoundLag: Duration.minutes(1)
      }
    })
  )
