/**
 * What must run wherever there are web standards: an engine in memory, mounted as a web handler, whose simulated call ends in
 * an event that a receiver verifies. A module of its own, for runtimes that know nothing of this repository; also a worker.
 */
import { Outdial, WebhookTransport } from "@outdial/core"
import { verifyWebhook } from "@outdial/core/webhooks"
import { WebHandler } from "@outdial/http"
import { Effect, Layer, Option } from "effect"

/** The status and body of the start of a call over HTTP, and the types of the events that were verified. */
export const run = async () => {
  let secret = ""
  const verified: Array<unknown> = []
  const transport = Layer.succeed(WebhookTransport.WebhookTransport, {
    send: ({ body, headers }) =>
      Effect.promise(async () => {
        verified.push((await verifyWebhook({ body, headers, secret })).type)
        return { statusCode: 204, retryAfter: Option.none() }
      }),
    refuses: () => Option.none()
  })
  await using engine = await Outdial.open({
    agents: [{ name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes"] }],
    policy: { callingHours: null },
    speed: 1000,
    transport
  })
  const webhook = await engine.webhook.set({ url: "https://example.com/hook", events: ["call.completed"] })
  secret = webhook.secret ?? ""
  const { secret: key } = await engine.keys.create({ name: "portable", scopes: ["calls:write"] })
  const [agent] = await engine.agents.list()
  const handler = await WebHandler.over(engine)
  const response = await handler(
    new Request("https://example.com/v1/calls", {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ agent_id: agent?.id, phone_number: "+14155550100", contact: { name: "Grace" } })
    })
  )
  const started: unknown = await response.json()
  for (let tries = 0; verified.length === 0 && tries < 1000; tries++) await new Promise((done) => setTimeout(done, 20))
  return { status: response.status, started, verified }
}

export default { fetch: async () => Response.json(await run()) }
