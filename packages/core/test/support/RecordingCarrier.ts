/** A carrier that takes every call, knows it as live, and records what it is asked for. It can be told to fail. */
import { Ids, Telephony } from "@outdial/core"
import { Clock, Duration, Effect, Layer } from "effect"

export interface Options {
  readonly callsPerSecond?: number
  /** Whether the account can be checked, and what the check says. */
  readonly check?: () => boolean
}

export const make = (name: string, { check, callsPerSecond }: Options = {}) => {
  const dials: Array<{ readonly at: number; readonly phoneNumber: string }> = []
  const lookUps: Array<string> = []
  const hangUps: Array<string> = []
  const state: { failure: Telephony.DialFailed["reason"] | undefined } = { failure: undefined }
  const carrier: Telephony.Telephony["Service"] = {
    name: Ids.CarrierName.make(name),
    ...(callsPerSecond !== undefined && { callsPerSecond }),
    ...(check !== undefined && { check: Effect.sync(check) }),
    dial: ({ callId, phoneNumber }) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        dials.push({ at, phoneNumber })
        return state.failure === undefined
          ? Effect.succeed(Ids.CarrierCallId.make(`${name} ${callId}`))
          : new Telephony.DialFailed({ reason: state.failure, cause: "told to" })
      }),
    lookUp: ({ callId }) =>
      Effect.sync(() => {
        lookUps.push(callId)
        return { _tag: "Live" as const }
      }),
    hangUp: ({ callId }) => Effect.sync(() => void hangUps.push(callId)),
    notFoundLag: Duration.seconds(5)
  }
  return {
    dials,
    hangUps,
    layer: Layer.succeed(Telephony.Telephony, carrier),
    lookUps,
    numbers: () => dials.map(({ phoneNumber }) => phoneNumber),
    /** Fails the dials from now on; without a reason, it takes them again. */
    fail: (reason?: Telephony.DialFailed["reason"]) => {
      state.failure = reason
    },
    times: () => dials.map(({ at }) => at)
  }
}
