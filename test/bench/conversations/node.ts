/**
 * A node of the engine in a process of its own that holds conversations over WebSockets, with an agent that answers at once, or with the
 * agent of the language model whose address it is given.
 */
import { AiSdkModel, ModelAgent } from "@outdial/ai"
import { Conversations, Engine, TextAgent } from "@outdial/core"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { WebSocketServer } from "@effect/platform-node/NodeWS"
import { Effect, Layer, Logger, Queue, Stream } from "effect"
import { once } from "node:events"
import { modelOf } from "../../support/model/RealClient.ts"
import * as Stack from "../Stack.ts"
import * as FirstPieces from "./FirstPieces.ts"
import { answer, opening } from "./Frames.ts"
import * as SocketTelephony from "./SocketTelephony.ts"

export interface Request {
  readonly task: "port" | "pid" | "answered" | "ended" | "memory" | "cpu" | "with-lines" | "without-lines"
}

const [, , url = "", modelUrl] = process.argv

const pieces = FirstPieces.makeUnsafe()

const telephony = SocketTelephony.makeUnsafe({ sincePiece: pieces.since })

const immediate = Layer.succeed(TextAgent.TextAgent, {
  open: () =>
    Effect.succeed({
      reply: (input) => Stream.make({ _tag: "Say", text: input._tag === "Opening" ? opening : answer }),
      heard: () => Effect.void
    })
})

const textAgent = modelUrl === undefined
  ? immediate
  : Layer.orDie(ModelAgent.layer({ models: { test: AiSdkModel.layer(pieces.noting(modelOf({ url: modelUrl }))) } }))

/** Bytes. What was freed goes back to the system only in the second round. */
const memory = () => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().rss
}

const program = Effect.gen(function*() {
  const requests = yield* Queue.unbounded<Request>()
  process.on("message", (request: Request) => Queue.offerUnsafe(requests, request))
  // The parent has ended.
  process.on("disconnect", () => process.exit())
  const conversations = yield* Conversations.Conversations
  const { run } = yield* Engine.Engine
  const context = yield* Effect.context()
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })
  yield* Effect.promise(() => once(server, "listening"))
  server.on("connection", (socket, { url = "" }) => {
    Effect.runForkWith(context)(telephony.converse(conversations, socket, url.slice(1)))
  })
  yield* Effect.forkChild(run)
  const address = server.address()
  const answerTo = ({ task }: Request): unknown => {
    switch (task) {
      case "port":
        return typeof address === "object" && address !== null ? address.port : 0
      case "pid":
        return process.pid
      case "answered":
        return telephony.answered()
      case "ended":
        return telephony.ended()
      case "memory":
        return memory()
      case "cpu": {
        const { system, user } = process.cpuUsage()
        return (system + user) / 1000
      }
      case "with-lines":
      case "without-lines":
        telephony.setLines(task === "with-lines")
        return true
    }
  }
  process.send?.({ value: "ready" })
  while (true) {
    process.send?.({ value: answerTo(yield* Queue.take(requests)) })
  }
})

const engine = Stack.layer({ url, telephony: telephony.layer })

/** Beside those of the engine, whose agent is the scripted one. */
const conversations = Layer.provide(Layer.fresh(Engine.layerConversations), textAgent)

program.pipe(
  Effect.scoped,
  Effect.provide(Layer.provideMerge(conversations, engine)),
  Effect.provide([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])]),
  NodeRuntime.runMain
)
