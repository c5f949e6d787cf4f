import { Outdial } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { Hono } from "hono"
import { getCookie } from "hono/cookie"

await using engine = await Outdial.open({
  agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
})

/** The host's users by session. Each clinic of the host has its own account in Outdial. */
const sessions = new Map([["session-of-grace", { userId: "grace", accountId: engine.accountId, mayCall: true }]])

const outdial = await WebHandler.over(engine, {
  basePath: "/calling",
  requestsPerMinute: 100, // per user
  authenticate: (request) => {
    const id = /(?:^|; )session=([^;]+)/.exec(request.headers.get("cookie") ?? "")?.[1]
    const session = sessions.get(id ?? "")
    if (session === undefined) return undefined
    return {
      accountId: session.accountId,
      principal: session.userId,
      scopes: session.mayCall ? ["calls:read", "calls:write"] : ["calls:read"]
    }
  }
})

const app = new Hono()
app.get("/", (context) => context.text(`Hello ${getCookie(context, "session") ?? "stranger"}`))
app.all("/calling/*", (context) => outdial(context.req.raw))

const ask = (cookie: string) => app.request("/calling/v1/agents", { headers: { cookie } })
console.log((await ask("session=session-of-grace")).status, (await ask("session=unknown")).status) // 200 401
