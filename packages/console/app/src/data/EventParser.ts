/** Server-sent events from chunks of text, by https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation. */

export interface ServerEvent {
  /** `message` when the stream gives none. */
  readonly name: string
  readonly data: string
  readonly id: string | undefined
}

/** Keeps what is incomplete until the next chunk. */
export class EventParser {
  #rest = ""
  #name = ""
  #data: Array<string> = []
  #id: string | undefined

  push(chunk: string): ReadonlyArray<ServerEvent> {
    const events: Array<ServerEvent> = []
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop() ?? ""
    for (const line of lines) {
      if (line !== "") this.#field(line)
      else if (this.#data.length > 0) events.push(this.#take())
    }
    return events
  }

  #field(line: string): void {
    const colon = line.indexOf(":")
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    if (field === "event") this.#name = value
    if (field === "data") this.#data.push(value)
    if (field === "id") this.#id = value
  }

  #take(): ServerEvent {
    const event = { name: this.#name === "" ? "message" : this.#name, data: this.#data.join("\n"), id: this.#id }
    this.#name = ""
    this.#data = []
    return event
  }
}
