import type { WebhookEvent } from "@outdial/core/webhooks"

/** What was handled, oldest first. */
export const handled: Array<string> = []

/** What the program does with an event, once. */
export const handle = (event: WebhookEvent) => {
  handled.push(event.id)
  switch (event.type) {
    case "call.completed":
      return console.log(`${event.data.phone_number}: ${event.data.outcome?.disposition}`)
    case "call.not_connected":
      return console.log(`${event.data.phone_number} was not reached: ${event.data.status_reason}`)
    default:
      return console.log(event.type)
  }
}
