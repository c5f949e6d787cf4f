/**
 * Which addresses webhooks may be sent to (`docs/decisions.md`, SSRF gate). Pure: it checks text. `GatedTransport` resolves
 * names and applies the check to connections. Addresses that are not known to be public are rejected.
 */
import { BlockList, isIP } from "node:net"
import { Option } from "effect"

/** What an operator allows in addition to public https. Comes from configuration only, never from the API. */
export interface Exemptions {
  /** Exact `host:port` pairs, in lower case, allowed for http and https at any address. */
  readonly allow?: ReadonlyArray<string>
  /** Allows `http://127.0.0.1` and `http://localhost` with any port, for development. */
  readonly loopback?: boolean
}

// IANA special-purpose registry for IPv4, and Azure's 168.63.129.16, which answers inside its virtual networks.
const refused4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
] as const

// Inside global unicast: Teredo and benchmarking, documentation, 6to4, AS112, documentation.
const refused6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20]
] as const

const listOf = (family: "ipv4" | "ipv6", subnets: ReadonlyArray<readonly [string, number]>) => {
  const list = new BlockList()
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family)
  return list
}

const special4 = listOf("ipv4", refused4)
const special6 = listOf("ipv6", refused6)
/** The range that IANA has allocated for the public Internet, without loopback, private, mapped and translated addresses. */
const globalUnicast = listOf("ipv6", [["2000::", 3]])

/** Whether the address is on the public Internet. Text that is not a plain IP address is not public. */
export const isPublic = (address: string): boolean => {
  // A zone, as in fe80::1%eth0, names an interface of this machine.
  if (address.includes("%")) return false
  switch (isIP(address)) {
    case 4:
      return !special4.check(address, "ipv4")
    case 6:
      return globalUnicast.check(address, "ipv6") && !special6.check(address, "ipv6")
    default:
      return false
  }
}

/** 8443 because many receivers cannot bind 443. */
const ports = ["", "443", "8443"]

const localNames = /(^|\.)(localhost|local|internal|home\.arpa|onion)$/

const maxLength = 2048

// URLs allow hosts such as `127.0.0.1;example.com`, which DNS does not and which resolvers read differently. The underscore is
// allowed because some receivers use it.
const dnsLabel = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/
const maxName = 253

/**
 * Why this address may not be an endpoint, as text that follows "url". An early check for users; the gate checks each
 * connection.
 */
export const refuses = (text: string, exemptions: Exemptions): Option.Option<string> => {
  if (text.length > maxLength) return Option.some(`may have at most ${maxLength} characters`)
  if (!URL.canParse(text)) return Option.some("must be an absolute https address")
  const url = new URL(text)
  if (url.username !== "" || url.password !== "") return Option.some("must not carry a user name or password")
  if (isExempt(text, url, exemptions)) return Option.none()
  if (url.protocol !== "https:") return Option.some("must begin with https://")
  if (!ports.includes(url.port)) return Option.some("may have port 443 or 8443 only")
  if (isIP(bareHost(url.hostname)) !== 0) return Option.some("must name its host; IP addresses are not allowed")
  const labels = url.hostname.split(".")
  if (labels.length < 2 || labels.includes("")) {
    return Option.some("must have a full host name, such as hooks.example.com")
  }
  if (!labels.every((label) => dnsLabel.test(label)) || url.hostname.length > maxName) {
    return Option.some("must have a host name of letters, digits and hyphens")
  }
  if (localNames.test(url.hostname)) return Option.some("must have a public host name")
  return Option.none()
}

/** `host:port` in the format of `allow`. */
export const hostAndPort = (url: Pick<URL, "hostname" | "port" | "protocol">): string =>
  `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port}`

/** The names that `loopback` allows. */
export const isLoopbackName = (hostname: string): boolean => hostname === "127.0.0.1" || hostname === "localhost"

/** An IPv6 address without the brackets that URLs put around it. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

// Checks the original text: `new URL` would also turn 0x7f.1 and 2130706433 into 127.0.0.1.
const loopbackText = /^http:\/\/(127\.0\.0\.1|localhost)(:\d+)?([/?#]|$)/

const isExempt = (text: string, url: URL, { allow = [], loopback = false }: Exemptions) =>
  (/^https?:$/.test(url.protocol) && allow.includes(hostAndPort(url))) || (loopback && loopbackText.test(text))
