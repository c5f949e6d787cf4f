/**
 * Responses as viewers get them: with masked phone numbers, in JSON and in streams of events, wherever callees or callers have put them.
 * Ids, instants and links to recordings stay whole, because the page needs them.
 */
import { Masking } from "@outdial/core"
import { Effect, Predicate, Stream } from "effect"
import { HttpServerResponse } from "effect/http"

/** Ids, which may have nine digits in a row, and the links that this server makes. */
const harmless: ReadonlyArray<RegExp> = [
  /^(acct|call|batch|evt|dlv|key|wrk|session|audit|req|talk|sub)_[0-9A-Za-z]+$/u,
  /^https?:\/\/[^?#\s]+\/v1\/calls\/call_[0-9A-Za-z]+\/recording\?[\w=&.-]+$/u
]

const maskedText = (text: string): string =>
  harmless.some((form) => form.test(text)) ? text : Masking.maskedForViewers(text)

/** Fields whose content is the caller's, who may write a phone number as a JSON number, or as what looks like one of our ids or links. */
const callers: ReadonlyArray<string> = ["contact", "metadata", "variables"]

const maskedJson = (value: unknown, isCallers = false): unknown => {
  const text = isCallers ? Masking.maskedForViewers : maskedText
  if (typeof value === "string") return text(value)
  if (Array.isArray(value)) return value.map((item) => maskedJson(item, isCallers))
  if (typeof value === "number" && isCallers) {
    const digits = String(value)
    return text(digits) === digits ? value : text(digits)
  }
  if (typeof value !== "object" || value === null) return Masking.maskedValue(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      text(key),
      maskedJson(inner, isCallers || callers.includes(key))
    ])
  )
}

/** Where the next page of a list begins. This server reads it again, so it stays whole; calls have no numbers in it. */
const cursor = "next_cursor"

/** The JSON text, masked. */
const maskedJsonText = (text: string): string => {
  const value: unknown = JSON.parse(text)
  const isPage = Predicate.hasProperty(value, cursor) && Predicate.hasProperty(value, "data")
  // An object, as it has the properties.
  return JSON.stringify(isPage ? { ...maskedJson(value) as object, [cursor]: value[cursor] } : maskedJson(value))
}

/** A line of a stream of events. The data of our events is JSON in one line. */
const maskedLine = (line: string): string => {
  const data = /^data: ?([[{].*)$/su.exec(line)?.[1]
  if (data !== undefined) return `data: ${maskedJsonText(data)}`
  return line.startsWith("id:") || line.startsWith("event:") ? line : Masking.maskedForViewers(line)
}

/** The response with masked phone numbers. Sound is left as it is. */
export const mask = (
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { body } = response
  const contentType = (response.headers["content-type"] ?? "").toLowerCase()
  if (body._tag === "Uint8Array") {
    const text = () => new TextDecoder().decode(body.body)
    if (contentType.startsWith("application/json")) return withText(response, maskedJsonText(text()), contentType)
    if (contentType.startsWith("text/")) return withText(response, Masking.maskedForViewers(text()), contentType)
  }
  if (body._tag === "Stream" && contentType.startsWith("text/event-stream")) {
    const lines = body.stream.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.map((line) => `${maskedLine(line)}\n`),
      Stream.encodeText
    )
    return Effect.succeed(
      HttpServerResponse.setBody(response, HttpServerResponse.stream(lines, { contentType }).body)
    )
  }
  return Effect.succeed(response)
}

const withText = (response: HttpServerResponse.HttpServerResponse, text: string, contentType: string) =>
  Effect.succeed(HttpServerResponse.setBody(response, HttpServerResponse.text(text, { contentType }).body))
