/** What the scripts share that measure a carrier with calls to the operator's own number. */
import { createInterface } from "node:readline/promises"
import { parseArgs } from "node:util"

/** Something that the documentation of a carrier leaves open, and what it turned out to be. */
export interface Measurement {
  readonly question: string
  readonly answer: string
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** Milliseconds until the response. */
  readonly took: number
}

/** Sends one request. Nothing is repeated. */
export const send = async (url: string, init: RequestInit): Promise<Answer> => {
  const from = performance.now()
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
  const text = await response.text()
  return { status: response.status, body: parsed(text), took: Math.round(performance.now() - from) }
}

/** JSON, or the beginning of what is none. */
export const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 80)
  }
}

/** The value at a path, if there is one. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined,
    value
  )

/** The same as text; `none` when there is nothing. */
export const textAt = (value: unknown, ...path: ReadonlyArray<string | number>): string => {
  const found = at(value, ...path)
  return typeof found === "string" ? found : found === undefined || found === null ? "none" : JSON.stringify(found)
}

export const wait = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** How often a carrier is asked while something is awaited, in milliseconds. */
const every = 200

/** Milliseconds until it is so, by asking again and again; `never` within the limit otherwise. */
export const until = async (isSo: () => Promise<boolean>, limit = 60_000): Promise<string> => {
  const from = performance.now()
  for (;;) {
    if (await isSo()) return `${Math.round(performance.now() - from)} ms`
    if (performance.now() - from > limit) return `never within ${limit / 1000} s`
    await wait(every)
  }
}

export const table = (measured: ReadonlyArray<Measurement>): string => {
  const width = Math.max(...measured.map(({ question }) => question.length))
  return measured.map(({ answer, question }) => `${question.padEnd(width)}  ${answer}`).join("\n")
}

export interface Numbers {
  /** The operator's own phone. */
  readonly to: string
  readonly from: string
}

/** Where the carrier reaches this process. */
export interface Reachable {
  /** `https://…`, without a slash at the end. */
  readonly publicUrl: string
  /** What is behind it. */
  readonly port: number
}

/** What will happen, and what it costs. */
export interface Notice {
  readonly calls: string
  /** With a public address. */
  readonly callbacks: string
  /** Where the prices are from. */
  readonly prices: string
}

/**
 * Reads the numbers from the command line, says what will happen and what it costs, and asks, unless `--yes` was given. Ends the process
 * if the answer is not `yes`.
 */
export const confirmed = async (
  notice: Notice
): Promise<{ readonly numbers: Numbers; readonly reachable: Reachable | undefined }> => {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      port: { type: "string", default: "4011" },
      "public-url": { type: "string" },
      to: { type: "string" },
      yes: { type: "boolean", default: false }
    }
  })
  const { from, to, yes } = values
  const isNumber = (text: string | undefined): text is string => /^\+[1-9]\d{6,14}$/.test(text ?? "")
  if (!isNumber(from) || !isNumber(to)) {
    console.error("Give your own number and the one to call from: --to +14155550123 --from +14155550100")
    return process.exit(1)
  }
  const publicUrl = values["public-url"]?.replace(/\/+$/, "")
  const reachable = publicUrl === undefined ? undefined : { publicUrl, port: Number(values.port) }
  console.log(
    `${notice.calls}\nYour phone ${to} will ring. Do not answer it${
      reachable === undefined ? "" : ", until you are told to"
    }.`
  )
  console.log(
    reachable === undefined
      ? "Callbacks are not measured: for that, let a tunnel lead to port 4011, and give its address with --public-url"
      : `${notice.callbacks}\n${reachable.publicUrl} must lead to port ${reachable.port} of this computer.`
  )
  console.log(notice.prices)
  if (!yes) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    const given = await terminal.question("Type yes to start: ")
    terminal.close()
    if (given.trim() !== "yes") return process.exit(1)
  }
  return { numbers: { from, to }, reachable }
}

/** A variable of the environment; ends the process if it is not set. */
export const needed = (name: string): string => {
  const value = process.env[name]
  if (value !== undefined && value !== "") return value
  console.error(`Set ${name}`)
  return process.exit(1)
}
