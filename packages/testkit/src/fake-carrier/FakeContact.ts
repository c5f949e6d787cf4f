/** The contact of a call at a relay: it hears what the agent says, at its pace, and says its lines. */

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
  /** Epoch milliseconds. */
  readonly at: number
}

export interface ContactOptions {
  readonly url: string
  /** Of the request that opens the socket. */
  readonly headers?: Record<string, string>
  /** The first frame. */
  readonly setup: unknown
  /** The relay reports which words it has played. */
  readonly reportsPlayed: boolean
  /** Milliseconds for each character that the agent says. */
  readonly character: number
  /** Milliseconds after which the contact answers, unless the agent goes on. */
  readonly reply: number
  /** The contact adds what it hears and says. */
  readonly words: Array<Words>
  readonly says: ReadonlyArray<string>
  /** Once it has said everything. */
  readonly hangsUp: boolean
}

/** Node's WebSocket takes headers, which browsers' do not. */
const Socket = WebSocket as unknown as new(
  url: string,
  options: { readonly headers: Record<string, string> }
) => WebSocket

export const make = (
  { character, headers = {}, hangsUp, reply, reportsPlayed, says, setup, url, words }: ContactOptions
): Contact => {
  const socket = new Socket(url, { headers })
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
    words.push({ speaker: "contact", text, at: Date.now() })
    send({ type: "prompt", voicePrompt: text, lang: "en-US", last: true })
  }

  const hear = async (text: string) => {
    clearTimeout(turn)
    await new Promise((done) => setTimeout(done, text.length * character))
    if (socket.readyState !== WebSocket.OPEN) return
    words.push({ speaker: "agent", text, at: Date.now() })
    if (reportsPlayed) send({ type: "info", name: "tokensPlayed", value: text })
    clearTimeout(turn)
    turn = setTimeout(say, reply)
  }

  socket.addEventListener("open", () => send(setup))
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
