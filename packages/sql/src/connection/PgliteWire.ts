/**
 * Postgres' wire protocol to a PGlite, as the streams that `PgClient` asks for. PGlite has one session: a stream gets
 * it, reset, when the previous stream has closed. Messages are executed whole and in order.
 *
 * Uses Node's streams with promises and callbacks, because both sides do.
 */
import { Buffer } from "node:buffer"
import { Duplex } from "node:stream"

/** PGlite's `execProtocolRaw`: takes complete messages and returns the answer. */
export type Execute = (messages: Uint8Array) => Promise<Uint8Array>

/** Code of a CancelRequest, sent in place of a protocol version. */
const cancelRequest = 80877102

const terminate = "X".charCodeAt(0)

/** Ends an incomplete exchange. */
const sync = Buffer.from([0x53, 0, 0, 0, 4])

const query = (text: string) => {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write("Q")
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Resets a session: no transaction, no prepared statements, no settings. */
const reset = [sync, query("rollback"), query("discard all")]

/** Makes the streams of one PGlite. */
export const make = (execute: Execute): () => Duplex => {
  let lastClosed: Promise<unknown> = Promise.resolve()

  return () => {
    let started = false
    let received: Uint8Array = Buffer.alloc(0)
    let working: Promise<unknown> = Promise.resolve()

    const start = (message: Uint8Array): Promise<void> => {
      const before = lastClosed
      const closed = new Promise((resolve) => stream.once("close", resolve))
      lastClosed = before.then(() => closed)
      return before.then(() => reset.reduce((done, step) => done.then(() => forward(step, discard)), Promise.resolve()))
        .then(() => forward(message, answer))
    }

    const answer = (bytes: Uint8Array) => {
      if (bytes.length > 0) stream.push(bytes)
    }

    const forward = (messages: Uint8Array, then: (answer: Uint8Array) => void): Promise<void> =>
      // A destroyed stream must not write into the session of the next one.
      stream.destroyed
        ? Promise.resolve()
        : execute(messages).then((bytes) => stream.destroyed ? undefined : then(bytes))

    const handle = (): Promise<void> => {
      if (!started) {
        const message = takeStartup(received)
        if (message === undefined) return Promise.resolve()
        started = true
        received = received.subarray(message.length)
        // Nothing runs concurrently that could be canceled: the stream is closed, as a server would do.
        if (codeOf(message) === cancelRequest) return Promise.resolve(void stream.destroy())
        return start(message).then(handle)
      }
      const { end, terminated } = wholeMessages(received)
      const messages = received.subarray(0, end)
      received = received.subarray(end)
      const done = messages.length === 0 ? Promise.resolve() : forward(messages, answer)
      // PGlite would shut down on a Terminate, so only the stream ends.
      return terminated ? done.then(() => void stream.destroy()) : done
    }

    const stream = new Duplex({
      read: () => {},
      write: (chunk: Uint8Array, _encoding, done) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        working = handle()
        working.then(() => done(), done)
      },
      // "close" is emitted when PGlite has finished this stream's work, so that the next stream finds it idle.
      destroy: (error, done) => {
        const close = () => done(error)
        working.then(close, close)
      }
    })
    return stream
  }
}

const discard = () => {}

const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** The first message, which has no type: its length, then a code. */
const takeStartup = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes.length < 8) return undefined
  const length = view(bytes).getInt32(0)
  return bytes.length < length ? undefined : bytes.subarray(0, length)
}

const codeOf = (startup: Uint8Array) => view(startup).getInt32(4)

/** The end of the last complete message: each has a type, and a length that includes itself. */
const wholeMessages = (bytes: Uint8Array): { readonly end: number; readonly terminated: boolean } => {
  let end = 0
  while (bytes.length - end >= 5) {
    if (bytes[end] === terminate) return { end, terminated: true }
    const next = end + 1 + view(bytes).getInt32(end + 1)
    if (next > bytes.length) break
    end = next
  }
  return { end, terminated: false }
}
