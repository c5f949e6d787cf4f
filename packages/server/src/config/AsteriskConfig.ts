/** The environment variables of an Asterisk. */
import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import { Config, Schema } from "effect"
import { address, group, matching, oneOf, secret, variable, whole } from "./Variable.ts"

/** The Asterisk, for `OUTDIAL_CARRIER=asterisk`. */
export const asterisk = group({
  ariUrl: variable("ASTERISK_ARI_URL", {
    default: "none; required with `OUTDIAL_CARRIER=asterisk`",
    meaning:
      "The address of Asterisk's REST interface, such as `http://127.0.0.1:8088/ari`. See [Asterisk](../guides/asterisk.md)."
  }, (name) => Config.option(matching(name, address, "must be an address such as http://127.0.0.1:8088/ari"))),
  user: variable(
    "ASTERISK_ARI_USER",
    {
      default: "`outdial`",
      meaning: "The user of that interface, in `ari.conf`."
    },
    (name) =>
      matching(name, /^[\w.-]{1,64}$/, "must be a name of letters, digits and _.-").pipe(Config.withDefault("outdial"))
  ),
  password: variable("ASTERISK_ARI_PASSWORD", {
    default: "none; required with `OUTDIAL_CARRIER=asterisk`",
    meaning: "The password of that user."
  }, secret),
  endpoint: variable("ASTERISK_ENDPOINT", {
    default: "`PJSIP/{number}@trunk`",
    meaning:
      "Where calls go out, with `{number}` for the number and `trunk` for the endpoint in `pjsip.conf`. `{digits}` is the number without its plus."
  }, (name) =>
    Config.schema(
      Schema.String.check(
        Schema.makeFilter((text: string) =>
          AsteriskTelephony.endpointOf(text) !== undefined || "must be a dial string such as PJSIP/{number}@trunk"
        )
      ),
      name
    ).pipe(Config.withDefault("PJSIP/{number}@trunk"))),
  mediaUrl: variable(
    "ASTERISK_MEDIA_URL",
    {
      default: "none: this server connects to Asterisk",
      meaning:
        "Where Asterisk reaches this server for sound, such as `ws://10.0.0.5:4010`, with the base path: of this process alone, not of a load balancer."
    },
    (name) =>
      Config.option(
        matching(name, /^wss?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/, "must be an address such as ws://10.0.0.5:4010")
      )
  ),
  format: variable("ASTERISK_FORMAT", {
    default: "`pcm16`",
    meaning:
      "The sound that is exchanged with Asterisk. `mulaw` or `alaw`: as most trunks have it, so that Asterisk converts nothing, with a quarter of the " +
      "bytes. `pcm16`: 16 bits at 16 kHz, of which Asterisk makes what the trunk has."
  }, (name) => Config.withDefault(oneOf(name, ["pcm16", "mulaw", "alaw"]), "pcm16" as const)),
  callsPerSecond: variable("ASTERISK_CALLS_PER_SECOND", {
    default: "1",
    meaning: "How many calls the provider of the trunk lets you place per second. All processes share it."
  }, (name) => Config.withDefault(whole(name, { least: 1, most: 1_000 }), 1)),
  channels: variable("ASTERISK_CHANNELS", {
    default: "no limit",
    meaning: "How many calls at once the provider of the trunk allows. More wait in Outdial. All processes share it."
  }, (name) => Config.option(whole(name, { least: 1, most: 100_000 }))),
  recording: variable("ASTERISK_RECORDING", {
    default: "off",
    meaning:
      "`own`: calls are recorded here, in two channels. Where contacts must consent to it, let the agent's `disclosure` say so."
  }, (name) => Config.withDefault(oneOf(name, ["off", "own"]), "off" as const)),
  amd: variable("ASTERISK_AMD", {
    default: "`off`",
    meaning:
      "`on`: Asterisk tells people from machines, beside the conversation. It goes by words and pauses alone, and is wrong now and then."
  }, (name) => oneOf(name, ["off", "on"]).pipe(Config.withDefault("off" as const)))
})

/** Read by `outdial asterisk config` alone: the server needs no credentials of the trunk. */
export const trunkPassword = variable("ASTERISK_TRUNK_PASSWORD", {
  default: "none",
  meaning: "The password of the SIP trunk, for `outdial asterisk config`. The server does not read it."
}, secret)
