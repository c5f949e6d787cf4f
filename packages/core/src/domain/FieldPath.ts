/** Paths into a request: their names on the wire, and their JSON Pointers (RFC 6901). */
import { JsonPointer, String as Str } from "effect"

/** Keys below these fields are chosen by users and are not mapped. */
const namedByUsers = ["variables", "metadata"]

/** The path in the names of the wire: `["calls", 3, "phoneNumber"]` becomes `["calls", 3, "phone_number"]`. */
export const wireNames = (path: ReadonlyArray<string | number>): ReadonlyArray<string | number> => {
  let isNamedByUser = false
  return path.map((part) => {
    // Only camelCase names are mapped: no field name begins with a capital.
    const name = typeof part === "number" || isNamedByUser || !/^[a-z]/.test(part) ? part : Str.camelToSnake(part)
    isNamedByUser ||= namedByUsers.includes(String(part))
    return name
  })
}

/** A message of ours that names a field of the same request, in the names of the wire. */
export const wireMessage = (message: string): string => message.replace(/\bnotBefore$/, "not_before")

/** The path as messages begin with it. An empty name is quoted: it would not be seen. */
export const pathText = (path: ReadonlyArray<string | number>): string =>
  path.map((part) => part === "" ? "\"\"" : part).join(".")

/** The JSON Pointer of a path, with its names unchanged: `["calls", 3, "phone_number"]` is `/calls/3/phone_number`. */
export const toPointer = (path: ReadonlyArray<string | number>): string =>
  path.map((part) => `/${JsonPointer.escapeToken(String(part))}`).join("")
