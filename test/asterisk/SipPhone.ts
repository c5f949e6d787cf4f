/**
 * Phones behind a SIP trunk, at a UDP port of this process: each number behaves as it is told. It counts the calls that make a phone ring: a lost
 * packet repeats an INVITE, and a second call has another Call-ID.
 */
import { Effect } from "effect"
import { createSocket, type RemoteInfo, type Socket } from "node:dgram"
import type { AddressInfo } from "node:net"

export interface Behaviour {
  /** The only reply, such as `486 Busy Here`. */
  readonly refuses?: string
  /** Never replies, as a trunk that is down. */
  readonly isDead?: boolean
  /** Replies so late, in milliseconds. */
  readonly repliesAfter?: number
  /** Sends its sound before the answer, with a 183 in place of a 180. */
  readonly hasEarlyMedia?: boolean
  /** In milliseconds after it began to ring. Default: when it is told to. */
  readonly answersAfter?: number
  /** In milliseconds after the answer. Default: when it is told to. */
  readonly hangsUpAfter?: number
  /** What it says once it is answered, as 8,000 bytes of µ-law a second, over and over. Default: nothing. */
  readonly says?: Uint8Array
  /** How many times faster than real time it speaks. Default: 1. */
  readonly haste?: number
  /** What it says at once to each packet that it hears, in place of `says`. */
  readonly replies?: (heard: Uint8Array) => Uint8Array
}

/** A call that came in. */
export interface PhoneCall {
  /** Of the SIP dialog. */
  readonly id: string
  /** Outdial's, from the header that it adds. */
  readonly callId: string
  readonly number: string
  readonly from: string
  state: "ringing" | "answered" | "over"
  /** What it has heard, as µ-law. */
  readonly heard: Array<Uint8Array>
  /** When each piece of it came, by `performance.now`. */
  readonly heardAt: Array<number>
  /** When it sent each piece of what it says, by `performance.now`. */
  readonly spokenAt: Array<number>
  /** The digits that were pressed, as events of RFC 4733: 0 to 9, and 11 for `#`. */
  readonly events: Array<number>
  readonly invitedAt: number
  /** Requests to change the call, which some providers do not like. */
  updates: number
  endedAt?: number
}

interface Dialog extends PhoneCall {
  readonly behaviour: Behaviour
  readonly invite: Message
  readonly peer: RemoteInfo
  readonly tag: string
  readonly rtp: Socket
  readonly timers: Set<NodeJS.Timeout>
  lastReply: string | undefined
  cseq: number
  /** Of the packets that it sends, and how many of them are sound. */
  sequence: number
  frames: number
}

interface Message {
  readonly start: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

const parse = (text: string): Message => {
  const [head = "", body = ""] = text.split("\r\n\r\n")
  const [start = "", ...lines] = head.split("\r\n")
  return {
    start,
    body,
    headers: lines.map((line) =>
      [line.split(":")[0]?.trim().toLowerCase() ?? "", line.slice(line.indexOf(":") + 1).trim()] as const
    )
  }
}

const header = ({ headers }: Message, name: string) => headers.find(([one]) => one === name)?.[1] ?? ""

export interface SipPhone {
  readonly port: number
  /** All calls that came in, oldest first. */
  readonly calls: ReadonlyArray<PhoneCall>
  /** How each number behaves from now on. */
  readonly behave: (of: (number: string) => Behaviour) => void
  readonly answer: (id: string) => void
  readonly hangUp: (id: string) => void
  /** Says this once, as `says` of its behaviour. */
  readonly say: (id: string, sound: Uint8Array) => void
  /** Presses a key for 100 ms, as events of RFC 4733: `0` to `9`, `*` and `#`. */
  readonly press: (id: string, key: string) => void
  /** Loses all packets, both ways, until it is mended. */
  readonly setCut: (isCut: boolean) => void
}

export const make = Effect.acquireRelease(
  Effect.callback<SipPhone & { readonly close: () => void }>((resume) => {
    const socket = createSocket("udp4")
    const dialogs = new Map<string, Dialog>()
    const calls: Array<Dialog> = []
    let behaviourOf: (number: string) => Behaviour = () => ({})
    let isCut = false
    /** The dialogs whose BYE was not answered: it is repeated. */
    const unconfirmed = new Set<string>()

    const send = (text: string, { address, port }: { readonly address: string; readonly port: number }) => {
      if (!isCut) socket.send(text, port, address)
    }

    const later = (dialog: Dialog, ms: number, run: () => void) => {
      const timer = setTimeout(() => {
        dialog.timers.delete(timer)
        run()
      }, ms)
      dialog.timers.add(timer)
    }

    const replyTo = (request: Message, status: string, { body = "", contact, tag }: {
      readonly tag?: string
      readonly body?: string
      readonly contact?: string
    } = {}) => {
      const to = header(request, "to")
      return [
        `SIP/2.0 ${status}`,
        ...request.headers.filter(([name]) => name === "via").map(([, value]) => `Via: ${value}`),
        `From: ${header(request, "from")}`,
        `To: ${tag === undefined || to.includes("tag=") ? to : `${to};tag=${tag}`}`,
        `Call-ID: ${header(request, "call-id")}`,
        `CSeq: ${header(request, "cseq")}`,
        ...(contact === undefined ? [] : [`Contact: <${contact}>`]),
        ...(body === "" ? [] : ["Content-Type: application/sdp"]),
        `Content-Length: ${body.length}`,
        "",
        body
      ].join("\r\n")
    }

    const contactOf = () => `sip:phone@127.0.0.1:${(socket.address() as AddressInfo).port}`
    const sdpOf = (dialog: Dialog) =>
      [
        "v=0",
        "o=phone 1 1 IN IP4 127.0.0.1",
        "s=-",
        "c=IN IP4 127.0.0.1",
        "t=0 0",
        `m=audio ${(dialog.rtp.address() as AddressInfo).port} RTP/AVP 0 101`,
        "a=rtpmap:0 PCMU/8000",
        "a=rtpmap:101 telephone-event/8000",
        "a=ptime:20",
        ""
      ].join("\r\n")

    const reply = (dialog: Dialog, status: string, withSound = false) => {
      dialog.lastReply = replyTo(dialog.invite, status, {
        tag: dialog.tag,
        contact: contactOf(),
        ...(withSound && { body: sdpOf(dialog) })
      })
      send(dialog.lastReply, dialog.peer)
    }

    const sendRtp = (
      dialog: Dialog,
      { payload, timestamp, type }: { readonly type: number; readonly timestamp: number; readonly payload: Uint8Array }
    ) => {
      const [, address = ""] = /c=IN IP4 (\S+)/.exec(dialog.invite.body) ?? []
      const [, port = "0"] = /m=audio (\d+)/.exec(dialog.invite.body) ?? []
      const packet = Buffer.alloc(12 + payload.length)
      packet.writeUInt8(0x80, 0)
      packet.writeUInt8(type, 1)
      packet.writeUInt16BE(dialog.sequence++ & 0xffff, 2)
      packet.writeUInt32BE(timestamp >>> 0, 4)
      packet.writeUInt32BE(1234, 8)
      packet.set(payload, 12)
      dialog.rtp.send(packet, Number(port), address)
    }

    const sendFrame = (dialog: Dialog, payload: Uint8Array) => {
      dialog.spokenAt.push(performance.now())
      sendRtp(dialog, { type: 0, timestamp: 160 * dialog.frames++, payload })
    }

    const speak = (dialog: Dialog, says: Uint8Array, times = Infinity) => {
      const { haste = 1 } = dialog.behaviour
      let frame = 0
      const frames = Math.floor(says.length / 160)
      const startedAt = performance.now()
      const timer = setInterval(() => {
        const due = Math.min(times * frames, Math.floor((performance.now() - startedAt) / 20 * haste))
        for (; frame < due; frame++) {
          sendFrame(dialog, says.subarray((frame % frames) * 160, (frame % frames) * 160 + 160))
        }
        if (frame === times * frames) clearInterval(timer)
      }, 20)
      dialog.timers.add(timer as unknown as NodeJS.Timeout)
    }

    /** As its behaviour says. */
    const speaks = (dialog: Dialog) => {
      if (dialog.behaviour.says !== undefined) speak(dialog, dialog.behaviour.says)
    }

    const press = (dialog: Dialog, key: string) => {
      const [event, timestamp] = ["0123456789*#".indexOf(key), Math.round(performance.now() * 8)]
      // An update every 20 ms, and the end three times.
      const durations = [160, 320, 480, 640, 800, 800, 800]
      for (const [index, duration] of durations.entries()) {
        later(dialog, 20 * index, () =>
          sendRtp(dialog, {
            type: 101,
            timestamp,
            payload: Uint8Array.of(event, index < 4 ? 10 : 0x80 + 10, duration >> 8, duration & 0xff)
          }))
      }
    }

    const end = (dialog: Dialog) => {
      if (dialog.state === "over") return
      dialog.state = "over"
      dialog.endedAt = Date.now()
      for (const timer of dialog.timers) clearInterval(timer)
      dialog.rtp.close()
    }

    const answer = (dialog: Dialog) => {
      if (dialog.state !== "ringing") return
      dialog.state = "answered"
      reply(dialog, "200 OK", true)
      if (dialog.behaviour.hasEarlyMedia !== true) speaks(dialog)
      if (dialog.behaviour.hangsUpAfter !== undefined) {
        later(dialog, dialog.behaviour.hangsUpAfter, () => hangUp(dialog))
      }
    }

    const hangUp = (dialog: Dialog) => {
      if (dialog.state === "ringing") {
        reply(dialog, "480 Temporarily Unavailable")
        return end(dialog)
      }
      if (dialog.state !== "answered") return
      const [, target = ""] = /<([^>]+)>/.exec(header(dialog.invite, "contact")) ?? []
      const to = header(dialog.invite, "to")
      const bye = [
        `BYE ${target} SIP/2.0`,
        `Via: SIP/2.0/UDP 127.0.0.1:${
          (socket.address() as AddressInfo).port
        };branch=z9hG4bK${dialog.tag}${dialog.cseq}`,
        "Max-Forwards: 70",
        `From: ${to};tag=${dialog.tag}`,
        `To: ${header(dialog.invite, "from")}`,
        `Call-ID: ${dialog.id}`,
        `CSeq: ${dialog.cseq++} BYE`,
        "Content-Length: 0",
        "",
        ""
      ].join("\r\n")
      let times = 0
      const again = setInterval(() => {
        if (unconfirmed.has(dialog.id) && times++ < 10) send(bye, dialog.peer)
        else clearInterval(again)
      }, 500)
      unconfirmed.add(dialog.id)
      send(bye, dialog.peer)
      end(dialog)
    }

    const begin = (dialog: Dialog) => {
      const { answersAfter, hasEarlyMedia, isDead, refuses } = dialog.behaviour
      if (isDead === true) return
      if (refuses !== undefined) {
        reply(dialog, refuses)
        return end(dialog)
      }
      if (hasEarlyMedia === true) {
        reply(dialog, "183 Session Progress", true)
        speaks(dialog)
      } else reply(dialog, "180 Ringing")
      if (answersAfter !== undefined) later(dialog, answersAfter, () => answer(dialog))
    }

    const invited = (invite: Message, peer: RemoteInfo) => {
      const id = header(invite, "call-id")
      const known = dialogs.get(id)
      if (known !== undefined && header(invite, "cseq") !== header(known.invite, "cseq")) {
        // In the dialog: it changes nothing.
        known.updates += 1
        send(replyTo(invite, "200 OK", { contact: contactOf(), body: sdpOf(known) }), peer)
        return
      }
      if (known !== undefined) {
        if (known.lastReply !== undefined) send(known.lastReply, known.peer)
        return
      }
      const [, number = ""] = /^INVITE sip:([^@]+)@/.exec(invite.start) ?? []
      const rtp = createSocket("udp4")
      const dialog: Dialog = {
        id,
        number: decodeURIComponent(number),
        callId: header(invite, "x-call-id"),
        from: /sip:([^@]+)@/.exec(header(invite, "from"))?.[1] ?? "",
        state: "ringing",
        heard: [],
        heardAt: [],
        spokenAt: [],
        events: [],
        invitedAt: Date.now(),
        updates: 0,
        behaviour: behaviourOf(decodeURIComponent(number)),
        invite,
        peer,
        tag: `t${calls.length}`,
        rtp,
        timers: new Set(),
        lastReply: undefined,
        cseq: 1,
        sequence: 0,
        frames: 0
      }
      dialogs.set(id, dialog)
      calls.push(dialog)
      rtp.on("message", (packet) => {
        const isEvent = (packet[1] ?? 0) % 128 === 101
        if (isEvent) return dialog.events.push(packet[12] ?? -1)
        const heard = new Uint8Array(packet.subarray(12))
        dialog.heardAt.push(performance.now())
        dialog.heard.push(heard)
        const { replies } = dialog.behaviour
        if (replies !== undefined && dialog.state === "answered") sendFrame(dialog, replies(heard))
      })
      rtp.bind(0, "127.0.0.1", () => {
        const { repliesAfter = 0 } = dialog.behaviour
        if (repliesAfter > 0) later(dialog, repliesAfter, () => begin(dialog))
        else begin(dialog)
      })
    }

    socket.on("message", (bytes, peer) => {
      if (isCut) return
      const message = parse(bytes.toString("utf8"))
      const [method = ""] = message.start.split(" ")
      const dialog = dialogs.get(header(message, "call-id"))
      if (message.start.startsWith("SIP/2.0 ")) return void unconfirmed.delete(header(message, "call-id"))
      switch (method) {
        case "INVITE":
          return invited(message, peer)
        case "CANCEL":
          if (dialog?.behaviour.isDead === true) return
          send(replyTo(message, "200 OK"), peer)
          if (dialog?.state === "ringing") {
            reply(dialog, "487 Request Terminated")
            end(dialog)
          }
          return
        case "BYE":
          send(replyTo(message, "200 OK"), peer)
          if (dialog !== undefined) end(dialog)
          return
        case "OPTIONS":
          return send(replyTo(message, "200 OK", { tag: "options" }), peer)
        default:
          return
      }
    })
    socket.bind(0, "127.0.0.1", () => {
      const found = (id: string) => {
        const dialog = dialogs.get(id)
        if (dialog === undefined) throw new Error(`There is no call ${id}`)
        return dialog
      }
      resume(Effect.succeed({
        port: (socket.address() as AddressInfo).port,
        calls,
        behave: (of) => {
          behaviourOf = of
        },
        answer: (id) => answer(found(id)),
        hangUp: (id) => hangUp(found(id)),
        say: (id, sound) => speak(found(id), sound, 1),
        press: (id, key) => press(found(id), key),
        setCut: (cut) => {
          isCut = cut
        },
        close: () => {
          unconfirmed.clear()
          isCut = true
          for (const dialog of dialogs.values()) end(dialog)
          socket.close()
        }
      }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
