/** JSON Pointers (RFC 6901) into a request, in the names that its fields have on the wire. */
import { String as Str } from "effect"
import type { RefusalReason } from "./Errors.ts"

/** What stands below these is named by users, and kept as it is. */
const namedByUsers = ["variables", "metadata"]

/** `["calls", 3, "phoneNumber"]` is `/calls/3/phone_number`. */
export const toPointer = (path: ReadonlyArray<string | number>): string => {
  let isNamedByUser = false
  return path.map((part) => {
    const name = typeof part === "number" || isNamedByUser ? String(part) : Str.camelToSnake(part)
    isNamedByUser ||= namedByUsers.includes(String(part))
    return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
  }).join("")
}

/** The field of a request to call that an error is about; `undefined` when it is about none. */
export const fieldOf = (error: RefusalReason): ReadonlyArray<string | number> | undefined => {
  switch (error._tag) {
    case "InvalidRequest":
      return error.problems[0].path
    case "AgentNotFound":
      return ["agentId"]
    case "MissingVariables":
      return ["variables"]
    case "NumberNotAllowed":
    case "NumberDoNotCall":
    case "NumberLimitReached":
    case "CallAlreadyQueued":
      return ["phoneNumber"]
    case "IdempotencyKeyReused":
    case "IdempotencyKeyInUse":
      return undefined
    default:
      return error satisfies never
  }
}
