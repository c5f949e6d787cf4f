/**
 * Why a language model gave no answer, in a sentence for logs and operators. It repeats nothing that the provider has written but the
 * status: such texts may repeat the request, and with it what the contact said, or the key.
 */
import { Duration } from "effect"
import { AiError } from "effect/ai"

/** Why, as the end of a sentence about the model. */
export const explained = (error: unknown): string => {
  if (!AiError.isAiError(error)) return "its answer is not of the form that a language model gives"
  const { reason } = error
  switch (reason._tag) {
    case "AuthenticationError":
      return "it refuses the key"
    case "RateLimitError":
      return reason.retryAfter === undefined
        ? "it limits requests"
        : `it limits requests, the next may come in ${Duration.toSeconds(reason.retryAfter)} seconds`
    case "QuotaExhaustedError":
      return "the account has no credit left"
    case "NetworkError":
      return "it cannot be reached"
    case "InternalProviderError":
      return `it has failed${status(reason.description)}`
    case "InvalidRequestError":
      return `it refuses the request${status(reason.description)}`
    case "ContentPolicyError":
      return "the provider's policy forbids the answer"
    case "InvalidOutputError":
    case "StructuredOutputError":
      return "its answer is not valid"
    default:
      return `it did not answer (${reason._tag})`
  }
}

const transient: ReadonlySet<AiError.AiErrorReason["_tag"]> = new Set([
  "InternalProviderError",
  "InvalidOutputError",
  "NetworkError",
  "RateLimitError",
  "UnknownError"
])

/** Whether the same request may be answered later. */
export const isTransient = (error: unknown): error is AiError.AiError =>
  AiError.isAiError(error) && transient.has(error.reason._tag)

const status = (description: string | undefined): string => {
  const code = /^status (\d{3})/u.exec(description ?? "")?.[1]
  if (code === undefined) return ""
  return ` with status ${code}${code === "404" ? ", as for a model that does not exist" : ""}`
}
