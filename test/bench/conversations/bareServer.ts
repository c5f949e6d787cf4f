/** The least that can answer the lines' frames: a `ws` server without an engine, in a process of its own. */
import { WebSocketServer } from "@effect/platform-node/NodeWS"
import process from "node:process"
import { answer, type FromLine, opening, parsed, type ToLine } from "./Frames.ts"

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })

server.on("connection", (socket) => {
  let utterance = 0
  const speak = (text: string) =>
    socket.send(JSON.stringify({ type: "speak", utterance: ++utterance, text } satisfies ToLine))
  socket.on("message", (data) => {
    if (parsed<FromLine>(data).type === "heard") speak(answer)
  })
  speak(opening)
})

process.on("message", () => {
  const address = server.address()
  process.send?.({ value: typeof address === "object" && address !== null ? address.port : 0 })
})
// The parent has ended.
process.on("disconnect", () => process.exit())
server.once("listening", () => process.send?.({ value: "ready" }))
