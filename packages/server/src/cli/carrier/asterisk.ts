/** `outdial asterisk config`: prints the files that an Asterisk needs to place calls for this server. */
import { AsteriskFiles, AsteriskTelephony } from "@outdial/carriers/asterisk"
import { Console, Effect, FileSystem, Option, Path, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as AsteriskConfig from "../../config/AsteriskConfig.ts"
import { UsageError } from "../../config/UsageError.ts"
import * as ConfiguredCarrier from "../../serve/ConfiguredCarrier.ts"
import * as Admin from "../Admin.ts"

/** Two ports, such as `10000-10199`. */
const rangePattern = /^(\d{4,5})-(\d{4,5})$/

/** `host` or `host:port`. */
const hostPattern = /^[A-Za-z0-9.-]+(:\d{1,5})?$/

const flags = {
  trunk: Flag.String("trunk").pipe(
    Flag.withMetavar("HOST"),
    Flag.withDescription("The SIP server of your provider, such as sip.example.com or sip.example.com:5061")
  ),
  username: Flag.String("username").pipe(
    Flag.withDescription("The user name of the trunk; its password is read from ASTERISK_TRUNK_PASSWORD"),
    Flag.optional
  ),
  register: Flag.Boolean("register").pipe(
    Flag.withDescription("Register with the provider, where it asks for that"),
    Flag.withDefault(false)
  ),
  transport: Flag.Literals("transport", ["udp", "tcp", "tls"]).pipe(
    Flag.withDescription("How SIP reaches the provider"),
    Flag.withDefault("udp")
  ),
  srtp: Flag.Boolean("srtp").pipe(
    Flag.withDescription("Encrypt the sound, where the provider does"),
    Flag.withDefault(false)
  ),
  externalAddress: Flag.String("external-address").pipe(
    Flag.withMetavar("IP"),
    Flag.withDescription("The public address of Asterisk behind NAT"),
    Flag.optional
  ),
  localNetworks: Flag.String("local-networks").pipe(
    Flag.withMetavar("CIDR"),
    Flag.withDescription("The networks that are not behind that address, such as 10.0.0.0/8, separated by commas"),
    Flag.withDefault("")
  ),
  bind: Flag.String("bind").pipe(
    Flag.withMetavar("IP"),
    Flag.withDescription("Where Asterisk listens for this server"),
    Flag.withDefault("127.0.0.1")
  ),
  rtp: Flag.String("rtp").pipe(
    Flag.withMetavar("FROM-TO"),
    Flag.withDescription("The UDP ports for sound, two for each call"),
    Flag.withDefault("10000-20000")
  ),
  qualify: Flag.Int("qualify").pipe(
    Flag.withMetavar("SECONDS"),
    Flag.withDescription("How often Asterisk asks whether the trunk lives; 0 for a provider that does not answer"),
    Flag.withDefault(15)
  ),
  out: Flag.String("out").pipe(
    Flag.withMetavar("FOLDER"),
    Flag.withDescription("Write the files there, such as into /etc/asterisk, in place of printing them"),
    Flag.optional
  ),
  json: Admin.json
}

/** The files of this configuration. */
const filesOf = Effect.fnUntraced(function*(given: Command.Command.Config.Infer<typeof flags>) {
  const { bind, externalAddress, localNetworks, qualify, register, rtp, srtp, transport, trunk, username } = given
  const settings = yield* Admin.readable(AsteriskConfig.asterisk)
  const { ariUrl, endpoint, mediaUrl, password, user } = yield* ConfiguredCarrier.asteriskOptions({
    asterisk: settings
  })
  if (!hostPattern.test(trunk)) {
    return yield* new UsageError({ message: `--trunk ${trunk} must be a host, or host:port` })
  }
  const [from = 0, to = 0] = rangePattern.exec(rtp)?.slice(1).map(Number) ?? []
  if (from < 1024 || to <= from || to > 65_535) {
    return yield* new UsageError({ message: `--rtp ${rtp} must be two ports, such as 10000-20000` })
  }
  const name = AsteriskTelephony.endpointOf(endpoint)
  if (name === undefined || !/^[\w-]+$/.test(name)) {
    return yield* new UsageError({ message: `ASTERISK_ENDPOINT is ${endpoint}, which names no endpoint of one trunk` })
  }
  const trunkPassword = yield* Admin.readable(AsteriskConfig.trunkPassword)
  if (Option.isSome(username) && Option.isNone(trunkPassword)) {
    return yield* new UsageError({ message: "Set ASTERISK_TRUNK_PASSWORD to the password of the trunk" })
  }
  const { port, protocol } = new URL(ariUrl)
  return yield* Effect.try({
    try: () =>
      AsteriskFiles.make({
        trunk: {
          name,
          host: trunk,
          username: Option.getOrUndefined(username),
          password: Option.getOrUndefined(Option.map(trunkPassword, Redacted.value)),
          registers: register,
          transport,
          encrypts: srtp,
          externalAddress: Option.getOrUndefined(externalAddress),
          localNetworks: localNetworks.split(",").filter((network) => network !== ""),
          qualifySeconds: qualify
        },
        user,
        password: Redacted.value(password),
        http: { address: bind, port: port === "" ? protocol === "https:" ? 443 : 80 : Number(port) },
        rtp: { from, to },
        channels: Option.getOrUndefined(settings.channels),
        media: mediaUrl === undefined ? [] : [AsteriskTelephony.mediaClientOf(mediaUrl)]
      }),
    catch: (cause) => new UsageError({ message: cause instanceof Error ? cause.message : String(cause) })
  })
})

const config = Command.make(
  "config",
  flags,
  Effect.fnUntraced(function*({ json, out, ...given }) {
    const files = yield* filesOf({ json, out, ...given })
    if (Option.isNone(out)) {
      const lines = Object.entries(files).map(([name, text]) => `;;; ${name}\n\n${text}`)
      return yield* json ? Console.log(JSON.stringify(files)) : Console.log(lines.join("\n"))
    }
    const fileSystem = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    yield* fileSystem.makeDirectory(out.value, { recursive: true })
    for (const [name, text] of Object.entries(files)) {
      const path = paths.join(out.value, name)
      // They have passwords.
      yield* fileSystem.writeFileString(path, text, { mode: 0o640 })
      yield* Admin.print(json, { file: path }, [path])
    }
  })
).pipe(
  Command.withDescription(
    "Print the files that an Asterisk needs to place calls over a SIP trunk, from the ASTERISK_… variables. Changes nothing"
  )
)

export const asterisk = Command.make("asterisk").pipe(
  Command.withDescription("Set up an Asterisk as the carrier"),
  Command.withSubcommands([config])
)
