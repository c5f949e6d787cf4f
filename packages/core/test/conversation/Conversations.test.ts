import { assert, describe, it } from "@effect/vitest"
import {
  Calls,
  DoNotCallList,
  MemoryStorage,
  OutcomeSource,
  ScriptedAgent,
  type SimulatedContact,
  SimulatedTelephony,
  Storage,
  TextAgent,
  Transcripts
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer, Option, Stream } from "effect"
import { decodeStart } from "../support/CallSteps.ts"

const agent = {
  script: "Hello, this is Ada from the clinic. I call about your visit.",
  questions: ["Will you come on Tuesday?", "Do you need a taxi?"],
  dispositions: ["confirmed", "declined"],
  variables: []
}

/** A call to a contact who does this, until it is over. */
const called = Effect.fnUntraced(function*(phoneNumber: string) {
  const { accountId, agentId } = yield* TestEngine.Tenant
  const calls = yield* Calls.Calls
  const { id } = yield* calls.start(accountId, yield* decodeStart({ agentId, phoneNumber }))
  yield* TestEngine.advance("15 minutes")
  return yield* calls.get(accountId, id)
})

const talking = (
  script: SimulatedContact.Script,
  textAgent: Layer.Layer<TextAgent.TextAgent> = ScriptedAgent.layer
) =>
  TestEngine.layer({
    agent,
    textAgent,
    contact: () => script,
    outcomes: OutcomeSource.OutcomeSource.layerScripted()
  })

const says = (text: string): SimulatedContact.Move => ({ _tag: "Says", text })

const spoken = (turns: ReadonlyArray<{ readonly speaker: string; readonly text: string }>) =>
  turns.map(({ speaker, text }) => `${speaker}: ${text}`)

describe("A conversation on the simulator", () => {
  it.effect("is held to its end, and its outcome has the contact's words", () =>
    Effect.gen(function*() {
      const call = yield* called("+14155550100")
      assert.strictEqual(call.status, "completed")
      assert.deepStrictEqual(call.outcome?.answers, {
        "Will you come on Tuesday?": "Yes, on Tuesday.",
        "Do you need a taxi?": "No, my daughter drives me."
      })
      const turns = call.outcome?.transcript ?? []
      for (
        const [question, { quote = "", sequence = 0, status }] of Object.entries(call.outcome?.evidence?.answers ?? {})
      ) {
        assert.deepStrictEqual([status, quote], ["verified", call.outcome?.answers[question]])
        assert.deepInclude(turns[sequence - 1], { speaker: "contact", text: quote })
      }
      assert.lengthOf(Object.keys(call.outcome?.evidence?.answers ?? {}), 2)
      assert.includeMembers(spoken(turns), ["contact: Yes, on Tuesday.", "contact: No, my daughter drives me."])
      assert.isTrue(turns.every(({ startMs = -1, endMs = -1 }) => startMs >= 0 && endMs >= startMs))
    }).pipe(Effect.provide(talking([
      says("Yes, I can talk."),
      says("Yes, on Tuesday."),
      says("No, my daughter drives me."),
      says("Goodbye.")
    ]))))

  it.effect("is continued from its log by a simulator that was restarted", () =>
    Effect.gen(function*() {
      const storage = Layer.succeed(Storage.Storage, yield* Storage.Storage)
      const dialed: Array<SimulatedTelephony.JournalEntry> = []
      const journal: SimulatedTelephony.Journal = {
        unfinished: Effect.sync(() => [...dialed]),
        dialed: (entry) => Effect.sync(() => void dialed.push(entry)),
        finished: () => Effect.void
      }
      const script = [says("Yes, I can talk."), says("Yes, on Tuesday."), says("No, my daughter drives me.")] as const
      const engine = TestEngine.layer({ agent, storage, journal, contact: () => script })
      const { accountId, id, written } = yield* Effect.gen(function*() {
        const { accountId, agentId } = yield* TestEngine.Tenant
        const calls = yield* Calls.Calls
        const { id } = yield* calls.start(accountId, yield* decodeStart({ agentId, phoneNumber: "+14155550100" }))
        const transcripts = yield* Transcripts.Transcripts
        const read = Effect.map(transcripts.get(accountId, id, { after: 0 }), ({ turns }) => spoken(turns))
        while (!(yield* read).includes("contact: Yes, on Tuesday.")) yield* TestEngine.advance("250 millis")
        return { accountId, id, written: yield* read }
      }).pipe(Effect.provide(engine, { local: true }))
      yield* Effect.gen(function*() {
        yield* TestEngine.advance("5 minutes")
        const calls = yield* Calls.Calls
        const { outcome, status } = yield* calls.get(accountId, id)
        assert.strictEqual(status, "completed")
        const turns = spoken(outcome?.transcript ?? [])
        assert.deepStrictEqual(turns.slice(0, written.length), written)
        assert.lengthOf(turns.filter((turn) => turn.startsWith("contact")), 3)
        assert.deepStrictEqual(Object.values(outcome?.answers ?? {}), [
          "Yes, on Tuesday.",
          "No, my daughter drives me."
        ])
        assert.isEmpty(yield* (yield* SimulatedTelephony.DialLog).rings)
      }).pipe(Effect.provide(engine, { local: true }))
    }).pipe(Effect.provide(MemoryStorage.layer)))

  it.effect("begins with a filler when its agent takes long to get ready", () =>
    Effect.gen(function*() {
      const { outcome } = yield* called("+14155550100")
      assert.deepStrictEqual(spoken(outcome?.transcript ?? []).slice(0, 2), [
        "agent: One moment, please.",
        "agent: Hello, this is Ada."
      ])
    }).pipe(Effect.provide(talking(
      [says("Hello?")],
      Layer.succeed(TextAgent.TextAgent, {
        open: () =>
          Effect.delay(
            Effect.succeed({
              heard: () => Effect.void,
              reply: () => Stream.make({ _tag: "Say", text: "Hello, this is Ada." } as const)
            }),
            "3 seconds"
          )
      })
    ))))

  it.effect("puts a contact who asks for it on the do-not-call list before the call ends", () =>
    Effect.gen(function*() {
      const call = yield* called("+14155550100")
      const { accountId } = yield* TestEngine.Tenant
      const list = yield* DoNotCallList.DoNotCallList
      assert.isTrue(call.outcome?.doNotCall === true)
      const { items } = yield* list.list(accountId, { limit: 10, after: Option.none() })
      assert.deepStrictEqual(items.map(({ source }) => source), ["call"])
    }).pipe(Effect.provide(talking([says("Please do not call me again.")]))))

  it.effect("ends when the contact hangs up, is silent, or is a machine", () =>
    Effect.gen(function*() {
      const scripts: ReadonlyArray<SimulatedContact.Script> = [
        [{ _tag: "HangsUp" }],
        [{ _tag: "IsSilent" }],
        [{ _tag: "IsMachine", kind: "fax" }]
      ]
      for (const script of scripts) {
        const { status } = yield* called("+14155550100").pipe(Effect.provide(talking(script)))
        assert.strictEqual(status, "no_answer")
      }
    }))

  it.effect("cuts what the contact did not hear", () =>
    Effect.gen(function*() {
      const call = yield* called("+14155550100")
      const cut = call.outcome?.transcript.find(({ interrupted }) => interrupted === true)
      assert.strictEqual(cut?.speaker, "agent")
      assert.isTrue(agent.script.startsWith(cut?.text ?? "?"), cut?.text)
      assert.isBelow(cut?.text.length ?? Infinity, agent.script.length)
    }).pipe(Effect.provide(talking([
      { _tag: "Interrupts", afterWords: 3, text: "Who is this please?" },
      says("Yes, on Tuesday."),
      says("No."),
      says("Goodbye.")
    ]))))

  it.effect.each<readonly [string, Layer.Layer<TextAgent.TextAgent>]>([
    [
      "throws",
      TextAgent.TextAgent.layerOf(() => {
        throw new Error("broken")
      })
    ],
    [
      "never answers",
      TextAgent.TextAgent.layerOf(async function*() {
        await new Promise(() => {})
      })
    ]
  ])("ends politely with an agent that %s", ([, textAgent]) =>
    Effect.gen(function*() {
      const call = yield* called("+14155550100")
      assert.include(["no_answer", "completed", "failed"], call.status)
      assert.isNotNull(call.endedAt)
    }).pipe(Effect.provide(talking([says("Hello?")], textAgent))))
})
