/** The id that every answer carries, in `X-Request-Id` and in the error envelope, so that users can quote it. */
import { Context, Effect, Random } from "effect"

/** The id of the request being answered. */
export const RequestId = Context.Reference<string>("@outdial/http/RequestId", { defaultValue: () => "req_none" })

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
const length = 20

/** A fresh id: `req_` and 20 letters and digits. It names, it does not protect, so ordinary randomness will do. */
export const make: Effect.Effect<string> = Effect.gen(function*() {
  let id = "req_"
  for (let n = 0; n < length; n++) {
    id += alphabet.charAt(yield* Random.nextIntBetween(0, alphabet.length, { halfOpen: true }))
  }
  return id
})
