/** The result of a rehearsal, as plain data: every call with its transcript, and the sums. */
import type { CallStatus } from "../domain/Call.ts"
import type { EndReason } from "../domain/Conversation.ts"
import { type ModelUsage, summed } from "../domain/ModelUsage.ts"
import type { TranscriptTurn } from "../domain/Outcome.ts"
import { type Failure, type Must, musts } from "./Musts.ts"

/**
 * How a recorded answer compares with the truth. `missing`: the persona gave an answer that was not recorded. `not_given`: an answer was
 * recorded that the persona did not give.
 */
export type Verdict = "right" | "wrong" | "missing" | "not_given"

export interface ComparedAnswer {
  readonly question: string
  /** What the persona said or pressed; `null` if it gave no answer. */
  readonly said: string | null
  /** The answer of the outcome; `null` if it has none. */
  readonly recorded: string | null
  readonly verdict: Verdict
}

/** One call of the rehearsal. */
export interface RehearsedRun {
  /** Counts from 1. */
  readonly number: number
  readonly persona: string
  readonly status: CallStatus
  /** Why the conversation ended; `null` if there was none. */
  readonly endReason: EndReason | null
  /** `null` without an outcome. */
  readonly disposition: string | null
  /** Whether the persona expects this disposition; absent if it expects none. */
  readonly isExpected?: boolean
  readonly answers: ReadonlyArray<ComparedAnswer>
  /** Whether the contact asked not to be called again. */
  readonly optedOut: boolean
  /** Whether its number is on the do-not-call list. */
  readonly isListed: boolean
  /** The musts that were not kept. */
  readonly failures: ReadonlyArray<Failure>
  /** From the answer to the end, in milliseconds of the call. */
  readonly durationMs: number
  /** From what the contact said to the first words of each answer, in milliseconds of real time. */
  readonly latenciesMs: ReadonlyArray<number>
  /** What language models took for the conversation. */
  readonly usage: ReadonlyArray<ModelUsage>
  readonly transcript: ReadonlyArray<TranscriptTurn>
}

/** In how many calls a must was kept, of those in which it applied. */
export interface KeptMust {
  readonly must: Must
  readonly kept: number
  readonly of: number
}

export interface RehearsalReport {
  /** Whether every must was kept in every call. */
  readonly passed: boolean
  readonly seed: number
  readonly musts: ReadonlyArray<KeptMust>
  readonly statuses: ReadonlyArray<{ readonly status: CallStatus; readonly calls: number }>
  /** The most frequent first; `null` for calls without an outcome. */
  readonly dispositions: ReadonlyArray<{ readonly disposition: string | null; readonly calls: number }>
  /** Calls whose disposition is one that their persona expects, of those whose persona expects any. */
  readonly expected: { readonly met: number; readonly of: number }
  readonly answers: ReadonlyArray<{ readonly verdict: Verdict; readonly count: number }>
  /** Numbers on the do-not-call list whose contact did not ask for it. */
  readonly listedUnasked: number
  readonly turns: { readonly total: number; readonly median: number; readonly most: number }
  readonly durationMs: { readonly median: number; readonly longest: number }
  /** From what the contact said to the first words of the answer, in milliseconds of real time; absent without an answer. */
  readonly latencyMs?: { readonly p50: number; readonly p95: number; readonly longest: number }
  /** What language models took for all conversations. */
  readonly usage: ReadonlyArray<ModelUsage>
  readonly runs: ReadonlyArray<RehearsedRun>
}

const verdicts: ReadonlyArray<Verdict> = ["right", "wrong", "missing", "not_given"]

export const reportOf = (seed: number, runs: ReadonlyArray<RehearsedRun>): RehearsalReport => {
  const expecting = runs.filter(({ isExpected }) => isExpected !== undefined)
  const answers = runs.flatMap((run) => run.answers)
  const turns = runs.map(({ transcript }) => transcript.length)
  const durations = runs.map(({ durationMs }) => durationMs)
  const latencies = runs.flatMap(({ latenciesMs }) => latenciesMs)
  return {
    passed: runs.every(({ failures }) => failures.length === 0),
    seed,
    musts: musts.map((must) => keptOf(must, runs)),
    statuses: counted(runs.map(({ status }) => status)).map(([status, calls]) => ({ status, calls })),
    dispositions: counted(runs.map(({ disposition }) => disposition))
      .map(([disposition, calls]) => ({ disposition, calls })),
    expected: { met: expecting.filter(({ isExpected }) => isExpected === true).length, of: expecting.length },
    answers: verdicts.map((verdict) => ({
      verdict,
      count: answers.filter((answer) => answer.verdict === verdict).length
    })),
    listedUnasked: runs.filter(({ isListed, optedOut }) => isListed && !optedOut).length,
    turns: {
      total: turns.reduce((sum, count) => sum + count, 0),
      median: percentile(turns, 0.5),
      most: Math.max(0, ...turns)
    },
    durationMs: { median: percentile(durations, 0.5), longest: Math.max(0, ...durations) },
    ...(latencies.length > 0 && {
      latencyMs: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95), longest: Math.max(...latencies) }
    }),
    usage: summed(runs.flatMap((run) => run.usage)),
    runs
  }
}

const keptOf = (must: Must, runs: ReadonlyArray<RehearsedRun>): KeptMust => {
  const concerned = must === "opt_outs" ? runs.filter(({ optedOut }) => optedOut) : runs
  const broken = concerned.filter(({ failures }) => failures.some((failure) => failure.must === must))
  return { must, kept: concerned.length - broken.length, of: concerned.length }
}

const counted = <A>(values: ReadonlyArray<A>): ReadonlyArray<readonly [A, number]> => {
  const counts = new Map<A, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one)
}

/** The value that this share of the values does not exceed. */
const percentile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
