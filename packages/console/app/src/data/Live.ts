/**
 * The one live connection of the page: a stream of server-sent events about an account. It is read with `fetch` instead of `EventSource`,
 * which shows neither heartbeats nor the status of a refusal: so a connection that died silently is found after two missed heartbeats, and an
 * ended session at once. After a loss, and after the device slept, it connects again from the last event.
 */
import { apiUrl, queryString, sessionEnded } from "./Api.ts"
import { EventParser, type ServerEvent } from "./EventParser.ts"
import type { LiveChange, Turn } from "./Wire.ts"

export type LiveState = "connecting" | "live" | "lost"

export interface LiveListener {
  readonly onChanged?: (changed: LiveChange) => void
  /** Something may have been missed: what is shown must be read again. */
  readonly onResumed?: () => void
  readonly onTurn?: (callId: string, turn: Turn) => void
  readonly onSealed?: (callId: string) => void
  readonly onState?: (state: LiveState) => void
}

/** The server sends a comment every 15 seconds. */
const silenceLimit = 35_000
const firstDelay = 1_000
const longestDelay = 30_000
/** A timer that is this late was stopped by sleep. */
const sleepGap = 20_000
const tick = 5_000

export class LiveConnection {
  readonly #account: string
  readonly #listeners = new Set<LiveListener>()
  #call: string | undefined
  #state: LiveState = "connecting"
  #abort: AbortController | undefined
  #lastId: string | undefined
  #heardAt = 0
  #tickedAt = 0
  #failures = 0
  #retry: number | undefined
  #ticker: number | undefined

  constructor(account: string) {
    this.#account = account
  }

  get state(): LiveState {
    return this.#state
  }

  listen(listener: LiveListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Also sends the words of this call. A new connection, as the server reads the call from the address. */
  follow(callId: string | undefined): void {
    if (this.#call === callId) return
    this.#call = callId
    if (this.#ticker !== undefined) this.#connect()
  }

  start(): void {
    this.#tickedAt = Date.now()
    this.#ticker = window.setInterval(() => this.#check(), tick)
    window.addEventListener("online", this.#again)
    document.addEventListener("visibilitychange", this.#onVisible)
    this.#connect()
  }

  stop(): void {
    window.clearInterval(this.#ticker)
    window.clearTimeout(this.#retry)
    this.#ticker = undefined
    window.removeEventListener("online", this.#again)
    document.removeEventListener("visibilitychange", this.#onVisible)
    this.#abort?.abort()
  }

  #again = () => {
    if (this.#state !== "live") this.#connect()
  }

  #onVisible = () => {
    if (document.visibilityState === "visible") this.#check()
  }

  #check(): void {
    const now = Date.now()
    const slept = now - this.#tickedAt > sleepGap
    this.#tickedAt = now
    if (this.#state === "live" && (slept || now - this.#heardAt > silenceLimit)) this.#connect()
  }

  #connect(): void {
    window.clearTimeout(this.#retry)
    this.#abort?.abort()
    const abort = new AbortController()
    this.#abort = abort
    this.#heardAt = Date.now()
    if (this.#state === "live") this.#setState("connecting")
    void this.#read(abort.signal).then(
      () => this.#lost(abort),
      () => this.#lost(abort)
    )
  }

  #lost(abort: AbortController): void {
    if (abort !== this.#abort || this.#ticker === undefined) return
    this.#setState("lost")
    const delay = Math.min(longestDelay, firstDelay * 2 ** this.#failures)
    this.#failures += 1
    // Spread, so that all pages do not come back in the same second when the server does.
    this.#retry = window.setTimeout(() => this.#connect(), delay * (0.5 + Math.random() / 2))
  }

  async #read(signal: AbortSignal): Promise<void> {
    const path = `accounts/${encodeURIComponent(this.#account)}/live${queryString({ call: this.#call })}`
    const response = await fetch(apiUrl(path), {
      signal,
      credentials: "same-origin",
      headers: {
        accept: "text/event-stream",
        ...(this.#lastId !== undefined && { "last-event-id": this.#lastId })
      }
    })
    if (response.status === 401) sessionEnded()
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`)
    this.#setState("live")
    this.#failures = 0
    // At first, too: what the page has read may be older than the connection.
    this.#listeners.forEach((listener) => listener.onResumed?.())
    const parser = new EventParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      this.#heardAt = Date.now()
      for (const event of parser.push(value)) this.#deliver(event)
    }
  }

  #deliver({ data, id, name }: ServerEvent): void {
    const json: unknown = JSON.parse(data)
    const call = this.#call
    for (const listener of this.#listeners) {
      if (name === "changed") listener.onChanged?.(json as LiveChange) // the server's types are the contract
      if (name === "turn" && call !== undefined) listener.onTurn?.(call, json as Turn) // likewise
      if (name === "sealed" && call !== undefined) listener.onSealed?.(call)
    }
    if (id !== undefined) this.#lastId = id
  }

  #setState(state: LiveState): void {
    if (this.#state === state) return
    this.#state = state
    this.#listeners.forEach((listener) => listener.onState?.(state))
  }
}
