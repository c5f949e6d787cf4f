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
const answerBytes = 1024

/** The status is known by then; a body that drips in slower is let go. */
const answerPatience = "1 second"

type Request = Pick<Dispatcher.DispatchOptions, "origin" | "path" | "body"> & {
  readonly headers: Record<string, string>
}

/** The answer. Its connection is used again when the body is small and comes at once, and else destroyed. */
export const post = (dispatcher: Dispatcher, request: Request): Effect.Effect<Answer, ExchangeFailed> =>
  Effect.callback((resume) => {
    let controller: Dispatcher.DispatchController | undefined
    let [hasBegun, isLetGo, isOver, read] = [false, false, false, 0]
    let onOver = () => {}
    const end = () => {
      isOver = true
      onOver()
    }
    const letGo = () => {
      isLetGo = true
      if (!isOver) controller?.abort(new Error("Let go"))
    }
    /** The status has been heard, so trouble from here on is none. */
    const patiently = (answer: Answer) => {
      const over = Effect.callback<void>((resume) => {
        onOver = () => resume(Effect.void)
        if (isOver) onOver()
      })
      return Effect.as(Effect.ensuring(Effect.timeoutOption(over, answerPatience), Effect.sync(letGo)), answer)
    }
    dispatcher.dispatch({ ...request, method: "POST" }, {
      onRequestStart: (started) => {
        controller = started
        // Who asked has not waited for the connection.
        if (isLetGo) letGo()
      },
      onResponseStart: (_, statusCode, headers) => {
        // This one only says that an answer is to come.
        if (statusCode < 200) return
        hasBegun = true
        const answer = { statusCode, headers }
        // By then all is read that has come with the headers.
        queueMicrotask(() => resume(isOver ? Effect.succeed(answer) : patiently(answer)))
      },
      onResponseData: (_, chunk) => {
        read += chunk.length
        if (read > answerBytes) letGo()
      },
      onResponseEnd: end,
      onResponseError: (_, cause) => {
        end()
        if (!hasBegun) resume(Effect.fail(new ExchangeFailed({ cause })))
      }
    })
    return Effect.sync(letGo)
  })
