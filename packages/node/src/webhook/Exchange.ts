/**
 * One POST on undici's own interface, and how it was answered. Hardly reads the answer, and makes no stream of it: this is all
 * that is asked of undici, at half the price.
 */
import type { Dispatcher } from "@effect/platform-node/Undici"
import { Data, Effect } from "effect"

/** There is no status, and why: undici's word for it, or the gate's. */
export class ExchangeFailed extends Data.TaggedError("ExchangeFailed")<{ readonly cause: unknown }> {}

export interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
}

/** What is read of an answer; enough for the small ones, so that their connection can be used again. */
const maxBodyBytes = 1024

/** The status is known by then; a body that drips in slower is let go. */
const bodyTimeout = "1 second"

type Request = Pick<Dispatcher.DispatchOptions, "origin" | "path" | "body"> & {
  readonly headers: Record<string, string>
}

/** The answer. Its connection is used again when the body is small and comes at once, and else destroyed. */
export const post = (dispatcher: Dispatcher, request: Request): Effect.Effect<Answer, ExchangeFailed> =>
  Effect.callback((resume) => {
    let controller: Dispatcher.DispatchController | undefined
    let [hasBegun, isReleased, isEnded, read] = [false, false, false, 0]
    let onEnded = () => {}
    const end = () => {
      isEnded = true
      onEnded()
    }
    const release = () => {
      isReleased = true
      if (!isEnded) controller?.abort(new Error("Let go"))
    }
    /** The status has been heard, so trouble from here on is none. */
    const afterBody = (answer: Answer) => {
      const ended = Effect.callback<void>((resume) => {
        onEnded = () => resume(Effect.void)
        if (isEnded) onEnded()
      })
      return Effect.as(Effect.ensuring(Effect.timeoutOption(ended, bodyTimeout), Effect.sync(release)), answer)
    }
    dispatcher.dispatch({ ...request, method: "POST" }, {
      onRequestStart: (started) => {
        controller = started
        // Who asked has not waited for the connection.
        if (isReleased) release()
      },
      onResponseStart: (_, statusCode, headers) => {
        // This one only says that an answer is to come.
        if (statusCode < 200) return
        hasBegun = true
        const answer = { statusCode, headers }
        // By then all is read that has come with the headers.
        queueMicrotask(() => resume(isEnded ? Effect.succeed(answer) : afterBody(answer)))
      },
      onResponseData: (_, chunk) => {
        read += chunk.length
        if (read > maxBodyBytes) release()
      },
      onResponseEnd: end,
      onResponseError: (_, cause) => {
        end()
        if (!hasBegun) resume(Effect.fail(new ExchangeFailed({ cause })))
      }
    })
    return Effect.sync(release)
  })
