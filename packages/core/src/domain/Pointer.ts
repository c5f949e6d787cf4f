/** JSON Pointers (RFC 6901) into a request, in the names that its fields have on the wire. */
import { String as Str } from "effect"

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
