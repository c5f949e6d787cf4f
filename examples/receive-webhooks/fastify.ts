import { verifyWebhook, type WebhookEvent } from "@outdial/core/webhooks"
import fastify from "fastify"

export const makeApp = (secret: string, handle: (event: WebhookEvent) => void) => {
  const seen = new Set<string>() // In production: a unique index on the event's id.
  const app = fastify()
  // The signature covers the raw body, so this parser leaves it unchanged.
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
  app.post<{ Body: Buffer }>("/webhooks", async ({ body, headers }, reply) => {
    const event = await verifyWebhook({ body, headers, secret }).catch((error: Error) => error)
    if (event instanceof Error) return reply.code(400).send(event.message)
    if (!seen.has(event.id)) handle(event)
    seen.add(event.id)
    return reply.code(204).send()
  })
  return app
}
