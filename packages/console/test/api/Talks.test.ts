import { assert, describe, it } from "@effect/vitest"
import { TestEngine } from "@outdial/testkit"
import { Effect } from "effect"
import * as Fixture from "./Fixture.ts"

const definition = {
  name: "Ada",
  script: "Hello {{contact.name}}, this is about {{topic}}.",
  questions: ["Does Tuesday suit you?"],
  dispositions: ["done"]
}
const operator = { role: "operator", headers: { "x-session": "one" } } as const
const admin = { ...operator, role: "admin" } as const

const startTalk = (body: object, sent: Fixture.Sent = {}) => Fixture.inAccount("/talks", { ...admin, body, ...sent })

/** The events of a conversation, up to the one with this text. */
const until = Effect.fnUntraced(function*(id: string, awaited: string, lastEventId?: string) {
  const { accountId } = yield* TestEngine.Tenant
  const response = yield* Fixture.respond(`/accounts/${accountId}/talks/${id}/stream`, {
    ...operator,
    headers: { ...operator.headers, ...(lastEventId !== undefined && { "last-event-id": lastEventId }) }
  })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (!text.includes(awaited)) {
    const chunk = yield* Effect.promise(async () => reader?.read())
    if (chunk === undefined || chunk.done) break
    text += decoder.decode(chunk.value)
  }
  yield* Effect.promise(async () => reader?.cancel())
  return text.split("\n\n").flatMap((block) => {
    const data = /^data: (.*)$/mu.exec(block)?.[1]
    return data === undefined ? [] : [JSON.parse(data)]
  })
})

const turns = (events: ReadonlyArray<{ readonly [name: string]: string }>) =>
  events.filter(({ type }) => type === "turn").map(({ speaker, text }) => `${speaker}: ${text}`)

describe("talks", () => {
  it.live("hold a conversation with a definition that is not saved, to its outcome", () =>
    Effect.gen(function*() {
      const started = yield* startTalk({ definition, variables: { topic: "<b>you</b>" }, contact: { name: "Grace" } })
      assert.deepStrictEqual([started.status, started.body["agent_name"]], [201, "Ada"])
      const id = started.body["id"]
      const say = (text: string) => Fixture.inAccount(`/talks/${id}/turns`, { ...operator, body: { text } })
      const [greeting] = turns(yield* until(id, "event: turn\n"))
      assert.strictEqual(greeting, "agent: Hello Grace, this is about <b>you</b>.")
      assert.strictEqual((yield* say("Hi.")).status, 202)
      yield* until(id, "Does Tuesday suit you?\"")
      yield* say("Yes, it does.")
      const events = yield* until(id, "event: over\n")
      assert.include(turns(events), "contact: Yes, it does.")
      const over = events.at(-1)
      assert.strictEqual(over?.["type"], "over")
      assert.deepStrictEqual(over?.["outcome"].answers, { "Does Tuesday suit you?": "Yes, it does." })
      // A page that connects again gets only what follows.
      assert.strictEqual((yield* until(id, "event: over\n", String(events.length - 1))).length, 1)
    }).pipe(Effect.provide(Fixture.layer())))

  it.live("are their user's, and as many as one may hold", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const body = { agent_id: agentId, variables: { topic: "x" } }
      const ids = [yield* startTalk(body), yield* startTalk(body), yield* startTalk(body)].map(({ body }) => body["id"])
      const full = yield* startTalk(body)
      assert.deepStrictEqual([full.status, full.body["error"].code], [429, "rate_limited"])
      const other = { role: "operator", headers: { "x-session": "two" } } as const
      const foreign = yield* Fixture.inAccount(`/talks/${ids[0]}/turns`, { ...other, body: { text: "Hi" } })
      assert.strictEqual(foreign.status, 404)
      for (const id of ids) {
        const ended = yield* Fixture.inAccount(`/talks/${id}`, { ...operator, method: "DELETE" })
        assert.deepStrictEqual(ended.body, { ok: true })
        assert.strictEqual((yield* until(id, "event: over\n")).at(-1)?.["reason"], "contact_hung_up")
      }
      assert.strictEqual((yield* startTalk(body)).status, 201)
    }).pipe(Effect.provide(Fixture.layer())))

  it.effect("need one agent, and values for its placeholders", () =>
    Effect.gen(function*() {
      const { agentId } = yield* TestEngine.Tenant
      const both = yield* startTalk({ agent_id: agentId, definition })
      assert.deepStrictEqual([both.status, Fixture.problems(both)], [400, ["/agent_id"]])
      const missing = yield* startTalk({ definition })
      assert.deepStrictEqual([missing.status, missing.body["error"].missing], [422, ["topic"]])
      const wrong = yield* startTalk({ definition: { ...definition, script: "{{1}}" }, variables: {} })
      assert.deepStrictEqual(Fixture.problems(wrong), ["/definition/script"])
      const refused = yield* startTalk({ definition, variables: { topic: "x" } }, { role: "operator" })
      assert.deepStrictEqual([refused.status, refused.body["error"].code], [403, "insufficient_role"])
      const unknown = yield* startTalk({ agent_id: "00000000-0000-4000-8000-000000000000" })
      assert.strictEqual(unknown.status, 404)
      const none = yield* Fixture.inAccount("/talks/none/turns", { ...operator, body: { text: "x" } })
      assert.strictEqual(none.status, 404)
    }).pipe(Effect.provide(Fixture.layer())))
})

describe("rehearsals", () => {
  it.live("hold calls with chosen personas, and report on them", () =>
    Effect.gen(function*() {
      const personas = yield* Fixture.inAccount("/personas", { role: "viewer" })
      const names = personas.body["data"].filter(({ language }: { readonly language: string }) => language === "en")
        .map(({ name }: { readonly name: string }) => name)
      assert.isAbove(names.length, 5)
      const body = { definition, variables: { topic: "x" }, personas: names.slice(0, 2), runs: 2 }
      const rehearsed = yield* Fixture.inAccount("/rehearsals", { role: "admin", body })
      assert.strictEqual(rehearsed.status, 200)
      const { passed, runs, seed } = rehearsed.body
      assert.deepStrictEqual([passed, seed, runs.length], [true, 1, 2])
      assert.deepStrictEqual(runs.map(({ persona }: { readonly persona: string }) => persona), names.slice(0, 2))
      const wrong = yield* Fixture.inAccount("/rehearsals", { body: { ...body, personas: ["nobody"], runs: 2 } })
      assert.deepStrictEqual([wrong.status, Fixture.problems(wrong)], [400, ["/personas"]])
      const many = yield* Fixture.inAccount("/rehearsals", { body: { ...body, runs: 101 } })
      assert.deepStrictEqual(Fixture.problems(many), ["/runs"])
    }).pipe(Effect.provide(Fixture.layer())))
})
