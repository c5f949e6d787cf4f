/**
 * A Twilio for tests, over real HTTP and WebSockets: the part of its API that places calls, signed callbacks, and the relay that turns a
 * call into text. It says which phones rang. Its faults are those that a network and a carrier have.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Contact from "./FakeContact.ts"

/** What becomes of a call once its phone rings. */
export type Callee =
  /** Answers, and says its lines, each after the agent has spoken. After the last one it listens, or hangs up. */
  | { readonly _tag: "Talks"; readonly says: ReadonlyArray<string>; readonly hangsUp?: boolean }
  /** A machine answers, and the detection of machines finds out. */
  | { readonly _tag: "Voicemail" }
  | { readonly _tag: "Busy" }
  | { readonly _tag: "NeverAnswers" }
  /** Rings until it is told what to do, with `answer` and `end`. */
  | { readonly _tag: "Waits"; readonly isMachine?: boolean; readonly isBusy?: boolean }

/** What becomes of a request for a call. */
export type Fault =
  /** The call is placed, and the response is lost. */
  | "response_lost"
  /** The call is placed, and the response is an error of a proxy. */
  | "error_500"
  | "html"
  /** Nothing arrives: the connection is reset. */
  | "reset"
  /** Error 21211: not a number. */
  | "refused"
  /** Error 20429: too many requests. */
  | "too_many"
  /** Error 20003: the credentials are wrong. */
  | "unauthorized"
  /** A proxy repeats the request: two calls are placed, and the second one is in the response. */
  | "twin"
  /** The call is placed, and the response is cut after so many bytes. */
  | { readonly cutAfter: number }

export type Condition = "well" | "unreachable" | "faulty" | "silent"

export interface FakeTwilioOptions {
  readonly accountSid?: string
  readonly authToken?: string
  /** Chooses the callee of a number. Default: by its last digit, as the simulator does. */
  readonly callee?: (to: string) => Callee
  /** Milliseconds for each character that the agent says, and before each step of a call. Default: 1. */
  readonly pace?: number
  /** What becomes of each request for a call to a number, after those of `fail`. Default: it is placed. */
  readonly fault?: (to: string) => Fault | undefined
  /** Whether calls that are answered are connected with the application's socket. Default: true. */
  readonly connects?: boolean
  /** Whether callbacks of these statuses are lost. */
  readonly losesCallback?: (call: FakeCall, status: string) => boolean
}

export interface FakeCall {
  readonly sid: string
  readonly to: string
  readonly from: string
  readonly form: URLSearchParams
  readonly createdAt: Date
  status: "queued" | "ringing" | "in-progress" | "completed" | "busy" | "no-answer" | "failed" | "canceled"
  answeredAt?: Date
  endedAt?: Date
  /** What the detection of machines has found. */
  answeredBy?: string
  /** What the contact heard and said, in order. */
  readonly words: Array<Contact.Words>
}

export class FakeTwilio extends Context.Service<FakeTwilio, {
  readonly accountSid: string
  readonly authToken: string
  /** The address of its API. */
  readonly url: string
  readonly calls: ReadonlyArray<FakeCall>
  /** The method and path of each request to the API. */
  readonly requests: ReadonlyArray<string>
  /** The statuses of responses to callbacks. */
  readonly callbacks: ReadonlyArray<{ readonly sid: string; readonly status: string; readonly answer: number }>
  /** The next requests for calls have these faults, one each. */
  readonly fail: (...faults: ReadonlyArray<Fault>) => void
  readonly answer: (sid: string) => Effect.Effect<void>
  /** The contact hangs up, or the phone stops ringing. */
  readonly end: (sid: string) => Effect.Effect<void>
  /** The sockets of the call are lost; the call goes on. */
  readonly cutSocket: (sid: string) => void
  readonly setCondition: (condition: Condition) => Effect.Effect<void>
  /** How many requests wait for a response. */
  readonly waiting: () => number
  /** The signature of a request with this form; of a socket, without one. */
  readonly sign: (url: string, form?: URLSearchParams) => string
}>()("@outdial/testkit/fake-twilio/FakeTwilio") {
  static readonly layer = (options: FakeTwilioOptions = {}): Layer.Layer<FakeTwilio> =>
    Layer.effect(FakeTwilio, make(options))
}

const byLastDigit = (to: string): Callee => {
  switch (to.at(-1)) {
    case "5":
      return { _tag: "Busy" }
    case "6":
      return { _tag: "NeverAnswers" }
    case "7":
      return { _tag: "Voicemail" }
    default:
      return { _tag: "Talks", says: ["Hello.", "Yes, that suits me."] }
  }
}

const listen = (server: Server, port: number) =>
  Effect.callback<number>((resume) => {
    server.listen(port, "127.0.0.1", () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  })

const make = Effect.fnUntraced(
  function*(
    {
      accountSid = `AC${"0".repeat(32)}`,
      authToken = "token of the fake",
      callee = byLastDigit,
      connects = true,
      fault: faultOf = () => undefined,
      losesCallback = () => false,
      pace = 1
    }: FakeTwilioOptions
  ): Effect.fn.Return<FakeTwilio["Service"], never, Scope.Scope> {
    const calls: Array<FakeCall> = []
    const requests: Array<string> = []
    const callbacks: Array<{ readonly sid: string; readonly status: string; readonly answer: number }> = []
    const faults: Array<Fault> = []
    const contacts = new Map<string, Contact.Contact>()
    const sockets = new Set<Socket>()
    const abort = new AbortController()
    let condition: Condition = "well"
    let waiting = 0

    const sign = (url: string, form: URLSearchParams = new URLSearchParams()) => {
      const keys = [...new Set(form.keys())].sort()
      const fields = keys.map((key) => [...new Set(form.getAll(key))].sort().map((value) => key + value).join("")).join(
        ""
      )
      return createHmac("sha1", authToken).update(url + fields).digest("base64")
    }

    /** Posts to the application, as often as Twilio does: once more when it fails. */
    const post = async (
      url: string,
      form: URLSearchParams
    ): Promise<{ readonly status: number; readonly text: string }> => {
      for (let tries = 1;; tries++) {
        const answer = await fetch(url, {
          method: "POST",
          body: form.toString(),
          headers: { "content-type": "application/x-www-form-urlencoded", "x-twilio-signature": sign(url, form) },
          signal: AbortSignal.any([abort.signal, AbortSignal.timeout(15_000)])
        }).then(
          async (response) => ({ status: response.status, text: await response.text() }),
          () => ({ status: 0, text: "" })
        )
        if (answer.status >= 200 && answer.status < 500 && answer.status !== 429 || tries > 1 || abort.signal.aborted) {
          return answer
        }
      }
    }

    const pause = (steps = 1) => new Promise((resolve) => setTimeout(resolve, steps * pace))

    const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
    const durationOf = ({ answeredAt, endedAt }: FakeCall) =>
      answeredAt === undefined || endedAt === undefined ? 0 : seconds(endedAt) - seconds(answeredAt)

    const fieldsOf = (call: FakeCall) => ({
      AccountSid: accountSid,
      CallSid: call.sid,
      CallStatus: call.status,
      To: call.to,
      From: call.from,
      Direction: "outbound-api"
    })

    const sendStatus = async (call: FakeCall, status: string, at: Date) => {
      const url = call.form.get("StatusCallback")
      if (url === null || losesCallback(call, status)) return
      const form = new URLSearchParams({
        ...fieldsOf(call),
        CallStatus: status,
        CallbackSource: "call-progress-events",
        Timestamp: at.toUTCString(),
        ...(call.endedAt !== undefined && {
          CallDuration: String(durationOf(call)),
          ...(call.answeredBy !== undefined && { AnsweredBy: call.answeredBy })
        })
      })
      const { status: answer } = await post(url, form)
      callbacks.push({ sid: call.sid, status, answer })
    }

    const finish = async (call: FakeCall, status: FakeCall["status"]) => {
      if (call.endedAt !== undefined) return
      call.status = status
      call.endedAt = new Date()
      contacts.get(call.sid)?.close()
      await sendStatus(call, status, call.endedAt)
    }

    /** Follows the instructions, and what the application answers when a session has ended. */
    const follow = async (call: FakeCall, twiml: string) => {
      for (let instructions = twiml; call.endedAt === undefined;) {
        const connection = Contact.connectionOf(instructions)
        if (connection === undefined) return finish(call, "completed")
        const person = callee(call.to)
        const contact = Contact.make({
          call,
          accountSid,
          url: connection.url,
          signature: sign(connection.url),
          pace,
          says: person._tag === "Talks"
            ? person.says.slice(call.words.filter(({ speaker }) => speaker === "contact").length)
            : [],
          hangsUp: person._tag === "Talks" && person.hangsUp === true
        })
        contacts.set(call.sid, contact)
        const over = await contact.over
        if (call.endedAt !== undefined) return
        if (over._tag === "Said") return finish(call, "completed")
        const form = new URLSearchParams({
          ...fieldsOf(call),
          SessionStatus: over._tag === "Ended" ? "ended" : "failed",
          ...(over._tag === "Ended" && over.handoffData !== undefined && { HandoffData: over.handoffData })
        })
        const next = await post(connection.action, form)
        if (next.status !== 200) return finish(call, "failed")
        instructions = next.text
      }
    }

    const answer = async (call: FakeCall) => {
      if (call.status !== "ringing") return
      call.status = "in-progress"
      call.answeredAt = new Date()
      await sendStatus(call, "in-progress", call.answeredAt)
      const detected = detect(call)
      if (connects) void follow(call, call.form.get("Twiml") ?? "")
      else await detected
    }

    /** Finds out who has answered, if it was asked to. */
    const detect = async (call: FakeCall) => {
      const url = call.form.get("AsyncAmdStatusCallback")
      if (url === null) return
      await pause(20)
      if (call.endedAt !== undefined) return
      const person = callee(call.to)
      const isMachine = person._tag === "Voicemail" || person._tag === "Waits" && person.isMachine === true
      call.answeredBy = isMachine ? "machine_end_beep" : "human"
      await post(url, new URLSearchParams({ ...fieldsOf(call), AnsweredBy: call.answeredBy }))
    }

    const live = async (call: FakeCall) => {
      await pause()
      if (call.endedAt !== undefined) return
      await sendStatus(call, "initiated", new Date())
      if (call.endedAt !== undefined) return
      call.status = "ringing"
      await sendStatus(call, "ringing", new Date())
      const person = callee(call.to)
      if (person._tag === "Waits") return
      await pause(5)
      if (call.endedAt !== undefined) return
      if (person._tag === "Busy") return finish(call, "busy")
      if (person._tag === "NeverAnswers") return finish(call, "no-answer")
      await answer(call)
    }

    const place = (form: URLSearchParams): FakeCall => {
      const call: FakeCall = {
        sid: `CA${randomBytes(16).toString("hex")}`,
        to: form.get("To") ?? "",
        from: form.get("From") ?? "",
        form,
        createdAt: new Date(),
        status: "queued",
        words: []
      }
      calls.push(call)
      void live(call)
      return call
    }

    const resource = (call: FakeCall) => ({
      sid: call.sid,
      account_sid: accountSid,
      to: call.to,
      from: call.from,
      status: call.status,
      direction: "outbound-api",
      date_created: call.createdAt.toUTCString(),
      start_time: call.answeredAt?.toUTCString() ?? null,
      end_time: call.endedAt?.toUTCString() ?? null,
      duration: call.endedAt === undefined ? null : String(durationOf(call)),
      answered_by: call.answeredBy ?? null,
      queue_time: "0"
    })

    const failed = (status: number, code: number, message: string) => ({
      status,
      body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
    })

    const create = (form: URLSearchParams, response: ServerResponse) => {
      const fault = faults.shift() ?? faultOf(form.get("To") ?? "")
      switch (fault) {
        case "reset":
          return response.socket?.destroy()
        case "refused":
          return reply(response, failed(400, 21211, "The phone number is not valid"))
        case "too_many":
          return reply(response, failed(429, 20429, "Too many requests"))
        case "unauthorized":
          return reply(response, failed(401, 20003, "Authenticate"))
        default: {
          const call = place(form)
          if (fault === "response_lost") return response.socket?.destroy()
          if (fault === "error_500") return reply(response, { status: 500, body: {} })
          if (fault === "html") {
            return response.writeHead(502, { "content-type": "text/html" }).end("<html>Bad gateway</html>")
          }
          if (fault === "twin") return reply(response, { status: 201, body: resource(place(form)) })
          if (typeof fault === "object") {
            const text = JSON.stringify(resource(call))
            response.writeHead(201, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
            response.write(text.slice(0, fault.cutAfter), () => response.socket?.destroy())
            return
          }
          return reply(response, { status: 201, body: resource(call) })
        }
      }
    }

    const reply = (response: ServerResponse, { body, status }: { readonly status: number; readonly body: unknown }) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))

    const bodyOf = async (request: IncomingMessage) => {
      const chunks: Array<Buffer> = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      return new URLSearchParams(Buffer.concat(chunks).toString())
    }

    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? "/", "http://twilio.test")
      requests.push(`${request.method} ${url.pathname}`)
      const form = await bodyOf(request)
      if (condition === "silent") {
        waiting += 1
        return void response.on("close", () => waiting -= 1)
      }
      if (condition === "faulty") return reply(response, { status: 500, body: {} })
      const base = `/2010-04-01/Accounts/${accountSid}/Calls`
      const credentials = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`
      if (request.headers.authorization !== credentials) return reply(response, failed(401, 20003, "Authenticate"))
      if (url.pathname === `/2010-04-01/Accounts/${accountSid}.json`) {
        return reply(response, { status: 200, body: { sid: accountSid, status: "active", type: "Full" } })
      }
      if (url.pathname === `${base}.json`) {
        if (request.method === "POST") return create(form, response)
        const found = calls.filter(({ from, to }) =>
          to === (url.searchParams.get("To") ?? to) && from === (url.searchParams.get("From") ?? from)
        )
        return reply(response, { status: 200, body: { calls: found.toReversed().map(resource) } })
      }
      const sid = /\/Calls\/(CA[0-9a-f]{32})\.json$/.exec(url.pathname)?.[1]
      const call = calls.find((one) => one.sid === sid)
      if (call === undefined) return reply(response, failed(404, 20404, "The requested resource was not found"))
      if (request.method === "POST") {
        if (call.endedAt !== undefined) return reply(response, failed(400, 21220, "Invalid call state"))
        await finish(call, call.status === "in-progress" ? "completed" : "canceled")
      }
      return reply(response, { status: 200, body: resource(call) })
    }

    const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
    server.on("connection", (socket) => {
      sockets.add(socket)
      socket.on("close", () => sockets.delete(socket))
    })
    const stop = Effect.callback<void>((resume) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => resume(Effect.void))
    })
    const port = yield* listen(server, 0)
    yield* Effect.addFinalizer(() => {
      abort.abort()
      for (const contact of contacts.values()) contact.close()
      return stop
    })

    const found = (sid: string) => {
      const call = calls.find((one) => one.sid === sid)
      if (call === undefined) throw new Error(`There is no call ${sid}`)
      return call
    }

    return FakeTwilio.of({
      accountSid,
      authToken,
      url: `http://127.0.0.1:${port}`,
      calls,
      requests,
      callbacks,
      fail: (...next) => void faults.push(...next),
      answer: (sid) => Effect.promise(() => answer(found(sid))),
      end: (sid) =>
        Effect.promise(() => {
          const call = found(sid)
          const person = callee(call.to)
          const isBusy = person._tag === "Busy" || person._tag === "Waits" && person.isBusy === true
          return finish(call, call.status === "in-progress" ? "completed" : isBusy ? "busy" : "no-answer")
        }),
      cutSocket: (sid) => contacts.get(sid)?.cut(),
      setCondition: Effect.fnUntraced(function*(next) {
        if (condition === "unreachable") yield* listen(server, port)
        condition = next
        if (next === "unreachable") yield* stop
      }),
      waiting: () => waiting,
      sign
    })
  }
)
