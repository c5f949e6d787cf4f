/** The account at Twilio, as far as it decides whether calls are placed. Nothing here places one. */
import type { PhoneNumber } from "@outdial/core"
import { Effect, type Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import * as CarrierCall from "../call/CarrierCall.ts"
import * as TwilioApi from "./TwilioApi.ts"

export interface Credentials {
  /** `AC…`. */
  readonly accountSid: string
  /** It also verifies callbacks, which an API key cannot. */
  readonly authToken: Redacted.Redacted
  /** Used for requests in place of the auth token. */
  readonly apiKey?: { readonly sid: string; readonly secret: Redacted.Redacted } | undefined
  /** Default: `https://api.twilio.com`. */
  readonly apiUrl?: string | undefined
}

/** The API with these credentials. */
export const apiOf = ({ accountSid, apiKey, apiUrl = "https://api.twilio.com", authToken }: Credentials) =>
  TwilioApi.make({ accountSid, user: apiKey?.sid ?? accountSid, password: apiKey?.secret ?? authToken, apiUrl })

export const get = (credentials: Credentials): Effect.Effect<TwilioApi.Account, TwilioApi.TwilioUnreachable> =>
  Effect.flatMap(apiOf(credentials), (api) => api.account).pipe(Effect.provide(FetchHttpClient.layer))

/** Those of the numbers that calls may not show: they are neither the account's nor verified by it. */
export const unusableCallerIds = (
  credentials: Credentials,
  numbers: ReadonlyArray<PhoneNumber.PhoneNumber>
): Effect.Effect<ReadonlyArray<PhoneNumber.PhoneNumber>, TwilioApi.TwilioUnreachable> =>
  Effect.flatMap(apiOf(credentials), ({ isCallerId }) => CarrierCall.unusable(numbers, isCallerId)).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
