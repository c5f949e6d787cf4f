/** Server-sent events of the console. A client that reconnects continues after the last event that it has received. */
import { EventStreams } from "@outdial/http"
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The success of an endpoint that sends events; each documents their type. */
export const EventStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: EventStreams.mediaType }))

/** The id of the last event that was received, which browsers send when they reconnect. */
export const LastEventId = Schema.optionalKey(Schema.String)
