/** What came of one call of a rehearsal, compared with what its persona holds to be true. */
import { agentBrief } from "../rules/call/AgentBrief.ts"
import { contains } from "../rules/conversation/ContactWords.ts"
import { folded } from "../rules/conversation/ConversationLog.ts"
import { dispositionsFor } from "../outcome/ScriptedOutcome.ts"
import { failures, optOutIn } from "./Musts.ts"
import type { Persona } from "./Persona.ts"
import type { GivenAnswer } from "./PersonaContact.ts"
import type { RehearsedCall } from "./RehearsalCall.ts"
import type { ComparedAnswer, RehearsedRun, Verdict } from "./RehearsalReport.ts"

export interface RunOptions extends RehearsedCall {
  readonly number: number
  readonly persona: Persona
  readonly answered: ReadonlyMap<string, GivenAnswer>
  /** The persona's words that ask not to be called again. */
  readonly optOuts: ReadonlyArray<string>
}

export const runOf = (options: RunOptions): RehearsedRun => {
  const { agent, agentFailures, answered, call, entries, latencies, listed, number, optOuts, persona } = options
  const disposition = call.outcome?.disposition ?? null
  const isExpected = meets(persona, disposition, agent.dispositions)
  const isListed = listed !== undefined
  const over = entries.find((entry) => entry._tag === "Over")
  return {
    number,
    persona: persona.name,
    status: call.status,
    endReason: over?.reason ?? null,
    disposition,
    ...(isExpected !== undefined && { isExpected }),
    answers: agent.questions.flatMap((question) =>
      compared(question, answered.get(question), call.outcome?.answers[question])
    ),
    optedOut: optOutIn({ entries, optOuts }) !== undefined,
    isListed,
    failures: failures({ agent: agentBrief(agent, call), agentFailures, entries, optOuts, isListed }),
    durationMs: over?.at ?? 0,
    latenciesMs: latencies,
    usage: call.usage ?? [],
    transcript: folded({}, entries).transcript ?? []
  }
}

/** Whether the persona expects this disposition; `undefined` if it expects none. */
const meets = (
  { expects: { dispositions, ending } = {} }: Persona,
  disposition: string | null,
  all: ReadonlyArray<string>
): boolean | undefined => {
  if (ending === "no_conversation") return disposition === null
  const expected = dispositions ?? (ending === undefined ? undefined : dispositionsFor(ending, all))
  return expected === undefined ? undefined : disposition !== null && expected.includes(disposition)
}

/** None for a question that was not asked, and has no answer on record. */
const compared = (
  question: string,
  given: GivenAnswer | undefined,
  recorded: string | undefined
): ReadonlyArray<ComparedAnswer> =>
  given === undefined && recorded === undefined
    ? []
    : [{ question, said: given?.said ?? null, recorded: recorded ?? null, verdict: verdictOf(given, recorded) }]

const verdictOf = (given: GivenAnswer | undefined, recorded: string | undefined): Verdict => {
  if (given === undefined) return "not_given"
  if (recorded === undefined) return "missing"
  return contains(recorded, given.truth) || given.truth.includes(given.said) && contains(given.said, [recorded])
    ? "right"
    : "wrong"
}
