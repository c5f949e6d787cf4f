/**
 * Opens connections to public addresses only. It resolves the name, checks every address, and connects only to checked
 * addresses, which prevents DNS rebinding.
 */
import { lookup, Resolver } from "node:dns/promises"
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net"
import { networkInterfaces } from "node:os"
import { buildConnector } from "@effect/platform-node/Undici"
import { Cause, Data, Effect, Exit } from "effect"
import * as AddressGate from "./AddressGate.ts"

/** The name resolves, or may resolve, to an address that is not public. */
export class BlockedAddress extends Data.TaggedError("BlockedAddress")<{ readonly address: string }> {
  override get message(): string {
    return `${this.address} is not a public address`
  }
}

/** The name could not be resolved. */
export class DnsFailed extends Data.TaggedError("DnsFailed")<{ readonly cause: unknown }> {}

/** All addresses of a name, of both families. */
export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<string>, DnsFailed>

/** Maximum number of addresses to try; all are checked. */
const maxAddresses = 16

const connectTimeout = 5000

/** A connector for undici that checks every connection, including IP literals. */
export const make = (
  exemptions: AddressGate.Exemptions,
  resolve: Resolve = resolvePublic
): buildConnector.connector => {
  return (options, callback) => {
    Effect.runCallback(permitted(options, exemptions, resolve), {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) {
          const error = Cause.squash(exit.cause)
          return callback(error instanceof Error ? error : new Error("The gate failed", { cause: error }), null)
        }
        const addresses = exit.value
        const connect = buildConnector({
          timeout: connectTimeout,
          allowH2: false,
          lookup: lookupOf(addresses),
          // Ignores NODE_TLS_REJECT_UNAUTHORIZED, which may be set for another purpose.
          rejectUnauthorized: true
        })
        return connect(options, (error, socket) => {
          if (error !== null) return callback(error, null)
          const { remoteAddress = "" } = socket
          // A second check of the connected address, before anything is sent.
          if (!includes(addresses, remoteAddress)) {
            socket.destroy()
            return callback(new BlockedAddress({ address: remoteAddress }), null)
          }
          return callback(null, socket)
        })
      }
    })
  }
}

/** The addresses that this connection may use, checked now. */
export const permitted = Effect.fnUntraced(function*(
  options: Pick<buildConnector.Options, "hostname" | "port" | "protocol">,
  exemptions: AddressGate.Exemptions,
  resolve: Resolve
) {
  const hostname = AddressGate.bareHost(options.hostname)
  if (exemptions.allow?.includes(AddressGate.hostAndPort(options)) === true) {
    return isIP(hostname) === 0 ? yield* resolveLocally(hostname) : [hostname]
  }
  if (exemptions.loopback === true && options.protocol === "http:" && AddressGate.isLoopbackName(hostname)) {
    return hostname === "localhost" ? ["127.0.0.1", "::1"] : [hostname]
  }
  const addresses = isIP(hostname) === 0 ? yield* resolve(hostname) : [hostname]
  if (addresses.length === 0) return yield* dnsFailed("The name has no address")
  const own = ownAddresses()
  // One private address among public ones is an attack or a mistake, so all are rejected.
  const refused = addresses.find((address) => !AddressGate.isPublic(address) || includes(own, address))
  if (refused !== undefined) return yield* new BlockedAddress({ address: refused })
  return addresses.slice(0, maxAddresses)
})

/** Public addresses of this machine would bypass its firewall. */
const ownAddresses = () => Object.values(networkInterfaces()).flatMap((of) => of?.map(({ address }) => address) ?? [])

/** Whether the address is in the list, in any notation. */
const includes = (addresses: ReadonlyArray<string>, address: string) => {
  const list = new BlockList()
  for (const each of addresses.map(withoutZone)) list.addAddress(each, isIPv6(each) ? "ipv6" : "ipv4")
  const bare = withoutZone(address)
  return isIP(bare) !== 0 && list.check(bare, isIPv6(bare) ? "ipv6" : "ipv4")
}

/** Address lists have no zones; names that an operator allows may resolve to addresses with one. */
const withoutZone = (address: string) => address.replace(/%.*$/, "")

const dnsFailed = (cause: unknown) => new DnsFailed({ cause })

/** Uses DNS only, without the machine's hosts file. */
const resolvePublic: Resolve = Effect.fnUntraced(function*(hostname) {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const [v4, v6] = yield* Effect.all([
    Effect.result(Effect.tryPromise({ try: () => resolver.resolve4(hostname), catch: dnsFailed })),
    Effect.result(Effect.tryPromise({ try: () => resolver.resolve6(hostname), catch: dnsFailed }))
  ], { concurrency: "unbounded" })
  const found = [v4, v6].flatMap((answer) => answer._tag === "Success" ? answer.success : [])
  // Most names have addresses of one family. Without any, the first error is reported.
  return found.length === 0 && v4._tag === "Failure" ? yield* v4.failure : found
})

/** Uses the machine's resolver: allowed names may be in its hosts file. */
const resolveLocally: Resolve = (hostname) =>
  Effect.tryPromise({ try: () => lookup(hostname, { all: true }), catch: dnsFailed }).pipe(
    Effect.map((found) => found.map(({ address }) => address))
  )

/** A lookup function that returns the given addresses. */
const lookupOf = (addresses: ReadonlyArray<string>): LookupFunction => (_hostname, options, callback) => {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = answers
  if (options.all === true) return callback(null, answers)
  if (first === undefined) return callback(new Error("No address"), "", 0)
  return callback(null, first.address, first.family)
}
