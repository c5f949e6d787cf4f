/** Agents and their versions. */
import { assert } from "@effect/vitest"
import { type DateTime, Effect, Option } from "effect"
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
      endPhrases: ["wrong number", "falsch verbunden"],
      transferNumbers: [{ name: "reception", number: Factories.phoneNumber() }],
      model: "fast",
      voice: "de-DE-Ada",
      tools: ["book_visit", "free-times"]
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

  "lists the versions of an agent, newest first, and reads each": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const other = yield* Fixture.make()
    const definition = Factories.agentDefinition({ name: "Ada", language: "de" })
    const first = yield* storage.agents.put({ accountId, agent: definition, now: Factories.start })
    const second = yield* storage.agents.put({
      accountId,
      agent: { ...definition, name: "Grace" },
      now: Factories.at(9)
    })
    yield* storage.agents.archive({ accountId, id: definition.id, now: Factories.at(20) })
    assert.deepStrictEqual(yield* storage.agents.versions(accountId, definition.id), [
      { name: "Grace", version: 2, createdAt: Factories.at(9) },
      { name: "Ada", version: 1, createdAt: Factories.start }
    ])
    const version = (number: number) => storage.agents.version(accountId, definition.id, number)
    assert.deepStrictEqual([yield* version(1), yield* version(2), yield* version(3)], [
      Option.some(first),
      Option.some(second),
      Option.none()
    ])
    assert.deepStrictEqual(yield* storage.agents.versions(other.accountId, definition.id), [])
    assert.deepStrictEqual(yield* storage.agents.version(other.accountId, definition.id, 1), Option.none())
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

  "archives an agent: it is not listed, and can still be read": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const definition = Factories.agentDefinition()
    const put = yield* storage.agents.put({ accountId, agent: definition, now: Factories.start })
    const archive = (now: DateTime.Utc) => storage.agents.archive({ accountId, id: definition.id, now })
    const archived = Option.some({ ...put, archivedAt: Factories.at(5) })
    assert.deepStrictEqual(yield* archive(Factories.at(5)), archived)
    assert.deepStrictEqual(yield* archive(Factories.at(9)), archived)
    assert.deepStrictEqual(yield* storage.agents.get(accountId, definition.id), archived)
    assert.notInclude((yield* storage.agents.list(accountId)).map(({ id }) => id), definition.id)
    const unknown = Factories.agentDefinition().id
    assert.deepStrictEqual(
      yield* storage.agents.archive({ accountId, id: unknown, now: Factories.start }),
      Option.none()
    )
  }),

  "makes an archived agent usable by putting it, as the same version if nothing else changed": Effect.gen(function*() {
    const { accountId, storage } = yield* Fixture.make()
    const definition = Factories.agentDefinition()
    const put = yield* storage.agents.put({ accountId, agent: definition, now: Factories.start })
    const archive = storage.agents.archive({ accountId, id: definition.id, now: Factories.at(5) })
    yield* archive
    assert.deepStrictEqual(yield* storage.agents.put({ accountId, agent: definition, now: Factories.at(6) }), put)
    assert.deepStrictEqual(yield* storage.agents.get(accountId, definition.id), Option.some(put))
    yield* archive
    const changed = yield* storage.agents.put({
      accountId,
      agent: { ...definition, name: "Grace" },
      now: Factories.at(7)
    })
    assert.deepStrictEqual([changed.version, changed.archivedAt], [2, undefined])
    assert.include((yield* storage.agents.list(accountId)).map(({ id }) => id), definition.id)
  }),

  "archives no agent of another account": Effect.gen(function*() {
    const mine = yield* Fixture.make()
    const other = yield* Fixture.make()
    const options = { accountId: other.accountId, id: mine.agentId, now: Factories.start }
    assert.deepStrictEqual(yield* other.storage.agents.archive(options), Option.none())
    assert.isUndefined(Option.getOrThrow(yield* mine.storage.agents.get(mine.accountId, mine.agentId)).archivedAt)
  }),

  "hides an agent from other accounts": Effect.gen(function*() {
    const mine = yield* Fixture.make()
    const other = yield* Fixture.make()
    assert.deepStrictEqual(yield* mine.storage.agents.get(other.accountId, mine.agentId), Option.none())
  })
}
