/** Headers of every response of the console: what its page may load, and that no other page may frame it. */

/** Nothing from elsewhere, no inline script. Styles that components add at run time carry the nonce. */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    // A recording is played from memory, so that the reader can seek although the server sends it whole.
    "media-src 'self' blob:",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/** The nonce must be new for each response, and is also in the page's `csp-nonce` element. */
export const securityHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  "content-security-policy": contentSecurityPolicy(nonce),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
})

/** Headers of every response of the console's API, which a browser must not show as a page. */
export const apiHeaders: Readonly<Record<string, string>> = {
  ...securityHeaders(""),
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox"
}
