/** The configuration files of an Asterisk that places calls for Outdial over a SIP trunk, in the folder `/etc/asterisk`. */

export interface TrunkOptions {
  /** The name of the endpoint, as in `ASTERISK_ENDPOINT`. */
  readonly name: string
  /** The provider's server, `host` or `host:port`. */
  readonly host: string
  /** The credentials, if the provider does not go by the address of the PBX. */
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Whether the PBX registers with the provider. Default: no. */
  readonly registers?: boolean | undefined
  /** Default: `udp`. */
  readonly transport?: "tcp" | "tls" | "udp" | undefined
  /** Whether the sound is encrypted (SRTP, with keys in SDP). Default: no. */
  readonly encrypts?: boolean | undefined
  /** The public address of a PBX behind NAT. */
  readonly externalAddress?: string | undefined
  /** The networks that are not behind that address, such as `10.0.0.0/8`. */
  readonly localNetworks?: ReadonlyArray<string> | undefined
  /** How often Asterisk asks whether the trunk lives, in seconds; 0 for a provider that does not answer `OPTIONS`. Default: 15. */
  readonly qualifySeconds?: number | undefined
}

export interface FilesOptions {
  readonly trunk: TrunkOptions
  readonly user: string
  readonly password: string
  /** Where ARI listens. */
  readonly http: { readonly address: string; readonly port: number }
  /** Where SIP listens. Default: `0.0.0.0:5060`. */
  readonly sip?: { readonly address: string; readonly port: number } | undefined
  /** UDP ports for sound, two for each call. Default: 10000 to 20000. */
  readonly rtp?: { readonly from: number; readonly to: number } | undefined
  /** Most calls at once. Default: 1000. */
  readonly channels?: number | undefined
  /** Where Asterisk reaches the nodes of Outdial for sound, by the names of their addresses. Default: the nodes connect to Asterisk. */
  readonly media?: ReadonlyArray<{ readonly name: string; readonly url: string }> | undefined
}

/** HTTP sessions beside those of calls: requests, event sockets, and some that are about to close. */
const moreSessions = 200

/** A value in a file of Asterisk, where `;` begins a comment. Throws on one that would be another line. */
const valueUnsafe = (text: string | number): string => {
  if (/\p{Cc}/u.test(String(text))) throw new Error("A setting of Asterisk must be one line")
  return String(text).replaceAll(";", "\\;")
}

type Setting = readonly [name: string, value: string | number | undefined]

const section = (name: string, ...settings: ReadonlyArray<Setting>): string =>
  [
    `[${valueUnsafe(name)}]`,
    ...settings.flatMap(([name, value]) => value === undefined ? [] : [`${name} = ${valueUnsafe(value)}`])
  ].join("\n")

const file = (about: string, ...sections: ReadonlyArray<string>): string =>
  `; ${about}\n\n${sections.filter((one) => one !== "").join("\n\n")}\n`

/** By name. Throws if a setting has a line break. */
export const make = (options: FilesOptions): Readonly<Record<string, string>> => {
  const { channels = 1_000, http, media = [], password, rtp = { from: 10_000, to: 20_000 }, user } = options
  return {
    "ari.conf": file(
      "The user of Outdial. Allow its port only from the nodes of Outdial.",
      section("general", ["enabled", "yes"]),
      section(user, ["type", "user"], ["read_only", "no"], ["password", password])
    ),
    "http.conf": file(
      "ARI and the WebSockets for sound: each call may take a session.",
      section(
        "general",
        ["enabled", "yes"],
        ["bindaddr", http.address],
        ["bindport", http.port],
        ["sessionlimit", channels + moreSessions]
      )
    ),
    "pjsip.conf": pjsip(options),
    "rtp.conf": file(
      "Sound, two ports for each call. Allow them from the provider.",
      section("general", ["rtpstart", rtp.from], ["rtpend", rtp.to])
    ),
    "chan_websocket.conf": file(
      "Sound between Asterisk and Outdial.",
      section("global", ["type", "global"], ["control_message_format", "json"])
    ),
    "websocket_client.conf": file(
      media.length === 0 ? "Outdial connects to Asterisk: nothing is needed here." : "The nodes of Outdial.",
      ...media.map(({ name, url }) =>
        section(
          name,
          ["type", "websocket_client"],
          ["connection_type", "per_call_config"],
          ["uri", url],
          ["protocols", "media"]
        )
      )
    ),
    "amd.conf": file(
      "Needed to tell people from machines: without it, AMD is not loaded. These are its defaults, in milliseconds.",
      section(
        "general",
        ["total_analysis_time", 5_000],
        ["initial_silence", 2_500],
        ["greeting", 1_500],
        ["after_greeting_silence", 800],
        ["maximum_number_of_words", 2]
      )
    ),
    "cdr.conf": file("Needed: the dialplan asks it when a call was answered.", section("general", ["enable", "yes"])),
    "modules.conf": file("All that are installed.", section("modules", ["autoload", "yes"])),
    "extensions.conf": dialplan
  }
}

const pjsip = ({ sip = { address: "0.0.0.0", port: 5060 }, trunk }: FilesOptions): string => {
  const {
    encrypts = false,
    externalAddress,
    host,
    localNetworks = [],
    name,
    password,
    qualifySeconds = 15,
    registers = false,
    transport = "udp",
    username
  } = trunk
  const parameters = transport === "udp" ? "" : `;transport=${transport}`
  const uri = `sip:${host}${parameters}`
  const hostname = host.replace(/:\d+$/, "")
  return file(
    "The trunk.",
    section("global", ["type", "global"], ["user_agent", "Asterisk"]),
    section(
      "outdial-transport",
      ["type", "transport"],
      ["protocol", transport],
      ["bind", `${sip.address}:${sip.port}`],
      ["external_media_address", externalAddress],
      ["external_signaling_address", externalAddress],
      ...localNetworks.map((network) => ["local_net", network] as const),
      ...transport === "tls"
        ? [["method", "tlsv1_2"], ["verify_server", "yes"], ["ca_list_path", "/etc/ssl/certs"]] as const
        : []
    ),
    username === undefined ? "" : section(
      name,
      ["type", "auth"],
      ["auth_type", "userpass"],
      ["username", username],
      ["password", password ?? ""]
    ),
    registers
      ? section(
        name,
        ["type", "registration"],
        ["transport", "outdial-transport"],
        ["outbound_auth", username === undefined ? undefined : name],
        ["server_uri", uri],
        ["client_uri", `sip:${username ?? name}@${host}${parameters}`],
        ["retry_interval", 30],
        ["forbidden_retry_interval", 300]
      )
      : "",
    section(name, ["type", "aor"], ["contact", uri], ["qualify_frequency", qualifySeconds]),
    section(
      name,
      ["type", "endpoint"],
      ["transport", "outdial-transport"],
      ["aors", name],
      ["outbound_auth", username === undefined ? undefined : name],
      ["from_domain", registers || username !== undefined ? hostname : undefined],
      ["context", "outdial-incoming"],
      ["disallow", "all"],
      ["allow", "ulaw,alaw"],
      ["media_encryption", encrypts ? "sdes" : undefined],
      ["direct_media", "no"],
      ["rtp_symmetric", "yes"],
      ["force_rport", "yes"],
      ["send_pai", "yes"],
      // What the phone shows is known from the beginning. Providers get no re-INVITE for it.
      ["send_connected_line", "no"],
      ["trust_id_outbound", "yes"]
    ),
    section(name, ["type", "identify"], ["endpoint", name], ["match", hostname])
  )
}

/** The contexts that a call goes through, as `doctor` asks for them. */
export const contexts = {
  ended: "outdial-ended",
  answered: "outdial-answered",
  amd: "outdial-amd"
} as const

/** Where Asterisk keeps recordings, and shows, fetches and deletes them over ARI: so the record of a call has the name of a recording. */
const recordPath = "${ASTSPOOLDIR}/recording/call-${CHANNEL(uniqueid)}.ulaw"

const dialplan = `; What Outdial needs in the dialplan. Add it to yours as it is.

; How a call has ended, as a file that ARI can read. It is pushed to the channel as a hangup handler when the call is created. Providers word
; their replies freely, hence the filter.
[${contexts.ended}]
exten => s,1,Set(sip=\${FILTER(A-Za-z0-9 ,\${HANGUPCAUSE(\${CHANNEL},tech)})})
 same => n,Set(answeredAt=\${IF($["\${answeredAt}"=""]?\${CDR(answer,u)}:\${answeredAt})})
 same => n,Set(FILE(${recordPath})={"id":"\${CHANNEL(uniqueid)}","account":"\${OUTDIAL_ACCOUNT}","createdAt":\${OUTDIAL_CREATED_AT},"state":"\${CHANNEL(state)}","cause":"\${HANGUPCAUSE}","to":"\${CHANNEL(pjsip,remote_addr)}","sip":"\${sip}","answeredAt":\${answeredAt},"endedAt":\${STRFTIME(,,%s.%3q)}})
 same => n,Return()

; Where an answered call is sent, for milliseconds: notes the answer, lengthens its time, and gives it to the application of a node, whose name
; is the extension. If that is gone meanwhile, the call ends.
[${contexts.answered}]
exten => _[o].,1,Set(TIMEOUT(absolute)=\${OUTDIAL_MAX_SECONDS})
 same => n,Set(answeredAt=\${CDR(answer,u)})
 same => n,Set(FILE(${recordPath})={"id":"\${CHANNEL(uniqueid)}","account":"\${OUTDIAL_ACCOUNT}","createdAt":\${OUTDIAL_CREATED_AT},"answeredAt":\${answeredAt}})
 same => n,Stasis(\${EXTEN},answered)
 same => n,Hangup()

; Tells people from machines beside the conversation, on a channel that listens to the call.
[${contexts.amd}]
exten => _[o].,1,AMD()
 same => n,Stasis(\${EXTEN},amd,\${AMDSTATUS},\${AMDCAUSE})
 same => n,Hangup()

; Calls that come in over the trunk are refused.
[outdial-incoming]
exten => _[+0-9]!,1,Hangup(1)
`
