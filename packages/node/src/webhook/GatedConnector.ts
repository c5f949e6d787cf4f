/**
 * Opens connections to public addresses only. Names are resolved here, every answer is judged, and the socket can reach
 * nothing but the answers that passed, so a name that changes its mind between check and connection gains nothing.
 */
import { lookup, Resolver } from "node:dns/promises"
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net"
import { networkInterfaces } from "node:os"
import { buildConnector } from "@effect/platform-node/Undici"
import { Cause, Data, Effect, Exit } from "effect"
import * as AddressGate from "./AddressGate.ts"

/** The name leads, or may lead, to an address that is not public. */
export class BlockedAddress extends Data.TaggedError("BlockedAddress")<{ readonly address: string }> {
  override get message(): string {
    return `${this.address} is not a public address`
  }
}

/** The name could not be resolved. */
export class DnsFailed extends Data.TaggedError("DnsFailed")<{ readonly cause: unknown }> {}

/** All addresses of a name, of both families. */
export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<string>, DnsFailed>

/** At most this many answers are tried; all are judged. */
const maxAddresses = 16

const connectTimeout = 5000

/** A connector for undici that runs the gate at every connection, IP literals included. */
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
          // Whatever NODE_TLS_REJECT_UNAUTHORIZED says, which somebody may have set for another's sake.
          rejectUnauthorized: true
        })
        return connect(options, (error, socket) => {
          if (error !== null) return callback(error, null)
          const { remoteAddress = "" } = socket
          // The look-up left no other choice; should that ever change, nothing has been sent yet.
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

/** The addresses to which this connection may be made, judged now. */
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
  // One refused answer among good ones is an attack, or a mistake that would fail every other time.
  const refused = addresses.find((address) => !AddressGate.isPublic(address) || includes(own, address))
  if (refused !== undefined) return yield* new BlockedAddress({ address: refused })
  return addresses.slice(0, maxAddresses)
})

/** Public addresses of this very machine lead behind its firewall too. */
const ownAddresses = () => Object.values(networkInterfaces()).flatMap((of) => of?.map(({ address }) => address) ?? [])

/** Whether the address is among these, however they are written. */
const includes = (addresses: ReadonlyArray<string>, address: string) => {
  const list = new BlockList()
  for (const each of addresses.map(withoutZone)) list.addAddress(each, isIPv6(each) ? "ipv6" : "ipv4")
  const bare = withoutZone(address)
  return isIP(bare) !== 0 && list.check(bare, isIPv6(bare) ? "ipv6" : "ipv4")
}

/** Lists know no zones; the names that an operator allows may lead to addresses with one. */
const withoutZone = (address: string) => address.replace(/%.*$/, "")

const dnsFailed = (cause: unknown) => new DnsFailed({ cause })

/** By DNS alone: the machine's hosts file is not the public's. */
const resolvePublic: Resolve = Effect.fnUntraced(function*(hostname) {
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  const [v4, v6] = yield* Effect.all([
    Effect.result(Effect.tryPromise({ try: () => resolver.resolve4(hostname), catch: dnsFailed })),
    Effect.result(Effect.tryPromise({ try: () => resolver.resolve6(hostname), catch: dnsFailed }))
  ], { concurrency: "unbounded" })
  const found = [v4, v6].flatMap((answer) => answer._tag === "Success" ? answer.success : [])
  // A name of one family is the usual case; with neither, the error of the first tells why.
  return found.length === 0 && v4._tag === "Failure" ? yield* v4.failure : found
})

/** As the machine resolves names: what an operator lists may stand in its hosts file. */
const resolveLocally: Resolve = (hostname) =>
  Effect.tryPromise({ try: () => lookup(hostname, { all: true }), catch: dnsFailed }).pipe(
    Effect.map((found) => found.map(({ address }) => address))
  )

/** Answers with the given addresses, whatever is asked. */
const lookupOf = (addresses: ReadonlyArray<string>): LookupFunction => (_hostname, options, callback) => {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = answers
  if (options.all === true) return callback(null, answers)
  if (first === undefined) return callback(new Error("No address"), "", 0)
  return callback(null, first.address, first.family)
}
