/** Conversations: their logs, and calls whose line ended before the last words. */
import type { Conversation, Storage } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect, Option } from "effect"
import { type Knowledge, type Known, nothing, nowOf, pick, type Step, step, work } from "./Knowledge.ts"

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

const turn = (speaker: "agent" | "contact", text: string): Conversation.Entry => ({
  _tag: "Turn",
  speaker,
  text,
  at: 0,
  endedAt: 900
})

const entries: ReadonlyArray<Conversation.Entry> = [
  turn("agent", "Hello"),
  turn("contact", "Yes"),
  turn("contact", " "),
  { _tag: "Noted", at: 1000, note: { _tag: "OptOut" } },
  { _tag: "Machine", at: 1000, kind: "voicemail" },
  { _tag: "ModelUsed", at: 1000, model: "small", inputTokens: 10, outputTokens: 1 }
]

/** The latest conversations are talked in most. */
const writer = (known: Known, n: number) => pick(known.conversations.toReversed(), n % 3)

const appended = ({ id: accountId }: Known, n: number) => ({ callId, generation }: Writer): Storage.AppendOptions => ({
  accountId,
  callId,
  generation,
  entries: entries.slice(n % 5, n % 5 + n % 3)
})

type Writer = Known["conversations"][number]

export const steps = {
  acquire_conversation: (knowledge, known, n) => {
    const callId = pick(pick(known.claims.toReversed(), n >> 2)?.work ?? [], n) ?? Factories.callId()
    return step(
      (storage) =>
        storage.conversations.acquire({ accountId: known.id, callId, now: nowOf(knowledge), takesOver: n % 4 === 3 }),
      {
        learn: (acquired) => {
          if (Option.isSome(acquired)) known.conversations.push({ callId, generation: acquired.value.generation })
        }
      }
    )
  },
  append_words: (knowledge, known, n) => {
    const of = [writer(known, n), writer(known, n + 1)].flatMap((one) => one === undefined ? [] : [one])
    const logs = of.map(appended(known, n))
    return step((storage) => storage.conversations.append({ now: nowOf(knowledge), logs }))
  },
  seal_conversation: (knowledge, known, n) => {
    const one = writer(known, n)
    return one === undefined
      ? nothing
      : step((storage) => storage.conversations.seal({ ...work(knowledge, known), ...one }))
  },
  end_conversation: (knowledge, known, n) => {
    const one = writer(known, n)
    const at = nowOf(knowledge)
    const results = ["hung_up", "hung_up", "failed", "busy"] as const
    const event = { _tag: "Ended", at, result: pick(results, n) ?? "hung_up", recorded: n % 2 === 0 } as const
    return one === undefined
      ? nothing
      : step((storage) =>
        storage.dispatch.report({ ...work(knowledge, known), reports: [{ callId: one.callId, event }] })
      )
  },
  settle_ends: (knowledge, known) =>
    step((storage) => storage.conversations.settleEnds({ ...work(knowledge, known), limit: 100 }), { idle: 0 }),
  read_conversation: (knowledge, known, n) => {
    const of = { accountId: known.id, callId: writer(known, n)?.callId ?? Factories.callId() }
    return step(({ conversations }) =>
      Effect.all([
        conversations.read({ ...of, after: n % 3, limit: 1 + n }),
        conversations.holding({ ...of, now: nowOf(knowledge) })
      ])
    )
  }
} satisfies { readonly [act: string]: Make }
