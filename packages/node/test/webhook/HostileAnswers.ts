/** Receivers with invalid responses: the bytes that each writes, and the expected result of a delivery. */
import type { Socket } from "node:net"

export interface HostileAnswer {
  /** Plays the receiver once the request has arrived. */
  readonly answer: (socket: Socket) => void
  /** A status that was heard, an error, or `waiting`: the caller's deadline ends it. */
  readonly comesTo: number | "connection_reset" | "network_error" | "failure" | "waiting"
}

const head = "HTTP/1.1 200 OK\r\n"

/** Writes until the reader stops. */
const endless = (socket: Socket, chunk: string) => {
  const more = () => {
    if (socket.destroyed) return
    if (socket.write(chunk)) setImmediate(more)
    else socket.once("drain", more)
  }
  more()
}

const drip = (socket: Socket, text: string) => {
  const timer = setInterval(() => socket.write(text), 20)
  socket.once("close", () => clearInterval(timer))
}

const redirect = (status: number, location: string): HostileAnswer => ({
  comesTo: status,
  answer: (socket) => socket.end(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`)
})

const once = (comesTo: HostileAnswer["comesTo"], text: string): HostileAnswer => ({
  comesTo,
  answer: (socket) => socket.end(text)
})

export const answers: Readonly<Record<string, HostileAnswer>> = {
  "never answers": { comesTo: "waiting", answer: () => {} },
  "hangs up without a word": { comesTo: "connection_reset", answer: (socket) => socket.end() },
  "resets the connection": { comesTo: "connection_reset", answer: (socket) => socket.resetAndDestroy() },
  "hangs up in the middle of the headers": once("connection_reset", `${head}content-le`),
  "drips its headers": {
    comesTo: "waiting",
    answer: (socket) => {
      socket.write(head)
      drip(socket, "x-a: b\r\n".slice(0, 1))
    }
  },
  "has endless headers": {
    comesTo: "network_error",
    answer: (socket) => {
      socket.write(head)
      endless(socket, `x-${"a".repeat(100)}: ${"b".repeat(1000)}\r\n`)
    }
  },
  "has one endless header": {
    comesTo: "network_error",
    answer: (socket) => {
      socket.write(`${head}x-a: `)
      endless(socket, "b".repeat(1000))
    }
  },
  "has an endless status line": {
    comesTo: "waiting",
    answer: (socket) => {
      socket.write("HTTP/1.1 200 ")
      drip(socket, "b".repeat(1000))
    }
  },
  "says Early Hints without end": {
    comesTo: "waiting",
    answer: (socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n")
  },
  // Undici does not have it, and no server has a reason to.
  "says Continue, which nobody waited for": once(
    "connection_reset",
    `HTTP/1.1 100 Continue\r\n\r\n${head}content-length: 0\r\n\r\n`
  ),
  "switches protocols": once(
    "failure",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"
  ),
  "speaks something else": once("network_error", "220 mail.example.com ESMTP\r\n"),
  "speaks HTTP/0.9": once("network_error", "<html>ok</html>"),
  "answers with nothing but zeros": once("network_error", "\0".repeat(1000)),
  "gives two lengths": once("network_error", `${head}content-length: 0\r\ncontent-length: 5\r\n\r\nhello`),
  "gives a length and chunks": once(
    "network_error",
    `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`
  ),
  "gives a length that is no number": once("network_error", `${head}content-length: -1\r\n\r\n`),
  "breaks a header's line": once("network_error", `${head}x-a: b\r\n c\u0000d: e\r\n\r\n`),
  "has an endless body": {
    comesTo: 200,
    answer: (socket) => {
      socket.write(`${head}\r\n`)
      endless(socket, "x".repeat(65_536))
    }
  },
  "drips its body": {
    comesTo: 200,
    answer: (socket) => {
      socket.write(`${head}\r\n`)
      drip(socket, ".")
    }
  },
  "announces more than it sends": once(200, `${head}content-length: 1000000\r\n\r\nx`),
  "announces more than there can be": once(200, `${head}content-length: 9007199254740991\r\n\r\nx`),
  "sends chunks that are none": once(200, `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`),
  "sends what claims to be compressed": once(200, `${head}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nxxxx`),
  "sends more than one answer": once(
    200,
    `${head}content-length: 0\r\n\r\nHTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n`
  ),
  "redirects to the metadata service": redirect(301, "http://169.254.169.254/latest/meta-data/"),
  "redirects to this machine": redirect(302, "http://127.0.0.1:1/"),
  "asks for GET elsewhere": redirect(303, "file:///etc/passwd"),
  "redirects for good measure": redirect(307, "https://127.0.0.1/"),
  "redirects for ever": redirect(308, "/"),
  "claims success in words only": once(500, "HTTP/1.1 500 OK\r\ncontent-length: 2\r\n\r\nOK"),
  "claims a status that is none": once("failure", "HTTP/1.1 000 OK\r\ncontent-length: 0\r\n\r\n")
}
