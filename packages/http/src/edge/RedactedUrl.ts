/**
 * Addresses of requests as spans may hold them: without telephone numbers, wherever in them somebody put one, and without what
 * lets in. Guarantees that seven digits in a row of anything but an id or an instant are left out; rather too much is than too little.
 */
import { PhoneNumber } from "@outdial/core"

/** Parameters that are left out whatever they hold; the cursor of the do-not-call list names the last number. */
export const hiddenParameters: ReadonlyArray<string> = ["phone_number", "external_id", "cursor", "signature"]

/** The path and query without what must not be told. */
export const redacted = (url: string): string => {
  const [path = "", ...query] = url.split("?")
  return [redactedPath(path), ...query.map(redactedQuery)].join("?")
}

const hidden = "REDACTED"

/** Behind this segment stands a number, or what somebody takes for one. */
const numberListSegment = "do_not_call"

const redactedPath = (path: string): string => {
  const segments = path.split("/")
  const list = segments.findIndex((segment) => decoded(segment).toLowerCase().includes(numberListSegment))
  return segments.map((segment, index) =>
    segment !== "" && ((list !== -1 && index > list) || mayContainNumber(segment)) ? hidden : segment
  ).join("/")
}

const redactedQuery = (query: string): string =>
  query.split("&").map((part) => {
    const [name = "", ...value] = part.split("=")
    if (mayContainNumber(name)) return hidden
    return hiddenParameters.includes(decoded(name).toLowerCase()) || mayContainNumber(value.join("="))
      ? `${name}=${hidden}`
      : part
  }).join("&")

/** The shortest number has seven digits, in whatever way it is grouped. */
const mayContainNumber = (text: string): boolean => {
  const plain = decoded(text)
  return PhoneNumber.clean(plain).replace(/\D/gu, "").length >= 7 && !safeFormats.some((form) => form.test(plain))
}

/** Ids of ours, of agents, and instants: what one looks for in a trace. */
const safeFormats: ReadonlyArray<RegExp> = [
  /^[a-z]+_[0-9A-Za-z]{20,}$/,
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  /^20\d{2}-[01]\d-[0-3]\d(T[0-2]\d:[0-5]\d(:[0-6]\d(\.\d{1,9})?)?(Z|[+-][01]\d:[0-5]\d))?$/
]

/** What cannot be decoded stays: its digits are counted as they stand. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
