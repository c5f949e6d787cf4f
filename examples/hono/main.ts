import { ApiKeys, Ids, Outdial } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { Effect, Redacted } from "effect"
import { makeApp } from "./app.ts"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
})
const app = makeApp(await WebHandler.over(engine, { basePath: "/api" }))

const { secret } = await Effect.runPromise(
  Effect.flatMap(
    ApiKeys.ApiKeys,
    (keys) => keys.create(Ids.AccountId.make(engine.accountId), { name: "example", scopes: ["calls:read"] })
  ).pipe(Effect.provideContext(engine.services))
)
const response = await app.request("/api/v1/agents", {
  headers: { "x-api-key": Redacted.value(secret) }
})
console.log(response.status, await response.text()) // 200 {"object":"list","data":[{"id":…
