import type { WebhookEvent } from "@outdial/core/webhooks"

/** The handled events, oldest first. */
export const handled: Array<string> = []

/** Processes an event; called once per event. */
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
