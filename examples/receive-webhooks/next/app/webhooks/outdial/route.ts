import { verifyWebhook } from "@outdial/core/webhooks"
import { handle } from "../../../../handle.ts"

const seen = new Set<string>() // In production: a unique index on the event's id.

export const POST = async (request: Request): Promise<Response> => {
  const secret = process.env["OUTDIAL_WEBHOOK_SECRET"] ?? ""
  const { headers } = request
  const event = await verifyWebhook({ body: await request.text(), headers, secret }).catch((error: Error) => error)
  if (event instanceof Error) return new Response(event.message, { status: 400 })
  if (!seen.has(event.id)) handle(event)
  seen.add(event.id)
  return new Response(null, { status: 204 })
}
