import { Outdial } from "@outdial/core"
import { NodeHandler, ProtocolErrors } from "@outdial/node"
import { createServer } from "node:http"
import { makeApp } from "./app.ts"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
})
const app = makeApp(await NodeHandler.over(engine, { basePath: "/api" }))
// Protocol errors have Outdial's format and follow the answers to requests in flight.
const server = ProtocolErrors.handle(createServer({ requireHostHeader: false, connectionsCheckingInterval: 1000 }, app))
server.listen(0)
await new Promise((resolve) => server.once("listening", resolve))

const { secret } = await engine.keys.create({ name: "example", scopes: ["calls:read"] })
const address = server.address()
const port = typeof address === "object" && address !== null ? address.port : 0
const response = await fetch(`http://127.0.0.1:${port}/api/v1/agents`, {
  headers: { "x-api-key": secret }
})
console.log(response.status, await response.text()) // 200 {"object":"list","data":[{"id":…
server.closeAllConnections()
server.close()
