/**
 * A carrier outside of all nodes, in the test's process: its phones ring over HTTP, and its contacts talk over WebSockets that it opens to
 * one node after the other. It notes what rang and what was said, which is the truth that a test compares records with.
 */
import type { Conversation, SimulatedContact } from "@outdial/core"
import { Effect, FiberSet, Schedule, Stream } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import * as SimulatedLine from "../../../packages/core/src/simulator/SimulatedLine.ts"
import { type Dial, type LineCommand, name, type Report } from "./Frames.ts"

/** Who has a number. */
export interface Callee {
  /** How the call ends without an answer. Default: it is answered. */
  readonly unanswered?: "busy" | "no_answer"
  readonly contact: SimulatedContact.Contact
  /** Whether a line that loses its node comes to another one. Otherwise the call ends. */
  readonly moves: boolean
}

export interface Options {
  readonly calleeOf: (phoneNumber: string) => Callee
  /** Divides the times of speech. */
  readonly speed: number
}

/** Where requests and lines of the carrier go. */
export interface Node {
  readonly name: string
  readonly port: number
}

/** A turn, when its last word was sent to a node, in epoch milliseconds. */
export interface Said {
  readonly speaker: "agent" | "contact"
  readonly text: string
  readonly at: number
  readonly node: string
}

/** A line's connection to a node. */
interface Connection {
  readonly node: string
  readonly socket: WebSocket
  /** What the node was speaking: by the line's number of it, its own number and the words. */
  readonly utterances: Map<number, { readonly id: number; readonly text: string }>
  /** The node has begun or continued the conversation. */
  isHeld: boolean
  /** What the node has told the line after it moved away. */
  readonly afterwards: Array<LineCommand>
  closedAt?: number
}

export interface Call extends Dial {
  readonly callee: Callee
  readonly said: Array<Said>
  readonly connections: Array<Connection>
  connection?: Connection
  line?: SimulatedLine.SimulatedLine
  answeredAt?: number
  end?: Extract<Report, { readonly _tag: "Ended" }>
}

export interface Carrier {
  readonly url: string
  /** Every ring, in order; a call may ring twice only through a fault. */
  readonly rings: ReadonlyArray<{ readonly callId: string; readonly phoneNumber: string }>
  readonly calls: () => ReadonlyArray<Call>
  readonly add: (node: Node) => void
  /** The node does not react any more. Its lines go elsewhere, and their connections to it stay open; those that cannot move end. */
  readonly abandon: (node: string) => void
}

/** How long a phone rings, in milliseconds. */
const ringing = 300

/** A line that lost more nodes than this is given up. */
const mostConnections = 20

export const make = Effect.fnUntraced(function*({ calleeOf, speed }: Options) {
  const run = yield* FiberSet.makeRuntime<never>()
  const calls = new Map<string, Call>()
  const rings: Array<{ readonly callId: string; readonly phoneNumber: string }> = []
  let nodes: ReadonlyArray<Node> = []
  let turn = 0
  const nextNode = () => nodes[turn++ % nodes.length]

  /** Until one of the nodes has taken it, each in its turn. */
  const report = ({ reportToken }: Call, event: Report) =>
    Effect.tryPromise(async () => {
      const response = await fetch(`http://127.0.0.1:${nextNode()?.port}/carriers/${name}/report/${reportToken}`, {
        method: "POST",
        body: JSON.stringify(event),
        signal: AbortSignal.timeout(3_000)
      })
      if (!response.ok) throw new Error(`The node answers ${response.status}`)
      return response.text()
    }).pipe(Effect.retry({ schedule: Schedule.spaced("200 millis"), times: 300 }), Effect.orDie)

  const end = (call: Call, result: "busy" | "hung_up" | "no_answer") => {
    call.end = {
      _tag: "Ended",
      at: Date.now(),
      result,
      ...(call.answeredAt !== undefined && { answeredAt: call.answeredAt }),
      recorded: false
    }
    return Effect.asVoid(report(call, call.end))
  }

  /** Runs a call from its first ring to its end. */
  const follow = Effect.fnUntraced(function*(call: Call) {
    yield* Effect.sleep(ringing)
    const { callee: { contact, unanswered } } = call
    if (unanswered !== undefined) return yield* end(call, unanswered)
    call.answeredAt = Date.now()
    const instruction = yield* report(call, { _tag: "Answered", at: call.answeredAt, by: "human" })
    if (instruction === "hang_up") return yield* end(call, "hung_up")
    const line = yield* SimulatedLine.make({ contact, speed })
    call.line = line
    yield* Effect.forkScoped(Stream.runForEach(line.line.events, (event) => Effect.sync(() => send(call, event))))
    connect(call)
    yield* line.closed
    call.connection?.socket.close()
    yield* end(call, "hung_up")
  }, Effect.scoped)

  /** Sends what has happened on the line to its node. While it has none, nobody hears it. */
  const send = (call: Call, event: Conversation.LineEvent) => {
    const { connection } = call
    if (connection?.socket.readyState !== WebSocket.OPEN) return
    const { node, socket, utterances } = connection
    const note = (speaker: Said["speaker"], text: string) => call.said.push({ speaker, text, at: Date.now(), node })
    if (event._tag === "Played" || event._tag === "Stopped") {
      const utterance = utterances.get(event.utterance)
      // Words of the node before.
      if (utterance === undefined) return
      if (event._tag === "Played") note("agent", utterance.text)
      utterances.delete(event.utterance)
      return socket.send(JSON.stringify({ ...event, utterance: utterance.id }))
    }
    if (event._tag === "Heard" && event.isFinal) note("contact", event.text)
    return socket.send(JSON.stringify(event))
  }

  let utterances = 0

  const receive = (call: Call, connection: Connection, command: LineCommand) => {
    const { line } = call
    if (line === undefined) return
    connection.isHeld = true
    if (connection !== call.connection) return void connection.afterwards.push(command)
    switch (command.type) {
      case "resumed":
        return
      case "speak": {
        const id = ++utterances
        connection.utterances.set(id, command)
        return Effect.runSync(line.line.speak({ id, text: command.text, interruptible: true }))
      }
      case "stop":
        return Effect.runSync(line.line.stopSpeaking)
      case "hang_up":
        return Effect.runSync(line.close)
    }
  }

  const isOver = ({ connections, end }: Call) => end !== undefined || connections.length > mostConnections

  /** Opens the line to the next node. */
  const connect = (call: Call): void => {
    const node = nextNode()
    const { connections, line, lineToken } = call
    if (isOver(call) || node === undefined) return line && Effect.runSync(line.close)
    const socket = new WebSocket(`ws://127.0.0.1:${node.port}/carriers/${name}/line/${lineToken}`)
    const connection: Connection = { node: node.name, socket, utterances: new Map(), isHeld: false, afterwards: [] }
    connections.push(connection)
    call.connection = connection
    socket.addEventListener("open", () => socket.send("setup"))
    socket.addEventListener("message", ({ data }) => receive(call, connection, JSON.parse(String(data))))
    socket.addEventListener("error", () => {})
    socket.addEventListener("close", () => {
      connection.closedAt = Date.now()
      if (connection === call.connection) leave(call, connection)
    })
  }

  /** The line has lost its node: what the agent was saying is cut off. */
  const leave = (call: Call, { socket, utterances }: Connection) => {
    const { callee, line } = call
    delete call.connection
    if (socket.readyState === WebSocket.CONNECTING) socket.close()
    if (line === undefined || isOver(call)) return
    if (!callee.moves) {
      socket.close()
      return Effect.runSync(line.close)
    }
    if (utterances.size > 0) Effect.runSync(line.line.stopSpeaking)
    setTimeout(() => connect(call), 50)
  }

  const dialed = async (request: IncomingMessage, response: ServerResponse) => {
    const dial = await json(request) as Dial
    const { callId, phoneNumber } = dial
    rings.push({ callId, phoneNumber })
    const call: Call = { ...dial, callee: calleeOf(phoneNumber), said: [], connections: [] }
    if (!calls.has(callId)) {
      calls.set(callId, call)
      run(follow(call))
    }
    response.end(`line-${callId}`)
  }

  const server = yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((request, response) => {
        if (request.method === "POST") return void dialed(request, response)
        const call = calls.get(request.url?.split("/").at(-1) ?? "")
        if (call === undefined) return response.writeHead(404).end()
        if (request.method === "DELETE" && call.line !== undefined) Effect.runSync(call.line.close)
        return call.end === undefined ? response.writeHead(204).end() : response.end(JSON.stringify(call.end))
      }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        for (const { connections } of calls.values()) for (const { socket } of connections) socket.close()
        server.closeAllConnections()
        server.close()
      })
  )
  const carrier: Carrier = {
    // A server that listens on a port has such an address.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rings,
    calls: () => [...calls.values()],
    add: (node) => {
      nodes = [...nodes, node]
    },
    abandon: (abandoned) => {
      nodes = nodes.filter(({ name }) => name !== abandoned)
      for (const call of calls.values()) {
        if (call.connection?.node === abandoned) leave(call, call.connection)
      }
    }
  }
  return carrier
})
