/** The contact of a script: says its lines one by one, each when the agent has finished, and hangs up after the last. */
import type { Activity, TypedLine } from "@outdial/core"
import { Console, Effect } from "effect"
import * as TypedText from "./TypedText.ts"
import { UsageError } from "../../config/UsageError.ts"

export type Line = Exclude<TypedText.Typed, { readonly _tag: "Nothing" | "Unknown" }>

/** The lines of a script; empty lines are ignored. The error names the line that is not understood. */
export const read = Effect.fnUntraced(function*(script: string): Effect.fn.Return<ReadonlyArray<Line>, UsageError> {
  const lines: Array<Line> = []
  for (const [index, text] of script.split(/\r\n|\n|\r/u).entries()) {
    const typed = TypedText.read(text)
    if (typed._tag === "Unknown") {
      return yield* new UsageError({ message: `Line ${index + 1} of standard input: ${typed.message}` })
    }
    if (typed._tag !== "Nothing") lines.push(typed)
  }
  return lines
})

export const speak = Effect.fnUntraced(function*(options: {
  readonly script: ReadonlyArray<Line>
  readonly line: TypedLine.TypedLine
  readonly activity: Activity.Activity
  /** Shows what the contact does. */
  readonly onLine: (text: string) => Effect.Effect<void>
}) {
  const { activity, line, onLine, script } = options
  for (const [index, next] of [...script, { _tag: "HangUp" } as const].entries()) {
    yield* activity.settled
    if (line.isClosed()) {
      const left = script.length - index
      return left <= 0 ? undefined : yield* Console.error(`The call has ended before the last lines: ${left} left`)
    }
    switch (next._tag) {
      case "Words":
        yield* onLine(next.words)
        yield* line.said(next.words)
        break
      case "Digits":
        yield* onLine(`[presses ${next.digits}]`)
        yield* line.pressed(next.digits)
        break
      case "HangUp":
        return yield* line.hungUp
      default:
        next satisfies never
    }
  }
})
