/**
 * The built-in receiver of `outdial dev`: verifies every event with a library that receivers use, and prints it. It is also an
 * example of a receiver: verify the raw bytes, ignore an event id seen before, answer quickly.
 */
import { type Ids, SecretBox, Storage } from "@outdial/core"
import { Effect, Option, Redacted, Schema } from "effect"
import { type Headers, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Webhook } from "standardwebhooks"

/** The path of the inbox on the dev server. */
export const path = "/inbox"

/** The fields of an event that the inbox reads. */
const Event = Schema.fromJsonString(Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  test: Schema.Boolean,
  data: Schema.Struct({
    id: Schema.String,
    phone_number: Schema.String,
    status: Schema.String,
    status_reason: Schema.optionalKey(Schema.String),
    duration_seconds: Schema.optionalKey(Schema.Number),
    recording_url: Schema.optionalKey(Schema.String),
    outcome: Schema.NullOr(Schema.Struct({
      disposition: Schema.String,
      summary: Schema.String,
      answers: Schema.Record(Schema.String, Schema.String)
    }))
  })
}))
const decode = Schema.decodeUnknownEffect(Event)

/** Whether the request is for the inbox. */
export const isFor = ({ url }: HttpServerRequest.HttpServerRequest): boolean => url.split("?")[0] === path

/** The answer to a browser that opens the address: it would be of no use to show events to those who have no key. */
const onlyPost = HttpServerResponse.text(
  "Outdial posts the events of your calls to this address, verifies them as a receiver does, and prints them where it runs. " +
    "The page Webhook of the console lists them with their deliveries.\n",
  { status: 405, headers: { allow: "POST" } }
)

/** Answers a delivery to the account. `print` gets each line of output. */
export const make = Effect.fnUntraced(
  function*(accountId: Ids.AccountId, print: (line: string) => Effect.Effect<void>) {
    const box = yield* SecretBox.SecretBox
    const storage = yield* Storage.Storage
    const seen = new Set<string>()

    const receive = Effect.fnUntraced(function*(body: string, headers: Headers.Headers) {
      const endpoint = yield* storage.webhooks.get(accountId)
      if (Option.isNone(endpoint)) return 404
      const secret = yield* box.open(accountId, endpoint.value.secret)
      if (!(yield* isGenuine(Redacted.value(secret), body, headers))) {
        yield* print("✗ rejected an event whose signature does not verify")
        return 400
      }
      const event = yield* decode(body)
      if (seen.has(event.id)) return 204
      seen.add(event.id)
      yield* Effect.forEach(describe(event), (line) => print(line), { discard: true })
      return 204
    })

    return Effect.gen(function*() {
      const { headers, method, text } = yield* HttpServerRequest.HttpServerRequest
      if (method !== "POST") return onlyPost
      const status = yield* receive(yield* text, headers)
      return HttpServerResponse.empty({ status })
    }).pipe(
      Effect.catch((error) =>
        Effect.as(print(`✗ an event could not be read: ${error.message}`), HttpServerResponse.empty({ status: 400 }))
      )
    )
  }
)

const isGenuine = (secret: string, body: string, headers: Headers.Headers) =>
  Effect.try({
    try: () => {
      const { "webhook-id": id = "", "webhook-timestamp": timestamp = "", "webhook-signature": signature = "" } =
        headers
      new Webhook(secret).verify(body, {
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature
      })
      return true
    },
    catch: () => false
  }).pipe(Effect.orElseSucceed(() => false))

/** The event as text: what happened, and the outcome. */
const describe = ({ data, test, type }: typeof Event.Type): ReadonlyArray<string> => {
  const happened = [
    "✓",
    type.padEnd(18),
    data.phone_number,
    data.status,
    ...(data.duration_seconds === undefined ? [] : [`after ${data.duration_seconds} s`]),
    ...(test ? ["(test call)"] : []),
    ...(data.status_reason === undefined ? [] : [`– ${data.status_reason}`])
  ].join(" ")
  const { outcome } = data
  if (outcome === null) return [`${happened}  ${data.id}`]
  return [
    `${happened}  ${data.id}`,
    `    ${outcome.disposition}: ${outcome.summary}`,
    ...Object.entries(outcome.answers).map(([question, answer]) => `    ${question} ${answer}`),
    ...(data.recording_url === undefined ? [] : [`    recording: ${data.recording_url}`])
  ]
}
