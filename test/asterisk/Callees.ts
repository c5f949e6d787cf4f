/**
 * Phones of other makers behind a trunk: SIPp, and baresip, which records what it hears. The trunk is a proxy that passes each call to the
 * phone of its number, and counts the calls: a lost packet repeats an INVITE, and a second call has another Call-ID.
 */
import { Samples, Wav } from "@outdial/core"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { createSocket, type RemoteInfo } from "node:dgram"
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

/** What is needed of these programs and is not installed: packages of Debian. */
export const missing = (["baresip", "espeak-ng", "sipp"] as const)
  .filter((program) => {
    const { error } = spawnSync(program, ["-h"], { timeout: 10_000, killSignal: "SIGKILL" })
    return error !== undefined && "code" in error && error.code === "ENOENT"
  })
  .map((program) => ({ "sipp": "sip-tester", "baresip": "baresip-core", "espeak-ng": "espeak-ng" })[program])

/** A port for SIP that is free now. */
const freeUdpPort = Effect.callback<number>((resume) => {
  const socket = createSocket("udp4")
  socket.bind(0, "127.0.0.1", () => {
    const { port } = socket.address()
    socket.close(() => resume(Effect.succeed(port)))
  })
})

/** Its output goes to the file. */
const program = (command: string, args: ReadonlyArray<string>, output: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const file = openSync(output, "w")
      const child = spawn(command, args, { stdio: ["ignore", file, "ignore"] })
      closeSync(file)
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** A call that comes before a phone listens, or before it knows its number, has failed. */
const until = (isReady: () => boolean) =>
  Effect.eventually(Effect.suspend(() => isReady() ? Effect.void : Effect.delay(Effect.fail("not yet"), "50 millis")))
    .pipe(Effect.timeout("1 minute"), Effect.orDie)

/** Whether a process listens on the UDP port, as Linux shows it. */
const isBound = (port: number) =>
  readFileSync("/proc/net/udp", "utf8").includes(`:${port.toString(16).toUpperCase().padStart(4, "0")} `)

export interface Callee {
  readonly port: number
  /** The Call-IDs of the INVITEs that it has received, by its own log. */
  readonly invites: () => ReadonlyArray<string>
}

const invitesIn = (log: string) => () =>
  Array.from(readFileSync(log, "utf8").matchAll(/^INVITE sip:[^]*?^Call-ID: *(\S+)/gim), ([, id = ""]) => id)

const scenario = (sound: string) =>
  `<?xml version="1.0"?>
<scenario name="callee">
  <recv request="INVITE"/>
  <send><![CDATA[
SIP/2.0 180 Ringing
[last_Via:]
[last_From:]
[last_To:];tag=[call_number]
[last_Call-ID:]
[last_CSeq:]
Contact: <sip:callee@[local_ip]:[local_port]>
Content-Length: 0

]]></send>
  <pause milliseconds="500"/>
  <send retrans="500"><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:];tag=[call_number]
[last_Call-ID:]
[last_CSeq:]
Contact: <sip:callee@[local_ip]:[local_port]>
Content-Type: application/sdp
Content-Length: [len]

v=0
o=- 1 1 IN IP[local_ip_type] [local_ip]
s=-
c=IN IP[media_ip_type] [media_ip]
t=0 0
m=audio [rtpstream_audio_port] RTP/AVP 0 101
a=rtpmap:0 PCMU/8000
a=rtpmap:101 telephone-event/8000
a=sendrecv
]]></send>
  <recv request="ACK"/>
  <nop><action><exec rtp_stream="${sound},-1,0"/></action></nop>
  <recv request="BYE"/>
  <send><![CDATA[
SIP/2.0 200 OK
[last_Via:]
[last_From:]
[last_To:]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>
</scenario>
`

/** Takes any number of calls to any number at once, and says these codes of µ-law over and over. */
export const sipp = Effect.fnUntraced(
  function*({ folder, says }: { readonly folder: string; readonly says: Uint8Array }) {
    const port = yield* freeUdpPort
    const [sound, file, log] = ["callee.ulaw", "callee.xml", "callee.log"].map((name) => join(folder, name)) as [
      string,
      string,
      string
    ]
    writeFileSync(sound, says)
    writeFileSync(file, scenario(sound))
    const local = ["-i", "127.0.0.1", "-p", String(port), "-mi", "127.0.0.1"]
    writeFileSync(log, "")
    yield* program(
      "sipp",
      ["-sf", file, ...local, "-nostdin", "-trace_msg", "-message_file", log],
      join(folder, "callee.screen")
    )
    yield* until(() => isBound(port))
    return { port, invites: invitesIn(log) } satisfies Callee
  }
)

export interface Baresip extends Callee {
  /** What it has heard of its calls, at 8 kHz. */
  readonly heard: () => Int16Array
}

/** Takes one call at a time to its number, and says these samples at 8 kHz once. */
export const baresip = Effect.fnUntraced(
  function*({ folder, number, says }: { readonly folder: string; readonly number: string; readonly says: Int16Array }) {
    const port = yield* freeUdpPort
    const home = join(folder, number.slice(1))
    const [sound, heard] = [join(home, "says.wav"), join(home, "heard")]
    yield* Effect.promise(() => mkdir(heard, { recursive: true }))
    const bytes = Samples.toLittleEndian(says)
    writeFileSync(sound, Buffer.concat([Wav.header({ bytes: bytes.length, channels: 1, sampleRate: 8_000 }), bytes]))
    writeFileSync(
      join(home, "accounts"),
      `<sip:${number}@127.0.0.1:${port}>;regint=0;answermode=auto;audio_codecs=PCMU\n`
    )
    writeFileSync(join(home, "contacts"), "")
    writeFileSync(
      join(home, "config"),
      `sip_listen 127.0.0.1:${port}
net_interface 127.0.0.1
audio_source aufile,${sound}
audio_player aubridge,sink
audio_alert aubridge,alert
ausrc_srate 8000
auplay_srate 8000
ausrc_channels 1
auplay_channels 1
rtp_ports 40000-48999
module_path /usr/lib/baresip/modules
module g711.so
module aufile.so
module aubridge.so
module sndfile.so
module_tmp account.so
module_app menu.so
snd_path ${heard}
statmode_default off
`
    )
    // It writes its log line by line only to a terminal.
    const log = join(home, "log")
    yield* program("stdbuf", ["-oL", "baresip", "-4", "-s", "-f", home], log)
    yield* until(() => readFileSync(log, "utf8").includes("baresip is ready"))
    return {
      port,
      invites: invitesIn(log),
      heard: () => {
        const files = readdirSync(heard).filter((name) => name.endsWith("-dec.wav"))
        return Int16Array.from(
          files.flatMap((
            name
          ) => [...Samples.fromLittleEndian(new Uint8Array(readFileSync(join(heard, name))).subarray(Wav.headerBytes))])
        )
      }
    } satisfies Baresip
  }
)

/** A call that came in. */
export interface TrunkCall {
  /** Outdial's, from the header that it adds. */
  readonly callId: string
  readonly number: string
  isAnswered: boolean
}

export interface Trunk {
  readonly port: number
  /** All calls that came in, oldest first. */
  readonly calls: ReadonlyArray<TrunkCall>
}

/** Passes calls to the phone of their number. */
export const trunk = (calleeOf: (number: string) => Callee) =>
  Effect.acquireRelease(
    Effect.callback<Trunk & { readonly close: () => void }>((resume) => {
      const socket = createSocket("udp4")
      /** By the Call-ID. */
      const calls = new Map<string, TrunkCall & { readonly pbx: RemoteInfo; readonly callee: Callee }>()
      socket.on("message", (bytes, from) => {
        const text = bytes.toString("utf8")
        const [, id = ""] = /^Call-ID: *(\S+)/im.exec(text) ?? []
        const [, method = ""] = /^CSeq: *\d+ (\S+)/im.exec(text) ?? []
        const [, number] = /^INVITE sip:([^@]+)@/.exec(text) ?? []
        const known = calls.get(id)
        if (number !== undefined && known === undefined) {
          const [, callId = ""] = /^X-Call-Id: *(\S+)/im.exec(text) ?? []
          const [to, callee] = [decodeURIComponent(number), calleeOf(decodeURIComponent(number))]
          calls.set(id, { callId, number: to, isAnswered: false, pbx: from, callee })
        }
        const call = calls.get(id)
        if (call === undefined) return
        if (method === "INVITE" && text.startsWith("SIP/2.0 200")) call.isAnswered = true
        if (from.port === call.callee.port) return socket.send(bytes, call.pbx.port, "127.0.0.1")
        return socket.send(bytes, call.callee.port, "127.0.0.1")
      })
      socket.bind(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          port: (socket.address() as AddressInfo).port,
          get calls() {
            return [...calls.values()]
          },
          close: () => socket.close()
        })))
    }),
    ({ close }) => Effect.sync(close)
  )
