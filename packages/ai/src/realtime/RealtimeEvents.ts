/**
 * What of the OpenAI Realtime API is read and sent. https://developers.openai.com/api/reference/resources/realtime
 */
import { Result, Schema } from "effect"

const Usage = Schema.Struct({
  input_tokens: Schema.optionalKey(Schema.Int),
  output_tokens: Schema.optionalKey(Schema.Int)
})

/** A message, a function call, or what may come. */
const Done = Schema.Struct({
  type: Schema.String,
  call_id: Schema.optionalKey(Schema.NullOr(Schema.String)),
  name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  arguments: Schema.optionalKey(Schema.NullOr(Schema.String))
})

const event = <const Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.Literal(type), ...fields })

const events = [
  event("session.created", { session: Schema.Struct({ model: Schema.optionalKey(Schema.String) }) }),
  event("session.updated", {}),
  event("error", {
    error: Schema.Struct({
      code: Schema.optionalKey(Schema.NullOr(Schema.String)),
      type: Schema.optionalKey(Schema.NullOr(Schema.String)),
      event_id: Schema.optionalKey(Schema.NullOr(Schema.String))
    })
  }),
  event("input_audio_buffer.speech_started", { item_id: Schema.String }),
  event("input_audio_buffer.committed", { item_id: Schema.String }),
  event("conversation.item.input_audio_transcription.delta", {
    item_id: Schema.String,
    delta: Schema.optionalKey(Schema.String)
  }),
  event("conversation.item.input_audio_transcription.completed", { item_id: Schema.String, transcript: Schema.String }),
  event("conversation.item.input_audio_transcription.failed", { item_id: Schema.String }),
  event("response.created", {
    response: Schema.Struct({
      id: Schema.String,
      metadata: Schema.optionalKey(Schema.NullOr(Schema.Record(Schema.String, Schema.String)))
    })
  }),
  event("response.output_item.added", {
    response_id: Schema.String,
    item: Schema.Struct({ id: Schema.String, type: Schema.String })
  }),
  event("response.output_item.done", {
    response_id: Schema.String,
    item: Done
  }),
  event("response.function_call_arguments.delta", { response_id: Schema.String }),
  event("response.output_audio_transcript.delta", { response_id: Schema.String, delta: Schema.String }),
  event("response.output_audio_transcript.done", { response_id: Schema.String }),
  event("response.output_audio.delta", { response_id: Schema.String, delta: Schema.String }),
  event("response.done", {
    response: Schema.Struct({
      id: Schema.String,
      status: Schema.optionalKey(Schema.String),
      status_details: Schema.optionalKey(Schema.NullOr(Schema.Struct({
        reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
        error: Schema.optionalKey(
          Schema.NullOr(Schema.Struct({ code: Schema.optionalKey(Schema.NullOr(Schema.String)) }))
        )
      }))),
      usage: Schema.optionalKey(Schema.NullOr(Usage))
    })
  })
] as const

const ServerEvent = Schema.Union(events)
export type ServerEvent = typeof ServerEvent.Type

const types: ReadonlySet<string> = new Set(events.map(({ fields }) => fields.type.literal))

const Typed = Schema.Struct({ type: Schema.String })
const decodeTyped = Schema.decodeUnknownResult(Typed)
const decode = Schema.decodeUnknownResult(ServerEvent)

/** The event; `undefined` if it is of no use here. Fails if it is not valid. */
export const read = (message: unknown): Result.Result<ServerEvent | undefined, undefined> =>
  Result.match(decodeTyped(message), {
    onFailure: () => Result.fail(undefined),
    onSuccess: ({ type }) =>
      types.has(type) ? Result.mapError(decode(message), () => undefined) : Result.succeed(undefined)
  })

/** Something of the conversation that the model is told. */
export type Item =
  | {
    readonly type: "message"
    readonly role: "user" | "assistant"
    readonly content: readonly [{ readonly type: "input_text" | "output_text"; readonly text: string }]
  }
  | { readonly type: "function_call"; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: string }

export const userText = (text: string): Item => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }]
})

export const agentText = (text: string): Item => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }]
})

/** Tells the model of it. */
export const create = (item: Item) => ({ type: "conversation.item.create", item })
