import { verifyWebhook, type WebhookEvent } from "@outdial/core/webhooks"
import { Hono } from "hono"

export const makeApp = (secret: string, handle: (event: WebhookEvent) => void) => {
  const seen = new Set<string>() // In production: a unique index on the event's id.
  const app = new Hono()
  app.post("/webhooks", async (context) => {
    const { headers } = context.req.raw
    const event = await verifyWebhook({ body: await context.req.text(), headers, secret }).catch((error: Error) =>
      error
    )
    if (event instanceof Error) return context.text(event.message, 400)
    if (!seen.has(event.id)) handle(event)
    seen.add(event.id)
    return context.body(null, 204)
  })
  return app
}
