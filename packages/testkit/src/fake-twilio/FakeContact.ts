/** The contact of a call at the relay: it hears what the agent says, at its pace, and says its lines. */

export interface Connection {
  readonly url: string
  readonly action: string
}

/** The relay's address in TwiML, and where to ask what follows; `undefined` when the call is to end. */
export const connectionOf = (twiml: string): Connection | undefined => {
  const attribute = (element: string, name: string) =>
    new RegExp(`<${element}[^>]* ${name}="([^"]*)"`).exec(twiml)?.[1]?.replaceAll("&amp;", "&")
  const [url, action] = [attribute("ConversationRelay", "url"), attribute("Connect", "action")]
  return url === undefined || action === undefined ? undefined : { url, action }
}

/** How a session ended: by the application, with the loss of its socket, or because the contact has said everything. */
export type Over =
  | { readonly _tag: "Ended"; readonly handoffData?: string }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Said" }

export interface Contact {
  readonly over: Promise<Over>
  readonly close: () => void
  /** The connection is lost without a word. */
  readonly cut: () => void
}

/** What was heard or said. */
export interface Words {
  readonly speaker: "agent" | "contact"
  readonly text: string
}

export interface ContactOptions {
  readonly call: {
    readonly sid: string
    readonly from: string
    readonly to: string
    /** The contact adds what it hears and says. */
    readonly words: Array<Words>
  }
  readonly accountSid: string
  readonly url: string
  readonly signature: string
  readonly pace: number
  readonly says: ReadonlyArray<string>
  /** Once it has said everything. */
  readonly hangsUp: boolean
}

/** Node's WebSocket takes headers, which browsers' do not. */
const Socket = WebSocket as unknown as new(
  url: string,
  options: { readonly headers: Record<string, string> }
) => WebSocket

export const make = ({ accountSid, call, hangsUp, pace, says, signature, url }: ContactOptions): Contact => {
  const socket = new Socket(url, { headers: { "x-twilio-signature": signature } })
  const lines = [...says]
  let resolve: (over: Over) => void = () => {}
  const over = new Promise<Over>((done) => resolve = done)
  const send = (frame: unknown) => socket.readyState === WebSocket.OPEN ? socket.send(JSON.stringify(frame)) : undefined
  let isTalking = Promise.resolve()

  /** Says the next line, unless the agent goes on. */
  let turn: NodeJS.Timeout | undefined
  const say = () => {
    const text = lines.shift()
    if (text === undefined) return hangsUp ? resolve({ _tag: "Said" }) : undefined
    call.words.push({ speaker: "contact", text })
    send({ type: "prompt", voicePrompt: text, lang: "en-US", last: true })
  }

  const hear = async (text: string) => {
    await new Promise((done) => setTimeout(done, text.length * pace / 10))
    if (socket.readyState !== WebSocket.OPEN) return
    call.words.push({ speaker: "agent", text })
    send({ type: "info", name: "tokensPlayed", value: text })
    clearTimeout(turn)
    turn = setTimeout(say, 100 * pace)
  }

  socket.addEventListener(
    "open",
    () =>
      send({
        type: "setup",
        sessionId: `VX${call.sid.slice(2)}`,
        accountSid,
        callSid: call.sid,
        from: call.from,
        to: call.to
      })
  )
  socket.addEventListener("message", ({ data }) => {
    const frame: { readonly type: string; readonly token?: string; readonly handoffData?: string } = JSON.parse(
      String(data)
    )
    if (frame.type === "text") isTalking = isTalking.then(() => hear(frame.token ?? ""))
    if (frame.type === "end") {
      resolve({ _tag: "Ended", ...(frame.handoffData !== undefined && { handoffData: frame.handoffData }) })
      socket.close(1000)
    }
  })
  socket.addEventListener("close", () => resolve({ _tag: "Lost" }))
  socket.addEventListener("error", () => resolve({ _tag: "Lost" }))
  void over.then(() => clearTimeout(turn))
  return { over, close: () => socket.close(1000), cut: () => socket.close(3001) }
}
