import { createServer, type RequestListener } from "node:http"
import { Readable } from "node:stream"
import { handle } from "./handle.ts"
import * as Express from "./express.ts"
import * as Fastify from "./fastify.ts"
import * as Hono from "./hono.ts"
import * as NextRoute from "./next/app/webhooks/outdial/route.ts"

/** The receivers, each on a free port of this machine. */
export const receivers = {
  express: (secret: string) => listen(Express.makeApp(secret, handle)),
  fastify: async (secret: string) => {
    const app = Fastify.makeApp(secret, handle)
    return { url: `${await app.listen()}/webhooks`, close: () => app.close() }
  },
  hono: (secret: string) => listen(asListener(Hono.makeApp(secret, handle).fetch)),
  // Next is not installed here. Like Next, this calls the route handler with a web-standard request.
  next: (secret: string) => {
    process.env["OUTDIAL_WEBHOOK_SECRET"] = secret
    return listen(asListener(NextRoute.POST))
  }
}

const listen = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    close: async () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Serves a web-standard handler over `node:http`, as the Node servers of Next and Hono do. */
const asListener =
  (handler: (request: Request) => Response | Promise<Response>): RequestListener => async (incoming, outgoing) => {
    const { host, ...headers } = incoming.headers
    const body = Readable.toWeb(incoming)
    const sent = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
    const url = `http://${host}${incoming.url}`
    const response = await handler(new Request(url, { method: "POST", headers: sent, body, duplex: "half" }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }
