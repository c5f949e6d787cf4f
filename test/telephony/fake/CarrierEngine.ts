/** Engines that call over a fake carrier: real HTTP and real sockets between the two, and the engine's own conversations. */
import { Outdial, PhoneNumber, type Recordings, type Telephony, type TextAgent, type VoiceAgent } from "@outdial/core"
import { NodeHandler } from "@outdial/node"
import { Effect, type Layer, Schedule } from "effect"
import { createServer } from "node:http"
import * as FreePort from "./FreePort.ts"

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
  const port = yield* FreePort.listen(server)
  return {
    port,
    serve: (by: NodeHandler["Service"]) => {
      handler = by
    }
  }
})

export interface Options {
  /** Default: the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent.TextAgent>
  /** Default: none; calls that exchange sound are refused. */
  readonly voiceAgent?: Layer.Layer<VoiceAgent.VoiceAgent, never, TextAgent.TextAgent>
  /** Where the agent may transfer calls to. Default: nowhere. */
  readonly transferNumbers?: ReadonlyArray<{ readonly name: string; readonly number: string }>
  /** Default: in memory. */
  readonly recordings?: Layer.Layer<Recordings.Recordings>
}

type Carrier = Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>

/** An engine on a server, with an agent; it calls at all hours. The carrier is given the server's address. */
export const openWith = Effect.fnUntraced(function*<E, R>(
  telephonyOf: (publicUrl: string) => Effect.Effect<Carrier, E, R>,
  { recordings, textAgent, transferNumbers = [], voiceAgent }: Options = {}
) {
  const { port, serve } = yield* listening
  const publicUrl = `http://127.0.0.1:${port}`
  const telephony = yield* telephonyOf(publicUrl)
  const engine = yield* Effect.acquireRelease(
    Effect.promise(() =>
      Outdial.open({
        agents: [{ ...agent, transferNumbers }],
        policy: { callingHours: null },
        telephony,
        ...(recordings !== undefined && { recordings }),
        ...(textAgent !== undefined && { textAgent }),
        ...(voiceAgent !== undefined && { voiceAgent })
      })
    ),
    (engine) => Effect.promise(() => engine.close())
  )
  serve(yield* Effect.promise(() => NodeHandler.over(engine)))
  const [ada] = yield* Effect.promise(() => engine.agents.list())
  return { engine, publicUrl, agentId: ada?.id ?? "" }
})

export const open = (telephonyOf: (publicUrl: string) => Carrier, options?: Options) =>
  openWith((publicUrl) => Effect.succeed(telephonyOf(publicUrl)), options)

type Host = Effect.Success<ReturnType<typeof open>>

/** Starts a call. */
export const start = ({ agentId, engine }: Host, phoneNumber: string) =>
  Effect.promise(() => engine.calls.start({ agentId, phoneNumber, contact: { name: "Grace" } }))

/** The call once it has ended and its outcome is made. */
export const ended = ({ engine }: Host, id: string) =>
  Effect.promise(() => engine.calls.get(id)).pipe(
    Effect.filterOrFail(
      ({ outcome, status }) =>
        !["queued", "dialing", "in_progress"].includes(status) && (status !== "completed" || outcome !== null),
      ({ status }) => `${id} is ${status}`
    ),
    Effect.retry({ times: 5_000, schedule: Schedule.spaced("20 millis") })
  )

/** Words without their times, to compare what was said with a transcript. */
export const wordsOf = ({ speaker, text }: { readonly speaker: string; readonly text: string }) => ({ speaker, text })

/** What it returns once it returns something. */
export const eventually = <A>(find: () => A | undefined) =>
  Effect.sync(find).pipe(
    Effect.repeat({ until: (found) => found !== undefined, times: 10_000, schedule: Schedule.spaced("10 millis") }),
    Effect.map((found) => {
      if (found === undefined) throw new Error("It did not happen in time")
      return found
    })
  )

/** Node's WebSocket takes headers, which browsers' do not. */
const Socket = WebSocket as unknown as new(
  url: string,
  options: { readonly headers: Record<string, string> }
) => WebSocket

/** Opens a socket, sends these frames, and returns the code with which it is closed. */
export const closedWith = (url: string, headers: Record<string, string>, ...frames: ReadonlyArray<unknown>) =>
  Effect.callback<number>((resume) => {
    const socket = new Socket(url, { headers })
    socket.addEventListener("open", () => frames.forEach((frame) => socket.send(JSON.stringify(frame))))
    socket.addEventListener("close", ({ code }) => resume(Effect.succeed(code)))
  })
