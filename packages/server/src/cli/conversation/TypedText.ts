/** What a typed line means: words, or a command that begins with a slash. */

export type Typed =
  | { readonly _tag: "Words"; readonly words: string }
  | { readonly _tag: "Digits"; readonly digits: string }
  | { readonly _tag: "HangUp" }
  /** An empty line. */
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Unknown"; readonly message: string }

export const read = (line: string): Typed => {
  const text = line.trim()
  if (text === "") return { _tag: "Nothing" }
  if (!text.startsWith("/")) return { _tag: "Words", words: text }
  const [command, ...rest] = text.split(/\s+/u)
  const digits = rest.join("")
  if (command === "/hangup" && digits === "") return { _tag: "HangUp" }
  if (command === "/dtmf") {
    return /^[0-9A-D*#]{1,64}$/u.test(digits)
      ? { _tag: "Digits", digits }
      : { _tag: "Unknown", message: "/dtmf needs 1 to 64 of 0-9, A-D, * and #, such as /dtmf 12#" }
  }
  return { _tag: "Unknown", message: `${text} is not a command; the commands are /hangup and /dtmf DIGITS` }
}
