/**
 * What has changed and was not read yet. One reading follows the other with a pause, so that an account in which much happens never has more than
 * one under way for each page, and a page that is not seen reads nothing. A change in a quiet account is read at once.
 */
import type { LiveChange } from "./Wire.ts"

export interface ChangesOptions {
  /** Reads what the change names. Answers false if it could not be read now, so that it is read with the next. */
  readonly read: (change: LiveChange) => Promise<boolean>
  /** Passes between two readings. */
  readonly pause: () => Promise<void>
  readonly isSeen: () => boolean
}

export class Changes {
  readonly #options: ChangesOptions
  #topics = new Set<LiveChange["topics"][number]>()
  #callIds = new Set<string>()
  #hasChanged = false
  #isReading = false
  #isStopped = false

  constructor(options: ChangesOptions) {
    this.#options = options
  }

  add({ call_ids, topics }: LiveChange): void {
    this.#hasChanged = true
    for (const topic of topics) this.#topics.add(topic)
    for (const id of call_ids) this.#callIds.add(id)
    void this.next()
  }

  /** Reads what waits, if it can be read now. To be called when the page is seen again. */
  async next(): Promise<void> {
    const { isSeen, pause, read } = this.#options
    if (!this.#hasChanged || this.#isReading || this.#isStopped || !isSeen()) return
    const change = { topics: [...this.#topics], call_ids: [...this.#callIds] }
    this.#topics = new Set()
    this.#callIds = new Set()
    this.#hasChanged = false
    this.#isReading = true
    // What fails is read with the next change.
    const isDone = await read(change).catch(() => true)
    if (!isDone) this.add(change)
    await pause()
    this.#isReading = false
    await this.next()
  }

  stop(): void {
    this.#isStopped = true
  }
}
