/** Agents and their versions. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as Factories from "../Factories.ts"
import type { Cases } from "../storage/Cases.ts"
import * as Fixture from "../storage/Fixture.ts"

export const cases: Cases = {
  "creates a new version of an agent only if something changed": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const definition = Factories.agentDefinition({
      variables: [{ key: "topic", default: "your visit" }],
      language: "de"
    })
    const first = yield* storage.agents.put({ accountId, agent: definition, now: Factories.start })
    assert.deepStrictEqual(first, {
      ...definition,
      version: 1,
      createdAt: Factories.start,
      updatedAt: Factories.start
    })
    assert.deepStrictEqual(yield* storage.agents.put({ accountId, agent: definition, now: Factories.at(5) }), first)
    const changed = { ...definition, name: "Grace" }
    const second = yield* storage.agents.put({ accountId, agent: changed, now: Factories.at(9) })
    assert.deepStrictEqual(second, {
      ...changed,
      version: 2,
      createdAt: Factories.start,
      updatedAt: Factories.at(9)
    })
    assert.deepStrictEqual(yield* storage.agents.get(accountId, definition.id), Option.some(second))
  }),

  "keeps how an agent talks": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const definition = Factories.agentDefinition({
      firstMessage: "Hello {{contact.name}} — ¿qué tal?",
      disclosure: "This call is made by an AI.",
      maxDurationSeconds: 60,
      silenceSeconds: 5,
      interruptible: false,
      voicemail: "leave_message",
      voicemailMessage: "Please call us back.",
      endPhrases: ["wrong number", "falsch verbunden"]
    })
    const put = yield* storage.agents.put({ accountId, agent: definition, now: Factories.start })
    assert.deepStrictEqual(yield* storage.agents.get(accountId, definition.id), Option.some(put))
    assert.deepStrictEqual(put, {
      ...definition,
      version: 1,
      createdAt: Factories.start,
      updatedAt: Factories.start
    })
  }),

  "lists an account's own agents, newest first": Effect.gen(function*() {
    const mine = yield* Fixture.make()
    yield* Fixture.make()
    const later = yield* mine.storage.agents.put({
      accountId: mine.accountId,
      agent: Factories.agentDefinition(),
      now: Factories.at(60)
    })
    const listed = yield* mine.storage.agents.list(mine.accountId)
    assert.deepStrictEqual(listed.map(({ id }) => id), [later.id, mine.agentId])
  }),

  "hides an agent from other accounts": Effect.gen(function*() {
    const mine = yield* Fixture.make()
    const other = yield* Fixture.make()
    assert.deepStrictEqual(yield* mine.storage.agents.get(other.accountId, mine.agentId), Option.none())
  })
}
