/** A node of the engine in a process of its own that calls over the Twilio whose address it is given, with an agent that answers at once. */
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Engine, PhoneNumber, Telephony, TextAgent } from "@outdial/core"
import { NodeHandler } from "@outdial/node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer, Logger, Queue, Redacted, Stream } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import process from "node:process"
import { answer, opening } from "../conversations/Frames.ts"
import * as Stack from "../Stack.ts"
import { accountSid, authToken, now } from "./Signing.ts"

const [, , url = "", apiUrl = ""] = process.argv

const server = createServer().listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
const port = typeof address === "object" && address !== null ? address.port : 0

/** When the dial of each number was asked for: its fence is passed, and nothing sent. */
const dials: Array<readonly [phoneNumber: string, at: number]> = []

const timed = Layer.effect(
  Telephony.Telephony,
  Effect.map(Telephony.Telephony, (twilio) => ({
    ...twilio,
    dial: (request: Telephony.DialRequest) => {
      dials.push([request.phoneNumber, now()])
      return twilio.dial(request)
    }
  }))
)

const telephony = Layer.provide(
  timed,
  TwilioTelephony.layer({
    accountSid,
    authToken: Redacted.make(authToken),
    apiUrl,
    publicUrl: `http://127.0.0.1:${port}`,
    callerId: PhoneNumber.PhoneNumber.make("+14155550100"),
    callsPerSecond: 10_000
  })
)

const textAgent = Layer.succeed(TextAgent.TextAgent, {
  open: () =>
    Effect.succeed({
      reply: (input) => Stream.make({ _tag: "Say", text: input._tag === "Opening" ? opening : answer }),
      heard: () => Effect.void
    })
})

const program = Effect.gen(function*() {
  const requests = yield* Queue.unbounded<unknown>()
  process.on("message", (request) => Queue.offerUnsafe(requests, request))
  // The parent has ended.
  process.on("disconnect", () => process.exit())
  const handler = yield* NodeHandler
  server.on("request", handler).on("upgrade", handler.upgrade)
  const { run } = yield* Engine.Engine
  yield* Effect.forkChild(run)
  process.send?.({ value: "ready" })
  while (true) {
    yield* Queue.take(requests)
    process.send?.({ value: dials.splice(0) })
  }
})

program.pipe(
  Effect.scoped,
  Effect.provide(NodeHandler.layer.pipe(Layer.provideMerge(Stack.layer({ url, telephony, textAgent })))),
  Effect.provide([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])]),
  NodeRuntime.runMain
)
