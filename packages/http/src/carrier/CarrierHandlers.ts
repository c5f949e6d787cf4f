/**
 * Serves the callbacks and WebSockets of the engine's carriers below `/carriers/NAME`, without an API key: each route checks signature and
 * token itself. Bodies are bounded, and a refusal says nothing about its cause.
 */
import { CarrierRoutes, type Ids, Limits, type Storage } from "@outdial/core"
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as ApiErrors from "../edge/ApiErrors.ts"
import { readBytes } from "../edge/RequestBody.ts"
import * as CarrierSocket from "./CarrierSocket.ts"

/** All routes of the carriers of the context. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const carriers = yield* CarrierRoutes.CarrierRoutes
  for (const { callbacks, carrier, sockets } of carriers.routes) {
    for (const callback of callbacks) {
      const path = pathOf(carrier, callback)
      yield* router.add(callback.method, `${path}/*`, answer(callback, path))
    }
    for (const socket of sockets) {
      const path = pathOf(carrier, socket)
      yield* router.add("GET", `${path}/*`, upgrade(carriers, socket, path))
    }
  }
}))

const pathOf = (carrier: Ids.CarrierName, { path }: { readonly path: `/${string}` }) =>
  `/carriers/${encodeURIComponent(carrier)}${path}` as const

const answer = (callback: CarrierRoutes.Callback, path: string) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = new Uint8Array(yield* readBytes(Limits.bodyBytes))
    const answer = yield* callback.handle({ ...handshakeOf(request, path), method: request.method, body })
    if (answer.body === undefined) return HttpServerResponse.empty({ status: answer.status })
    return HttpServerResponse.text(answer.body, {
      status: answer.status,
      contentType: answer.contentType ?? "text/plain; charset=utf-8"
    })
  }).pipe(Effect.catch(respond))

const upgrade = (carriers: CarrierRoutes.CarrierRoutes["Service"], route: CarrierRoutes.SocketRoute, path: string) =>
  Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    const handler = yield* route.accept(handshakeOf(request, path))
    if (yield* carriers.isClosing) return yield* ApiErrors.respond(ApiErrors.unavailable)
    return yield* request.upgrade.pipe(
      Effect.flatMap((socket) => CarrierSocket.serve(socket, { ...carriers, handler })),
      Effect.as(upgraded),
      // The platform has no sockets, or the handshake failed.
      Effect.catch(() => Effect.succeed(upgradeRequired))
    )
  }).pipe(Effect.catch(respond))

const handshakeOf = (request: HttpServerRequest.HttpServerRequest, route: string): CarrierRoutes.Handshake => {
  const [path = ""] = request.url.split("?")
  const rest = path.slice(route.length).split("/").filter((segment) => segment !== "").map(decoded)
  return { url: request.url, rest, headers: request.headers }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Bodies without a request id: that of a refusal is the same for every cause. */
const failed = (status: number, code: string, message: string) =>
  HttpServerResponse.text(JSON.stringify({ error: { code, message } }), { status, contentType: "application/json" })

const refusals = {
  forbidden: failed(403, "forbidden", "The signature or the token of the request is missing or wrong"),
  malformed: failed(400, "invalid_request", "The request could not be understood")
}

const upgraded = HttpServerResponse.empty({ status: 101 })

const upgradeRequired = HttpServerResponse.setHeader(
  failed(426, "upgrade_required", "This is a WebSocket; it needs the server of Outdial, or the upgrade of NodeHandler"),
  "upgrade",
  "websocket"
)

const respond = (error: ApiErrors.ApiError | CarrierRoutes.Refused | Storage.StorageError) => {
  if (error instanceof ApiErrors.ApiError) return ApiErrors.respond(error)
  switch (error._tag) {
    case "CarrierRequestRefused":
      return Effect.succeed(refusals[error.reason])
    case "StorageError":
      return Effect.andThen(
        Effect.logWarning("A callback of the carrier could not be stored; the carrier sends it again", error),
        ApiErrors.respond(ApiErrors.unavailable)
      )
    default:
      return error satisfies never
  }
}
