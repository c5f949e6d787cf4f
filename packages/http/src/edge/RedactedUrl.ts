/**
 * Redacts URLs for spans: removes phone numbers, wherever they are, and credentials. Guarantees that seven or more digits are
 * removed, except in an id or an instant. In doubt, text is removed.
 */
import { PhoneNumber } from "@outdial/core"

/** Parameters that are always redacted; the cursor of the do-not-call list contains a number. */
export const hiddenParameters: ReadonlyArray<string> = ["phone_number", "external_id", "cursor", "signature"]

/** The path and query, redacted. */
export const redacted = (url: string): string => {
  const [path = "", ...query] = url.split("?")
  const route = carrierRoute.exec(path)
  // The rest is a token.
  if (route !== null) return `${route[0]}/${hidden}`
  return [redactedPath(path), ...query.map(redactedQuery)].join("?")
}

const hidden = "REDACTED"

/** Below any base path: the name of a carrier, and its route. */
const carrierRoute = /^(\/[\w.-]+)*\/carriers\/[\w.%-]+\/\w+(?=\/|$)/

/** The segments after this one hold a phone number. */
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

/** The shortest phone number has seven digits, with any separators. */
const mayContainNumber = (text: string): boolean => {
  const plain = decoded(text)
  return PhoneNumber.clean(plain).replace(/\D/gu, "").length >= 7 && !safeFormats.some((form) => form.test(plain))
}

/** Ids and instants, which stay readable. */
const safeFormats: ReadonlyArray<RegExp> = [
  /^[a-z]+_[0-9A-Za-z]{20,}$/,
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  /^20\d{2}-[01]\d-[0-3]\d(T[0-2]\d:[0-5]\d(:[0-6]\d(\.\d{1,9})?)?(Z|[+-][01]\d:[0-5]\d))?$/
]

/** Text that cannot be decoded stays, so that its digits are counted. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
