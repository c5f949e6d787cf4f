/** The account at Telnyx, as far as it decides whether calls are placed. Nothing here places one. */
import type { PhoneNumber } from "@outdial/core"
import { Effect, Option, type Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as CarrierCall from "../call/CarrierCall.ts"
import * as TelnyxApi from "./TelnyxApi.ts"

export interface Credentials {
  /** `KEY…`. */
  readonly apiKey: Redacted.Redacted
  /** The id of the Call Control application (Voice API application) that places the calls. It needs an outbound voice profile. */
  readonly connectionId: string
  /** Default: `https://api.telnyx.com`. */
  readonly apiUrl?: string | undefined
}

export interface Account {
  /** The Call Control application; none when it does not exist. */
  readonly application: Option.Option<TelnyxApi.Application>
  /** Its outbound voice profile; none when it has none. */
  readonly profile: Option.Option<TelnyxApi.Profile>
  /** What the account may still spend, in its currency; none when the key may not see it. */
  readonly credit: Option.Option<number>
  /** How far our clock is ahead of Telnyx's, in milliseconds, give or take a second; none if Telnyx does not say. */
  readonly clockAhead: number | undefined
}

/** The API with these credentials. */
export const apiOf = ({ apiKey, apiUrl = "https://api.telnyx.com", connectionId }: Credentials) =>
  TelnyxApi.make({ apiKey, apiUrl, connectionId })

export const get = (credentials: Credentials): Effect.Effect<Account, TelnyxApi.TelnyxUnreachable> =>
  Effect.gen(function*() {
    const api = yield* apiOf(credentials)
    const application = yield* api.application
    const profileId = Option.getOrUndefined(application)?.outbound?.outbound_voice_profile_id ?? undefined
    return {
      application,
      profile: profileId === undefined ? Option.none() : yield* api.profile(profileId),
      credit: yield* api.credit,
      clockAhead: yield* api.clockAhead
    }
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** Those of the numbers that calls may not show: they are neither the account's nor verified by it. */
export const unusableCallerIds = (
  credentials: Credentials,
  numbers: ReadonlyArray<PhoneNumber.PhoneNumber>
): Effect.Effect<ReadonlyArray<PhoneNumber.PhoneNumber>, TelnyxApi.TelnyxUnreachable> =>
  Effect.flatMap(apiOf(credentials), ({ isCallerId }) => CarrierCall.unusable(numbers, isCallerId)).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
