/** A profile of this process: the locations of its main thread, and its CPU time. */
import { Effect } from "effect"
import { Session } from "node:inspector/promises"
import process from "node:process"

export interface NodeProfile {
  /** Milliseconds of the cores: of all threads, and of the main one. */
  readonly cpu: number
  readonly mainThread: number
  /** Samples of the main thread by place, without those in which it had nothing to do. */
  readonly samples: Readonly<Record<string, number>>
}

/** Microseconds between two samples. */
const interval = 1000

/** `others` are milliseconds of threads that are not watched. */
export const make = (others: Effect.Effect<number> = Effect.succeed(0)) => {
  const session = new Session()
  let before = { cpu: 0, mainThread: 0 }
  const taken = Effect.map(others, (others) => ({
    cpu: millis(process.cpuUsage()) - others,
    mainThread: millis(process.threadCpuUsage())
  }))
  const begin = Effect.gen(function*() {
    yield* Effect.promise(async () => {
      session.connect()
      await session.post("Profiler.enable")
      await session.post("Profiler.setSamplingInterval", { interval })
      await session.post("Profiler.start")
    })
    before = yield* taken
  })
  const end = Effect.gen(function*() {
    const after = yield* taken
    const { profile } = yield* Effect.promise(() => session.post("Profiler.stop"))
    session.disconnect()
    const samples: Record<string, number> = {}
    for (const { callFrame: { functionName, url }, hitCount = 0 } of profile.nodes) {
      const place = placeOf(functionName, url)
      if (place !== undefined) samples[place] = (samples[place] ?? 0) + hitCount
    }
    return {
      cpu: after.cpu - before.cpu,
      mainThread: after.mainThread - before.mainThread,
      samples
    } satisfies NodeProfile
  })
  return { begin, end }
}

export const millis = ({ system, user }: { readonly system: number; readonly user: number }) => (system + user) / 1000

/** Where a function is from: a part of the product, a package, Node, or the engine itself. */
const placeOf = (functionName: string, url: string): string | undefined => {
  if (functionName === "(idle)" || functionName === "(root)") return undefined
  if (functionName === "(garbage collector)") return "garbage collection"
  if (functionName === "(program)") return "V8"
  // A native function that writes to a socket, in which the kernel may give the core to who is written to.
  if (functionName === "writeBuffer" || functionName === "writev" || /^write\w+String$/.test(functionName)) {
    return "writing to sockets"
  }
  const [, scope, rest = ""] = /\/(packages|node_modules|test)\/(.*)$/.exec(url) ?? []
  const parts = rest.split("/")
  switch (scope) {
    case "packages":
      return `@outdial/${parts[0]}${parts[0] === "core" ? ` ${parts[2]}` : ""}`
    case "node_modules":
      return rest.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0]
    case "test":
      return "the benchmark"
    default:
      return "Node"
  }
}
