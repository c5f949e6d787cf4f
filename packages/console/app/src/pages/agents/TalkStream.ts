/** The events of a conversation by keyboard. After a loss it continues after the last event. */
import { apiUrl, sessionEnded } from "../../data/Api.ts"
import { ApiError, ConnectionLost } from "../../data/ApiError.ts"
import { EventParser } from "../../data/EventParser.ts"
import type { TalkEvent } from "../../data/Wire.ts"

export interface FollowOptions {
  readonly path: string
  readonly signal: AbortSignal
  readonly onEvent: (event: TalkEvent) => void
}

const attempts = 5
const pause = 1_000

/** Ends after the event `over`. */
export const followTalk = async ({ onEvent, path, signal }: FollowOptions): Promise<void> => {
  let lastId: string | undefined
  let failures = 0
  while (failures < attempts) {
    try {
      const response = await fetch(apiUrl(path), {
        signal,
        credentials: "same-origin",
        headers: { accept: "text/event-stream", ...(lastId !== undefined && { "last-event-id": lastId }) }
      })
      if (response.status === 401) sessionEnded()
      if (response.status >= 400 && response.status < 500) throw new ApiError(response.status, {})
      if (!response.ok || response.body === null) throw new ConnectionLost(response.status)
      const parser = new EventParser()
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        for (const { data, id } of parser.push(value)) {
          const event = JSON.parse(data) as TalkEvent // the server's types are the contract
          failures = 0
          lastId = id ?? lastId
          onEvent(event)
          if (event.type === "over") return
        }
      }
    } catch (error) {
      if (signal.aborted || error instanceof ApiError) throw error
    }
    failures += 1
    await new Promise((resolve) => setTimeout(resolve, pause))
    signal.throwIfAborted()
  }
  throw new ConnectionLost(undefined)
}
