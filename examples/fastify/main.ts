import { Outdial } from "@outdial/core"
import { NodeHandler } from "@outdial/node"
import { makeApp } from "./app.ts"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
})
const app = makeApp(await NodeHandler.over(engine, { basePath: "/api" }))
const address = await app.listen()

const { secret } = await engine.keys.create({ name: "example", scopes: ["calls:read"] })
const response = await fetch(`${address}/api/v1/agents`, {
  headers: { "x-api-key": secret }
})
console.log(response.status, await response.text()) // 200 {"object":"list","data":[{"id":…
await app.close()
