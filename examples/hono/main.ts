import { Outdial } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { makeApp } from "./app.ts"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
})
const app = makeApp(await WebHandler.over(engine, { basePath: "/api" }))

const { secret } = await engine.keys.create({ name: "example", scopes: ["calls:read"] })
const response = await app.request("/api/v1/agents", {
  headers: { "x-api-key": secret }
})
console.log(response.status, await response.text()) // 200 {"object":"list","data":[{"id":…
