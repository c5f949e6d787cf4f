/** How long a call waits in an idle engine: from its commit to its dial request to the carrier. */
import { Calls, type Ids, type Telephony } from "@outdial/core"
import { Deferred, Effect, Tracer } from "effect"
import * as Load from "./Load.ts"

export interface Options {
  readonly count: number
  readonly accountId: Ids.AccountId
  readonly agentId: Ids.AgentId
}

/** Measures one call at a time. */
export const makeUnsafe = () => {
  let committedAt = 0
  let dialed = Deferred.makeUnsafe<number>()

  /** Long enough for all that follows a dial to be over. */
  const pause = Effect.sleep("15 millis")

  const one = Effect.fnUntraced(function*({ accountId, agentId }: Options) {
    dialed = Deferred.makeUnsafe<number>()
    const calls = yield* Calls.Calls
    yield* calls.start(accountId, { agentId, ...Load.row() })
    const latency = (yield* Deferred.await(dialed)) - committedAt
    yield* pause
    return Math.max(0, latency)
  })

  return {
    onDial: (_: Telephony.DialRequest) => {
      Deferred.doneUnsafe(dialed, Effect.succeed(performance.now()))
    },
    /** Sees when the transaction is over that stores the call, with which the span of the storage ends. */
    tracer: Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        if (options.name !== "CallStore.start") return span
        const end = span.end.bind(span)
        return Object.assign(span, {
          end: (...args: Parameters<typeof end>) => {
            committedAt = performance.now()
            end(...args)
          }
        })
      }
    }),
    /** The median, and what one call in a hundred waits longer than. */
    measured: Effect.fnUntraced(function*(options: Options) {
      const times = yield* Effect.replicateEffect(one(options), options.count)
      const sorted = times.toSorted((a, b) => a - b)
      const percentile = (percent: number) =>
        sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * percent / 100))] ?? Number.NaN
      return [percentile(50), percentile(99)]
    })
  }
}
