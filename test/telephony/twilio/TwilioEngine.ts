/** Engines that call over a fake Twilio: real HTTP and real sockets between the two, and the engine's own conversations. */
import { TwilioTelephony } from "@outdial/carriers/twilio"
import { Outdial, PhoneNumber } from "@outdial/core"
import { NodeHandler } from "@outdial/node"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { Effect, Redacted, Schedule } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export const callerId = PhoneNumber.PhoneNumber.make("+14155550999")

export const agent = {
  name: "Ada",
  script: "Hello, this is Ada about your visit.",
  questions: ["Will you come on Tuesday?"],
  dispositions: ["confirmed", "declined"],
  voicemailMessage: "Please call us back."
}

/** A server on a free port, which answers once the engine is open. */
const listening = Effect.gen(function*() {
  let handler: NodeHandler["Service"] | undefined
  const server = createServer((request, response) => {
    if (handler === undefined) response.writeHead(503).end()
    else handler(request, response)
  })
  server.on("upgrade", (request, socket, head) => handler?.upgrade(request, socket, head))
  const port = yield* Effect.callback<number>((resume) => {
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
  )
  return {
    port,
    serve: (by: NodeHandler["Service"]) => {
      handler = by
    }
  }
})

/** An engine on this port's server, with an agent; it calls at all hours. */
export const open = Effect.gen(function*() {
  const twilio = yield* FakeTwilio.FakeTwilio
  const { port, serve } = yield* listening
  const publicUrl = `http://127.0.0.1:${port}`
  const engine = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Outdial.open({
        agents: [agent],
        policy: { callingHours: null },
        telephony: TwilioTelephony.layer({
          accountSid: twilio.accountSid,
          authToken: Redacted.make(twilio.authToken),
          apiUrl: twilio.url,
          publicUrl,
          callerId,
          callsPerSecond: 1000
        })
      })
    ),
    (engine) => Effect.promise(() => engine.close())
  )
  serve(yield* Effect.promise(() => NodeHandler.over(engine)))
  const [ada] = yield* Effect.promise(() => engine.agents.list())
  return { engine, publicUrl, agentId: ada?.id ?? "" }
})

/** Starts a call. */
export const start = ({ agentId, engine }: Effect.Success<typeof open>, phoneNumber: string) =>
  Effect.promise(() => engine.calls.start({ agentId, phoneNumber, contact: { name: "Grace" } }))

/** The call once it has ended and its outcome is made. */
export const ended = ({ engine }: Effect.Success<typeof open>, id: string) =>
  Effect.promise(() => engine.calls.get(id)).pipe(
    Effect.filterOrFail(
      ({ outcome, status }) =>
        !["queued", "dialing", "in_progress"].includes(status) && (status !== "completed" || outcome !== null),
      ({ status }) => `${id} is ${status}`
    ),
    Effect.retry({ times: 1_000, schedule: Schedule.spaced("20 millis") })
  )
