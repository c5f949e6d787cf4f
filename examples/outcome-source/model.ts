/** A fake language model: accepts chat requests and answers in the requested JSON schema. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

interface Asked {
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly response_format: {
    readonly json_schema: {
      readonly schema: {
        readonly properties: {
          readonly disposition: { readonly enum: ReadonlyArray<string> }
          readonly answers: { readonly properties: object }
        }
      }
    }
  }
}

/** Starts it on a free port. `/fails` answers with errors, and `/hangs` never answers. */
export const startModel = async () => {
  const server = createServer(async (request, response) => {
    if (request.url === "/hangs") return
    if (request.url === "/fails") return response.writeHead(500).end()
    // The source under test sends requests of this shape.
    const { messages, response_format: { json_schema: { schema } } } = await json(request) as Asked
    const { answers, disposition } = schema.properties
    const heard = messages.at(-1)?.content ?? ""
    const said = heard.split("\n").flatMap((line) => {
      const [, turn, quote] = /^(\d+) contact: (.*)$/.exec(line) ?? []
      return turn === undefined ? [] : [{ answer: "Yes", quote, turn: Number(turn) }]
    }).at(-1)
    const content = {
      disposition: disposition.enum[0],
      summary: `${heard.split("\n").length} turns were exchanged.`,
      answers: Object.fromEntries(
        Object.keys(answers.properties).flatMap((question) => said === undefined ? [] : [[question, said]])
      ),
      leadRating: 8,
      callbackRequested: heard.includes("again"),
      doNotCall: false
    }
    return response.end(JSON.stringify({ choices: [{ message: { content: JSON.stringify(content) } }] }))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    // A server that listens on a port has an AddressInfo.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
