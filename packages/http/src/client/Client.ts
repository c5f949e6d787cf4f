/**
 * The client for programs that use Effect, derived from the contract: it encodes requests and decodes responses with the
 * server's schemas, and fails with an `ApiError` with the codes that the endpoint declares. It does not retry; use
 * `transformClient` for that. Rows of a batch are in wire names: see `BatchRowWire`.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient, HttpApiMiddleware } from "effect/http-api"
import { Api } from "../Api.ts"
import { Authorization } from "../access/Authorization.ts"

export interface Options {
  /** The service's root, such as `https://calls.example.com`; the paths of the interface are added to it. */
  readonly baseUrl: string | URL
  readonly apiKey: Redacted.Redacted
  /** Wraps the HTTP client, for example with `HttpClient.retryTransient`. */
  readonly transformClient?: (client: HttpClient.HttpClient) => HttpClient.HttpClient
}

/** A client of the service at `baseUrl`, over the `HttpClient` of the context. */
export const make = (
  { apiKey, ...options }: Options
): Effect.Effect<HttpApiClient.ForApi<typeof Api>, never, HttpClient.HttpClient> =>
  Effect.provide(
    HttpApiClient.make(Api, options),
    HttpApiMiddleware.layerClient(
      Authorization,
      // Unlike a custom header, this one is not sent to another host when a redirect is followed.
      ({ next, request }) => next(HttpClientRequest.bearerToken(request, apiKey))
    )
  )

/** The client as a service. */
export class Client extends Context.Service<Client, HttpApiClient.ForApi<typeof Api>>()("@outdial/http/client/Client") {
  static readonly layer = (options: Options): Layer.Layer<Client, never, HttpClient.HttpClient> =>
    Layer.effect(Client, make(options))
}
