/**
 * The calls of a fake carrier, from their placement to their end, and the faults that a carrier has. How they are told to the application,
 * and how it is asked for a conversation, is the carrier's own.
 */
import { Effect, type Scope } from "effect"
import { byLastDigit, type Callee, isBusy, isMachine, quick, type Timings } from "./Callee.ts"
import type * as Contact from "./FakeContact.ts"

export interface FakeCall<Request> {
  /** The carrier's id. */
  readonly id: string
  readonly to: string
  readonly from: string
  /** How it was asked for. */
  readonly request: Request
  readonly createdAt: Date
  status: "queued" | "ringing" | "in-progress" | "completed" | "busy" | "no-answer" | "failed" | "canceled"
  /** When its phone began to ring. */
  rangAt?: Date
  answeredAt?: Date
  endedAt?: Date
  /** What the carrier charges, in dollars, once a test has set it. */
  price?: string
  /** What the detection of machines has found. */
  answeredBy?: "human" | "machine"
  /** What the contact heard and said, in order. */
  readonly words: Array<Contact.Words>
  /** What the contact heard where the carrier streams sound: frames of 20 ms in mu-law. */
  readonly heard: Array<Uint8Array>
  /** The numbers with which the contact was to be connected, and what became of it. */
  readonly transfers: Array<{ readonly to: string; readonly from: string | undefined; readonly status: string }>
}

/** What a call's application is told. */
export type Progress =
  | "initiated"
  | "ringing"
  | "answered"
  | "verdict"
  | "greeting_ended"
  | "session_ended"
  | "ended"
  | "recorded"

/** A response to a callback; its status is 0 when there was none. */
export interface Response {
  readonly status: number
  readonly text: string
}

/** What becomes of a callback. Late ones, by so many milliseconds, also come in another order. */
export type Delivery = "sent" | "lost" | "doubled" | { readonly late: number }

/** What becomes of a request for a call. */
export type Fault =
  /** The call is placed, and the response is lost. */
  | "response_lost"
  /** The call is placed, and the response is an error of a proxy. */
  | "error_500"
  | "html"
  /** The call is placed, and the response has status 200 and an error inside. */
  | "error_200"
  /** Nothing arrives: the connection is reset. */
  | "reset"
  /** The carrier refuses the number. */
  | "refused"
  /** Too many requests. */
  | "too_many"
  /** The credentials are wrong. */
  | "unauthorized"
  /** A proxy repeats the request. Where that places two calls, the second one is in the response. */
  | "twin"
  /** The call is placed, and the body of the response is cut after so many bytes. */
  | { readonly cutAfter: number }
  /** The body of the request is cut after so many bytes; the call is placed only if that is all of it. */
  | { readonly cutRequestAfter: number }
  /**
   * The call is placed, and waits so many milliseconds in a queue before its phone rings. The response says so only if it is announced, and
   * the carrier has a word for it.
   */
  | { readonly ringsAfter: number; readonly isAnnounced?: true }

export interface FakeCallsOptions<Request> {
  /** Chooses the callee of a number. Default: by its last digit, as the simulator does. */
  readonly callee?: ((to: string) => Callee) | undefined
  /** Default: quick, for tests. */
  readonly timings?: Partial<Timings> | undefined
  /** What becomes of each request for a call to a number, after those of `fail`. Default: it is placed. */
  readonly fault?: ((to: string) => Fault | undefined) | undefined
  /** Whether calls that are answered are connected with the application's socket. Default: true. */
  readonly connects?: boolean | undefined
  /** What becomes of a callback. Default: it is sent, and repeated if it is not accepted. */
  readonly delivery?: ((call: FakeCall<Request>, progress: Progress) => Delivery) | undefined
}

/** A callback. */
export interface Message {
  readonly url: string
  readonly body: string
  /** Signed anew each time that it is sent. */
  readonly headers: () => Record<string, string>
  /** In milliseconds, after each time that it is not accepted. */
  readonly retriesAfter: ReadonlyArray<number>
  /** Whether a response with this status is accepted; of none, with 0. Default: those below 500, without 429. */
  readonly accepts?: (status: number) => boolean
}

/** What the carriers do in their own ways. */
export interface Wire<Request> {
  readonly newId: () => string
  /** The callback that tells of a step; none where the carrier has none. */
  readonly write: (call: FakeCall<Request>, progress: Progress, at: Date, reason?: string) => Message | undefined
  /** Whether the call is recorded from its answer on. */
  readonly records: (call: FakeCall<Request>) => boolean
  /** Opens sessions of the relay until the call has ended. */
  readonly converse: (call: FakeCall<Request>) => Promise<void>
  /** What the end of the call ends, too. Default: nothing. */
  readonly onEnd?: (call: FakeCall<Request>) => void
}

export interface FakeCalls<Request> {
  readonly calls: ReadonlyArray<FakeCall<Request>>
  /** The callbacks that were sent, and how they were answered. */
  readonly callbacks: ReadonlyArray<{ readonly id: string; readonly progress: Progress; readonly answer: number }>
  /** The audio that the carrier has, by the carrier's id of the call. */
  readonly recordings: Map<string, Uint8Array>
  /** The fault of this request for a call, which uses it up. */
  readonly nextFault: (to: string) => Fault | undefined
  /** After how many bytes of its body the next request for a call is cut, if that is its fault, which this uses up. */
  readonly nextCut: () => number | undefined
  /** The next requests for calls have these faults, one each. */
  readonly fail: (...faults: ReadonlyArray<Fault>) => void
  readonly place: (call: Pick<FakeCall<Request>, "from" | "request" | "to">, ringsAfter?: number) => FakeCall<Request>
  readonly find: (id: string) => FakeCall<Request>
  readonly callee: (call: FakeCall<Request>) => Callee
  readonly timings: Timings
  readonly post: (message: Message) => Promise<Response>
  /** Tells the application, subject to `delivery`. */
  readonly tell: (call: FakeCall<Request>, progress: Progress, at: Date, reason?: string) => Promise<void>
  readonly answer: (call: FakeCall<Request>) => Promise<void>
  /** Ends a call in whatever state it is, as the application asks for. */
  readonly hangUp: (call: FakeCall<Request>) => Promise<void>
  /** The contact hangs up, or the phone stops ringing. */
  readonly end: (call: FakeCall<Request>) => Promise<void>
  readonly finish: (call: FakeCall<Request>, status: FakeCall<Request>["status"]) => Promise<void>
  /** Makes the recording of the call, which has stopped. */
  readonly record: (call: FakeCall<Request>) => Promise<void>
  /** Holds a session of the relay for the call. */
  readonly hold: (
    call: FakeCall<Request>,
    open: (lines: Pick<Contact.ContactOptions, "character" | "hangsUp" | "reply" | "says" | "words">) => Contact.Contact
  ) => Promise<Contact.Over>
  /** The sockets of the call are lost; the call goes on. */
  readonly cutSocket: (id: string) => void
}

export const make = Effect.fnUntraced(function*<Request>(
  {
    callee: calleeOf = byLastDigit,
    connects = true,
    delivery = () => "sent",
    fault = () => undefined,
    timings: given
  }: FakeCallsOptions<Request>,
  wire: Wire<Request>
): Effect.fn.Return<FakeCalls<Request>, never, Scope.Scope> {
  type Call = FakeCall<Request>
  const timings: Timings = { ...quick, ...given }
  const calls: Array<Call> = []
  const callbacks: Array<{ readonly id: string; readonly progress: Progress; readonly answer: number }> = []
  const faults: Array<Fault> = []
  const contacts = new Map<string, Contact.Contact>()
  const recordings = new Map<string, Uint8Array>()
  const timers = new Set<NodeJS.Timeout>()
  const abort = new AbortController()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      abort.abort()
      for (const timer of timers) clearTimeout(timer)
      for (const contact of contacts.values()) contact.close()
    })
  )

  /** Those that wait when the fake is closed never come to an end. */
  const pause = (millis: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        resolve()
      }, millis)
      timers.add(timer)
    })

  const callee = ({ to }: Call) => calleeOf(to)

  const post = async ({ accepts = isNoError, body, headers, retriesAfter, url }: Message): Promise<Response> => {
    for (const delay of [...retriesAfter, undefined]) {
      const response = await fetch(url, {
        method: "POST",
        body,
        headers: headers(),
        signal: AbortSignal.any([abort.signal, AbortSignal.timeout(15_000)])
      }).then(
        async (response) => ({ status: response.status, text: await response.text() }),
        () => ({ status: 0, text: "" })
      )
      if (accepts(response.status) || delay === undefined || abort.signal.aborted) return response
      await pause(delay)
    }
    return { status: 0, text: "" }
  }

  const tell: FakeCalls<Request>["tell"] = async (call, progress, at, reason) => {
    const message = wire.write(call, progress, at, reason)
    if (message === undefined) return
    const send = async () => {
      const { status } = await post(message)
      callbacks.push({ id: call.id, progress, answer: status })
    }
    const fate = delivery(call, progress)
    if (fate === "lost") return
    if (typeof fate === "object") return void pause(fate.late).then(send)
    await send()
    if (fate === "doubled") await send()
  }

  const finish = async (call: Call, status: Call["status"]) => {
    if (call.endedAt !== undefined) return
    call.status = status
    call.endedAt = new Date()
    contacts.get(call.id)?.close()
    if (call.answeredAt !== undefined && wire.records(call)) void record(call)
    wire.onEnd?.(call)
    await tell(call, "ended", call.endedAt)
  }

  /** Its recording is there some time after it has stopped. */
  const record = async (call: Call) => {
    await pause(timings.recording)
    recordings.set(call.id, Buffer.from(`RIFF recording of ${call.id}`))
    await tell(call, "recorded", new Date())
  }

  /** Finds out who has answered. */
  const detect = async (call: Call) => {
    await pause(timings.verdict)
    if (call.endedAt !== undefined) return
    call.answeredBy = isMachine(callee(call)) ? "machine" : "human"
    await tell(call, "verdict", new Date())
    if (call.answeredBy !== "machine") return
    await pause(timings.greeting)
    if (call.endedAt === undefined) await tell(call, "greeting_ended", new Date())
  }

  const answer = async (call: Call) => {
    if (call.status !== "ringing") return
    call.status = "in-progress"
    call.answeredAt = new Date()
    await tell(call, "answered", call.answeredAt)
    const detected = detect(call)
    if (connects) void wire.converse(call)
    else await detected
  }

  const live = async (call: Call, ringsAfter: number) => {
    await pause(timings.start + ringsAfter)
    if (call.endedAt !== undefined) return
    await tell(call, "initiated", new Date())
    if (call.endedAt !== undefined) return
    call.status = "ringing"
    call.rangAt = new Date()
    await tell(call, "ringing", call.rangAt)
    const person = callee(call)
    if (person._tag === "Waits") return
    await pause(timings.ring)
    if (call.endedAt !== undefined) return
    if (person._tag === "Busy") return finish(call, "busy")
    if (person._tag === "NeverAnswers") return finish(call, "no-answer")
    await answer(call)
  }

  return {
    calls,
    callbacks,
    recordings,
    nextFault: (to) => faults.shift() ?? fault(to),
    nextCut: () => {
      const [next] = faults
      if (typeof next !== "object" || !("cutRequestAfter" in next)) return undefined
      faults.shift()
      return next.cutRequestAfter
    },
    fail: (...next) => void faults.push(...next),
    place: ({ from, request, to }, ringsAfter = 0) => {
      const call: Call = {
        id: wire.newId(),
        to,
        from,
        request,
        createdAt: new Date(),
        status: "queued",
        words: [],
        heard: [],
        transfers: []
      }
      calls.push(call)
      void live(call, ringsAfter)
      return call
    },
    find: (id) => {
      const call = calls.find((one) => one.id === id)
      if (call === undefined) throw new Error(`There is no call ${id}`)
      return call
    },
    callee,
    timings,
    post,
    tell,
    answer,
    finish,
    record,
    hangUp: (call) => finish(call, call.status === "in-progress" ? "completed" : "canceled"),
    end: (call) =>
      finish(call, call.status === "in-progress" ? "completed" : isBusy(callee(call)) ? "busy" : "no-answer"),
    hold: (call, open) => {
      const person = callee(call)
      const talks = person._tag === "Talks" ? person : undefined
      const said = call.words.filter(({ speaker }) => speaker === "contact").length
      const contact = open({
        character: timings.character,
        reply: timings.reply,
        words: call.words,
        says: talks?.says.slice(said) ?? [],
        hangsUp: talks?.hangsUp === true
      })
      contacts.set(call.id, contact)
      return contact.over
    },
    cutSocket: (id) => contacts.get(id)?.cut()
  }
})

const isNoError = (status: number) => status >= 200 && status < 500 && status !== 429

/** The commands that tests give to every fake carrier, and what it has recorded. */
export interface Controls<Request> {
  readonly calls: ReadonlyArray<FakeCall<Request>>
  readonly callbacks: FakeCalls<Request>["callbacks"]
  /** The audio that the carrier has, by the carrier's id of the call. */
  readonly recordings: ReadonlyMap<string, Uint8Array>
  readonly fail: FakeCalls<Request>["fail"]
  readonly answer: (id: string) => Effect.Effect<void>
  /** The contact hangs up, or the phone stops ringing. */
  readonly end: (id: string) => Effect.Effect<void>
  /** The sockets of the call are lost; the call goes on. */
  readonly cutSocket: (id: string) => void
}

export const controls = <Request>(fake: FakeCalls<Request>): Controls<Request> => ({
  calls: fake.calls,
  callbacks: fake.callbacks,
  recordings: fake.recordings,
  fail: fake.fail,
  answer: (id) => Effect.promise(() => fake.answer(fake.find(id))),
  end: (id) => Effect.promise(() => fake.end(fake.find(id))),
  cutSocket: fake.cutSocket
})
