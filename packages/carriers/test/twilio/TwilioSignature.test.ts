import { assert, describe, it } from "@effect/vitest"
import { TwilioSignature } from "@outdial/carriers/twilio"
import { WebCrypto } from "@outdial/core"
import { Effect, Redacted } from "effect"
import twilio from "twilio"

const authToken = "12345"
const fields = [
  ["CallSid", "CA1234567890ABCDE"],
  ["Caller", "+14158675309"],
  ["Digits", "1234"],
  ["From", "+14158675309"],
  ["To", "+18005551212"]
] as const
const url = "https://mycompany.com/myapp.php?foo=1&bar=2"
/** Published with Twilio's library. */
const signature = "RSOYDt4T1cUTdK1PDd93/VVr8B8="

const isValid = (given: string | undefined, request: TwilioSignature.SignedRequest) =>
  Effect.flatMap(
    TwilioSignature.makeKey(Redacted.make(authToken)),
    (key) => TwilioSignature.isValid(key, given, request)
  ).pipe(Effect.provide(WebCrypto.layerWebCrypto))

const sign = (request: TwilioSignature.SignedRequest) =>
  Effect.flatMap(TwilioSignature.makeKey(Redacted.make(authToken)), (key) => TwilioSignature.sign(key, request)).pipe(
    Effect.provide(WebCrypto.layerWebCrypto)
  )

const grouped = (given: ReadonlyArray<TwilioSignature.Field>) => {
  const values: Record<string, Array<string>> = {}
  for (const [name, value] of given) values[name] = [...values[name] ?? [], value]
  return values
}

const urls = [
  url,
  "https://outdial.example/carriers/twilio/acct_1/call_1/tok-en_0",
  "https://outdial.example:443/carriers/twilio/status/acct_1/call_1",
  "https://outdial.example:8443/carriers/twilio/status/acct_1/call_1?k=v",
  "http://outdial.example/carriers/twilio",
  "http://outdial.example:80/carriers/twilio",
  "http://[::1]:3000/carriers/twilio",
  "HTTPS://Outdial.Example/carriers",
  "wss://outdial.example/carriers/twilio/relay/acct_1/call_1/tok"
]

const forms: ReadonlyArray<ReadonlyArray<TwilioSignature.Field>> = [
  [],
  fields,
  [...fields].reverse(),
  [["a", "2"], ["B", "1"], ["a", "1"], ["a", "2"], ["é", "ü ß 😀"], ["", ""]]
]

describe("X-Twilio-Signature", () => {
  it.effect("is the one of Twilio's published example", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* sign({ url, fields }), signature)
      assert.isTrue(yield* isValid(signature, { url, fields }))
    }))

  it.effect("is what Twilio's library expects, for every URL and form", () =>
    Effect.gen(function*() {
      for (const url of urls) {
        for (const form of forms) {
          assert.strictEqual(
            yield* sign({ url, fields: form }),
            twilio.getExpectedTwilioSignature(authToken, url, grouped(form))
          )
        }
      }
    }))

  it.effect("is accepted where Twilio's library accepts it, whatever URL was signed", () =>
    Effect.gen(function*() {
      for (const signed of urls) {
        const given = yield* sign({ url: signed, fields })
        for (const url of urls) {
          assert.strictEqual(
            yield* isValid(given, { url, fields }),
            twilio.validateRequest(authToken, given, url, grouped(fields)),
            `${signed} as ${url}`
          )
        }
      }
    }))

  it.effect("is refused when it is missing, malformed, of another token, or of a form that was changed", () =>
    Effect.gen(function*() {
      const other = twilio.getExpectedTwilioSignature("54321", url, grouped(fields))
      for (const given of [undefined, "", "no", "%%%%", signature.slice(0, -4), `${signature}AAAA`, other]) {
        assert.isFalse(yield* isValid(given, { url, fields }), String(given))
      }
      assert.isFalse(yield* isValid(signature, { url, fields: fields.slice(1) }))
      assert.isFalse(yield* isValid(signature, { url, fields: [...fields, ["More", "1"]] }))
      assert.isFalse(yield* isValid(signature, { url: `${url}3`, fields }))
    }))
})
