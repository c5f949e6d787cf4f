import { verifyWebhook, type WebhookEvent } from "@outdial/core/webhooks"
import express from "express"

export const makeApp = (secret: string, handle: (event: WebhookEvent) => void) => {
  const seen = new Set<string>() // In production: a unique index on the event's id.
  const app = express()
  // The signature covers the raw body, so this route comes before any express.json().
  app.post("/webhooks", express.raw({ type: "application/json" }), async ({ body, headers }, response) => {
    const event = await verifyWebhook({ body, headers, secret }).catch((error: Error) => error)
    if (event instanceof Error) return void response.status(400).send(event.message)
    if (!seen.has(event.id)) handle(event)
    seen.add(event.id)
    response.sendStatus(204)
  })
  return app
}
