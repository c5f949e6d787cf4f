/** The id of every response, in `X-Request-Id` and in the error envelope, so that users can quote it. */
import { Context, Effect, Random } from "effect"

/** The id of the current request. */
export const RequestId = Context.Reference<string>("@outdial/http/edge/RequestId", { defaultValue: () => "req_none" })

/** As many letters and digits as a safe integer can hold. */
const half = 10

const randomHalf = Effect.map(
  Random.nextIntBetween(0, 36 ** half, { halfOpen: true }),
  (n) => n.toString(36).padStart(half, "0")
)

/** A fresh id: `req_` and 20 letters and digits. It is no secret, so ordinary randomness suffices. */
export const make: Effect.Effect<string> = Effect.map(
  Effect.zip(randomHalf, randomHalf),
  ([one, other]) => `req_${one}${other}`
)
