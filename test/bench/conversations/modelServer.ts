/** The model server of the tests in a process of its own. Answers a request with its address. */
import process from "node:process"
import * as ModelServer from "../../support/model/ModelServer.ts"
import { answer, pieceLength } from "./Model.ts"

const { server } = await ModelServer.start({ reply: () => ({ text: answer, pieceLength }) })

process.on("message", () => process.send?.({ value: server.url }))
// The parent has ended.
process.on("disconnect", () => process.exit())
process.send?.({ value: "ready" })
