/**
 * How the address of a webhook is written. URL parsers repair addresses silently, each in its own way, so an address is
 * accepted only when what is written is what is requested. The transport decides whether it may be requested.
 */

/**
 * The address as it is requested, when it is written differently. These differences do not count: upper case in scheme and
 * host, a scheme's default port, and no slash after the host. Text that is no address is not judged.
 */
export const rewritten = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const { href, protocol } = new URL(text)
  const [, origin = text, rest = ""] = /^([^/?#]*\/\/[^/?#]*)(.*)$/s.exec(text) ?? []
  const lowered = origin
    // ASCII only: there are other letters whose lower case is ASCII.
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(protocol === "https:" ? /:443$/ : protocol === "http:" ? /:80$/ : /$^/, "")
  return href === lowered + rest || href === `${lowered}/${rest}` ? undefined : href
}
