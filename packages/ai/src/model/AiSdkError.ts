/** What a model of the AI SDK throws, as errors of effect/ai. */
import { APICallError } from "@ai-sdk/provider"
import { Duration } from "effect"
import { AiError } from "effect/ai"

export type Method = "generateText" | "streamText"

const module = "AiSdkModel"

/** Longest text of a provider that is kept, in characters: it may repeat the request. */
const longestText = 300

/** The model did not answer, or answered with an error. */
export const fromThrown = (method: Method, cause: unknown): AiError.AiError =>
  AiError.make({ module, method, reason: reasonOf(cause) })

/** The answer has more characters than are read. */
export const tooLong = (method: Method, longest: number): AiError.AiError =>
  AiError.make({
    module,
    method,
    reason: new AiError.InvalidOutputError({ description: `The answer has more than ${longest} characters` })
  })

/** The request cannot be made in the AI SDK's form. */
export const unusable = (method: Method, cause: unknown): AiError.AiError =>
  AiError.make({ module, method, reason: new AiError.InvalidUserInputError({ description: textOf(cause) }) })

const reasonOf = (cause: unknown): AiError.AiErrorReason => {
  if (!APICallError.isInstance(cause)) return new AiError.UnknownError({ description: textOf(cause) })
  const { responseHeaders = {}, statusCode, url } = cause
  const description = textOf(cause)
  if (statusCode === undefined) {
    return new AiError.NetworkError({ reason: "TransportError", method: "POST", url: withoutQuery(url), description })
  }
  if (statusCode === 429) {
    const retryAfter = retryAfterOf(responseHeaders)
    return new AiError.RateLimitError(retryAfter === undefined ? {} : { retryAfter })
  }
  if (statusCode === 402) return new AiError.QuotaExhaustedError({})
  // The text of an error about a key may repeat the key.
  if (statusCode === 401 || statusCode === 403) return AiError.reasonFromHttpStatus({ status: statusCode })
  if (statusCode === 408 || statusCode >= 500) {
    return new AiError.InternalProviderError({ description: `status ${statusCode}: ${description}` })
  }
  if (statusCode >= 400) {
    return new AiError.InvalidRequestError({ description: `status ${statusCode}: ${description}` })
  }
  // A success whose body is not what a model answers.
  return new AiError.InvalidOutputError({ description })
}

/** `Retry-After` in seconds, or `Retry-After-Ms` of OpenAI and Azure. Models do not send a date. */
const retryAfterOf = (headers: Readonly<Record<string, string>>): Duration.Duration | undefined => {
  const header = (name: string) => Number(headers[name] ?? Number.NaN)
  const millis = header("retry-after-ms")
  if (millis >= 0) return Duration.millis(millis)
  const seconds = header("retry-after")
  return seconds >= 0 ? Duration.seconds(seconds) : undefined
}

const textOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).slice(0, longestText)

const withoutQuery = (url: string): string => url.split("?")[0] ?? url
