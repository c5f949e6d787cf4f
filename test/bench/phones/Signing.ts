/** What the least of a Twilio and its nodes agree on. */
import { createHmac } from "node:crypto"

export const accountSid = `AC${"0".repeat(32)}`
export const authToken = "token of the benchmark"

/** Epoch milliseconds with fractions, of one clock for all processes. */
export const now = () => performance.timeOrigin + performance.now()

/** Twilio's signature of a request; of a socket, without fields. https://www.twilio.com/docs/usage/security */
export const sign = (url: string, fields: URLSearchParams = new URLSearchParams()): string =>
  createHmac("sha1", authToken)
    .update(url + [...fields].toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => key + value).join(""))
    .digest("base64")
