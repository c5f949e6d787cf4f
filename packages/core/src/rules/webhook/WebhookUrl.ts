/**
 * The spelling of a webhook's URL. URL parsers repair URLs silently, each in its own way, so that a URL is accepted
 * only if it is requested exactly as written. The transport decides whether it may be requested.
 */

/**
 * The URL as it is requested, if it is written differently. These differences do not count: upper case in scheme and
 * host, a scheme's default port, and no slash after the host. Text that is not a URL has no result.
 */
export const rewritten = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  // A fragment is never sent.
  url.hash = ""
  const { href, protocol } = url
  const [, origin = text, rest = ""] = /^([^/?#]*\/\/[^/?#]*)(.*)$/s.exec(text) ?? []
  const lowered = origin
    // ASCII only: some other letters have an ASCII lower case.
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .replace(protocol === "https:" ? /:443$/ : protocol === "http:" ? /:80$/ : /$^/, "")
  return href === lowered + rest || href === `${lowered}/${rest}` ? undefined : href
}
