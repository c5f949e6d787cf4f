/** A node of the engine in a process of its own: the API over HTTP, and the loops on request. */
import { Engine, type Ids } from "@outdial/core"
import { Routes } from "@outdial/http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Fiber, Logger, Queue, Tracer } from "effect"
import { HttpServer } from "effect/http"
import { createServer } from "node:http"
import * as Latency from "./Latency.ts"
import * as NodeProfile from "./NodeProfile.ts"
import * as Stack from "./Stack.ts"

export type Request =
  | { readonly task: "port" | "run" | "arrived" | "halt" | "memory" | "watch" | "profile" }
  | {
    readonly task: "latency"
    readonly count: number
    readonly accountId: Ids.AccountId
    readonly agentId: Ids.AgentId
  }

const [, , url = ""] = process.argv

const latency = Latency.makeUnsafe()

const profile = NodeProfile.make()

let arrived = 0

const memory = Effect.sync(() => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed + process.memoryUsage().external
})

const program = Effect.gen(function*() {
  const requests = yield* Queue.unbounded<Request>()
  process.on("message", (request: Request) => Queue.offerUnsafe(requests, request))
  // The parent has ended.
  process.on("disconnect", () => process.exit())
  const api = yield* Routes.make
  yield* Routes.serveWithRedactedUrl(api, (httpEffect) => HttpServer.serveEffect(httpEffect))
  const { address } = yield* HttpServer.HttpServer
  const { run } = yield* Engine.Engine
  let running: Fiber.Fiber<never> | undefined
  const answer = Effect.fnUntraced(function*(request: Request) {
    switch (request.task) {
      case "port":
        return address._tag === "UnixPathAddress" ? 0 : address.port
      case "run":
        arrived = 0
        running = yield* Effect.forkChild(run)
        return true
      case "arrived":
        return arrived
      case "halt":
        if (running !== undefined) yield* Fiber.interrupt(running)
        return true
      case "memory":
        return yield* memory
      case "watch":
        return yield* profile.begin
      case "profile":
        return yield* profile.end
      case "latency":
        return yield* Effect.provideService(latency.measured(request), Tracer.Tracer, latency.tracer)
    }
  })
  process.send?.({ value: "ready" })
  while (true) {
    const answered = yield* Effect.result(answer(yield* Queue.take(requests)))
    process.send?.(answered._tag === "Success" ? { value: answered.success } : { error: String(answered.failure) })
  }
})

program.pipe(
  Effect.scoped,
  Effect.provide([
    Stack.layer({ url, onDial: latency.onDial, onArrival: () => arrived++ }),
    NodeHttpServer.layer(() => createServer(), { host: "127.0.0.1", port: 0 })
  ]),
  Effect.provide([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])]),
  NodeRuntime.runMain
)
