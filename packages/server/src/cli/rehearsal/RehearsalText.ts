/** Prints the report of a rehearsal: as JSON, or its sums and the calls that need a look as lines of text. */
import type { RehearsalReport } from "@outdial/core"
import { String as Str } from "effect"
import * as InputFile from "../InputFile.ts"

type Report = RehearsalReport.RehearsalReport
type Run = RehearsalReport.RehearsedRun

/** Most calls that are printed whole, and most that are named; `--json` has all. */
const mostWhole = 5
const mostNamed = 20

/** Names in snake_case. The report has no keys but ours. */
export const json = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(json)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [Str.camelToSnake(key), json(part)]))
}

/** Models and personas may say anything, but nothing that a terminal obeys. */
export const lines = (report: Report, agentName: string): ReadonlyArray<string> =>
  textOf(report, agentName).map(InputFile.escaped)

const textOf = (report: Report, agentName: string): ReadonlyArray<string> => {
  const { answers, durationMs, expected, latencyMs, listedUnasked, musts, runs, seed, turns, usage } = report
  const failed = runs.filter(({ failures }) => failures.length > 0)
  const others = runs.filter((run) => run.failures.length === 0 && needsALook(run))
  return [
    `${count(runs.length, "call")} with ${
      count(new Set(runs.map(({ persona }) => persona)).size, "persona")
    }, seed ${seed}`,
    "",
    "Musts",
    ...musts.map(({ kept, must, of }) =>
      `  ${mustTexts[must].padEnd(42)}${of === 0 ? "did not occur" : `${kept} of ${of}${kept < of ? "  FAILED" : ""}`}`
    ),
    "",
    "Dispositions",
    ...report.dispositions.map(({ calls, disposition }) => `  ${(disposition ?? "(no outcome)").padEnd(42)}${calls}`),
    ...expected.of === 0 ? [] : [`  ${"as the persona expects".padEnd(42)}${expected.met} of ${expected.of}`],
    "",
    `Answers        ${answers.map(({ count, verdict }) => `${count} ${verdictTexts[verdict]}`).join(", ")}`,
    ...listedUnasked === 0
      ? []
      : [`Do not call    ${count(listedUnasked, "number")} on the list that nobody asked for`],
    `Turns          ${turns.total} in all; ${turns.median} in the median call, ${turns.most} in the longest`,
    `Calls          ${seconds(durationMs.median)} in the median, ${seconds(durationMs.longest)} at most`,
    ...latencyMs === undefined
      ? []
      : [
        `Agent's time   p50 ${millis(latencyMs.p50)}, p95 ${millis(latencyMs.p95)}, at most ${
          millis(latencyMs.longest)
        }`
      ],
    ...usage.map(({ inputTokens, model, outputTokens, requests }) =>
      `Tokens         ${model}: ${inputTokens} read, ${outputTokens} written in ${count(requests, "request")}`
    ),
    ...others.slice(0, mostNamed).flatMap((run, index) => [
      ...index === 0 ? ["", "Worth a look"] : [],
      `  call ${run.number}, ${run.persona}: ${looksOf(run).join("; ")}`
    ]),
    ...more(others.length - mostNamed),
    ...failed.slice(0, mostWhole).flatMap((run) => whole(run, agentName)),
    ...more(failed.length - mostWhole)
  ]
}

const mustTexts: Readonly<Record<Report["musts"][number]["must"], string>> = {
  opt_outs: "opt-outs are on the do-not-call list",
  duration: "the call ends in time",
  silence: "no long silence",
  monologue: "no monologue",
  disclosure: "the disclosure comes first",
  agent: "the agent does not fail"
}

const verdictTexts: Readonly<Record<Report["answers"][number]["verdict"], string>> = {
  right: "right",
  wrong: "wrong",
  missing: "missing",
  not_given: "recorded without being given"
}

const needsALook = (run: Run): boolean => looksOf(run).length > 0

/** What is not as the persona holds it. None of it fails a rehearsal. */
const looksOf = ({ answers, disposition, isExpected, isListed, optedOut }: Run): ReadonlyArray<string> => [
  ...isExpected === false ? [`unexpected disposition ${disposition ?? "(no outcome)"}`] : [],
  ...isListed && !optedOut ? ["on the do-not-call list without asking for it"] : [],
  ...answers.filter(({ verdict }) => verdict !== "right").map(({ question, recorded, said, verdict }) =>
    `${verdictTexts[verdict]}: ${question} said ${quoted(said)}, recorded ${quoted(recorded)}`
  )
]

const whole = ({ failures, number, persona, transcript }: Run, agentName: string): ReadonlyArray<string> => [
  "",
  `Call ${number}, ${persona}, failed:`,
  ...failures.map(({ message, must }) => `  ${mustTexts[must]}: ${message}`),
  ...transcript.map(({ interrupted, speaker, startMs = 0, text }) =>
    `  ${seconds(startMs).padStart(8)}  ${speaker === "agent" ? agentName : persona}: ${text}${
      interrupted === true ? " (interrupted)" : ""
    }`
  )
]

const more = (left: number): ReadonlyArray<string> => left > 0 ? [`  … and ${left} more; see --json`] : []

const quoted = (text: string | null): string => text === null ? "nothing" : JSON.stringify(text)

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const millis = (ms: number): string => `${Math.round(ms)} ms`
