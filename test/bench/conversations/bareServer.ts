/**
 * The least that can answer the lines' frames: a `ws` server without an engine, in a process of its own. With the address of a model as its
 * argument it answers with the stream of the AI SDK's client: the first piece at once, and then the rest.
 */
import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { WebSocketServer } from "@effect/platform-node/NodeWS"
import process from "node:process"
import { modelOf } from "../../support/model/RealClient.ts"
import * as FirstPieces from "./FirstPieces.ts"
import { answer, type FromLine, opening, parsed, type ToLine } from "./Frames.ts"
import { instructions, tools } from "./Model.ts"

const [, , url] = process.argv
const pieces = FirstPieces.makeUnsafe()
const model = url === undefined ? undefined : pieces.noting(modelOf({ url }))

const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })

server.on("connection", (socket) => {
  let utterance = 0
  const speak = (text: string, sincePiece?: number) => {
    const frame: ToLine = {
      type: "speak",
      utterance: ++utterance,
      text,
      ...(sincePiece !== undefined && { sincePiece })
    }
    socket.send(JSON.stringify(frame))
  }
  const messages: Array<LanguageModelV4Message> = [
    { role: "system", content: instructions },
    { role: "assistant", content: [{ type: "text", text: opening }] }
  ]
  const think = async (text: string, asked: NonNullable<typeof model>) => {
    messages.push({ role: "user", content: [{ type: "text", text }] })
    const { stream } = await asked.doStream({ prompt: messages, tools: [...tools] })
    let said = ""
    let spoken = 0
    for await (const part of stream) {
      if (part.type !== "text-delta") continue
      said += part.delta
      if (spoken > 0) continue
      speak(said, pieces.since(text))
      spoken = said.length
    }
    speak(said.slice(spoken))
    messages.push({ role: "assistant", content: [{ type: "text", text: said }] })
  }
  socket.on("message", (data) => {
    const frame = parsed<FromLine>(data)
    if (frame.type !== "heard") return
    if (model === undefined) speak(answer)
    else void think(frame.text, model)
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
