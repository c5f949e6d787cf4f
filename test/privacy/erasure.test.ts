import { assert, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import {
  Batches,
  CalleeErasure,
  DoNotCallList,
  Events,
  Explanations,
  Ids,
  PhoneNumber,
  SecretBox,
  Storage,
  Webhooks,
  WebhookTransport
} from "@outdial/core"
import { FileRecordings } from "@outdial/node"
import { SqlStorage } from "@outdial/sql"
import { Factories, TestEngine } from "@outdial/testkit"
import { Clock, Context, Effect, FileSystem, Layer, Option, Path, Redacted, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Steps from "../../packages/core/test/support/CallSteps.ts"
import * as PgliteDatabase from "../support/pglite.ts"
import * as PostgresDatabase from "../support/postgres.ts"

const number = "+14155550100"
const start = Date.parse("2026-03-02T10:00:00Z")

const contact = { name: "Grace Hopper", email: "grace@navy.example", externalId: "crm-4711" }
const variables = { topic: "a rare disease" }
const metadata = { note: "a note on her" }

/** All data of the callee: the number as kept and as it was sent, what was written, and what was said. */
const personal = [
  "4155550100",
  "415-555-0100",
  "555\u20110100",
  ...Object.values(contact),
  "rare disease",
  "note on her",
  "suits me"
]

/** Where the recordings of a test are. */
class Folder extends Context.Service<Folder, string>()("@outdial/test/erasure/Folder") {}

/** Databases answer in real time, which the clock of a test would stop. */
const inRealTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provideService(effect, Clock.Clock, Clock.Clock.defaultValue())

/** Storage takes time as an argument, so that another clock changes nothing but how long it waits. */
const storageInRealTime = Layer.effect(
  Storage.Storage,
  Effect.map(Storage.Storage, (storage) =>
    Object.fromEntries(
      Object.entries(storage).map(([field, store]) => [
        field,
        Object.fromEntries(
          Object.entries(store).map(([name, member]) => [
            name,
            Effect.isEffect(member)
              ? inRealTime(member as Effect.Effect<unknown, unknown>)
              : (...options: ReadonlyArray<never>) =>
                // Each member is an effect, or a function that answers one.
                inRealTime(
                  (member as (...options: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>)(...options)
                )
          ])
        )
      ])
      // With the stores and the members that it had; `outlivesProcess` is not used here.
    ) as unknown as Storage.Storage["Service"])
).pipe(Layer.provide(SqlStorage.layer))

/** Every column of every row of every table, as text. */
const rows = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql<{ readonly name: string }>`
    select table_name as name
    from information_schema.tables
    where table_name like 'outdial%'`
  assert.isAbove(tables.length, 15)
  const all = yield* Effect.forEach(
    tables,
    ({ name }) =>
      sql<{ readonly row: string }>`select ${name}::text || ' ' || row_to_json(t)::text as row from ${sql(name)} as t`
  )
  return all.flat().map(({ row }) => row)
}).pipe(inRealTime)

/** The names and the contents of all recordings, as text. */
const recordings = Effect.gen(function*() {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const folder = yield* Folder
  const names = yield* files.readDirectory(folder, { recursive: true })
  return yield* Effect.forEach(names, (name) =>
    Effect.map(
      Effect.option(files.readFileString(paths.join(folder, name))),
      (content) => `${name} ${Option.getOrElse(content, () => "")}`
    ))
})

/** Where anything of the callee is still to be found. */
const found = Effect.map(
  Effect.all([rows, recordings]),
  ([rows, files]) => personal.filter((word) => [...rows, ...files].some((text) => text.includes(word)))
)

const erase = Effect.fnUntraced(function*(text = number) {
  const { accountId } = yield* TestEngine.Tenant
  const callees = yield* CalleeErasure.CalleeErasure
  return yield* callees.erase(accountId, text)
})

const doNotCall = Effect.gen(function*() {
  const { accountId } = yield* TestEngine.Tenant
  const list = yield* DoNotCallList.DoNotCallList
  return {
    add: list.add(accountId, [number]),
    remove: list.remove(accountId, number),
    get: list.get(accountId, number),
    numbers: Effect.map(list.list(accountId, { limit: 10, after: Option.none() }), ({ items }) => items)
  }
})

/** A call, test calls, a rejected row in a batch, a webhook with a delivery, and a queued call. */
const history = Effect.gen(function*() {
  yield* TestClock.setTime(start)
  const { accountId, agentId } = yield* TestEngine.Tenant
  const webhooks = yield* Webhooks.Webhooks
  const batches = yield* Batches.Batches
  yield* webhooks.set(accountId, {
    url: "https://example.com/hook",
    events: ["call.completed", "call.not_connected", "call.dialing", "call.in_progress"]
  })
  const more = { contact, variables, metadata }
  yield* Steps.start(number, { ...more, test: true })
  const { id } = yield* Steps.start("+1 415-555-0100", more, "a key")
  const rejectedBatch = yield* batches.start(accountId, {
    agentId,
    calls: [
      { phoneNumber: "+1 415-555-0100", ...more },
      { phoneNumber: "+1 415-555-0100 ext. 5", ...more },
      { phoneNumber: "(415) 555\u20110100", ...more },
      { phoneNumber: "+1 900 555 0100", variables },
      { phoneNumber: "+14155550111", variables, contact: { name: "Ada" } }
    ]
  })
  assert.strictEqual(rejectedBatch.rejectedCount, 4)
  yield* TestEngine.advance("5 minutes")
  assert.strictEqual((yield* Steps.get(id)).status, "completed")
  return { id, batchId: rejectedBatch.id }
})

/** Why a call to the number is not accepted. */
const refusal = Effect.map(
  Effect.flip(Steps.start(number, { contact, variables })),
  (error) => error._tag === "CallRefused" ? error.reason._tag : error._tag
)

const policy = { ...Factories.openPolicy, numberLimits: [{ max: 1, windowSeconds: 86_400 }] }

const secretKey = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))

/** The engine on a database that the test looks into, with its recordings in a folder. */
const layer = <E, R>(database: Layer.Layer<SqlClient.SqlClient, E, R>) =>
  Layer.unwrap(Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const directory = yield* files.makeTempDirectoryScoped({ prefix: "outdial-erasure-" })
    const client = yield* inRealTime(Layer.build(database))
    const engine = TestEngine.layer({
      policy,
      storage: storageInRealTime.pipe(Layer.provide(Layer.succeedContext(client))),
      recordings: FileRecordings.layer({ directory }),
      secretBox: Layer.orDie(SecretBox.SecretBox.layer({ key: secretKey(1) }))
    })
    return Layer.mergeAll(engine, Layer.succeedContext(client), Layer.succeed(Folder, directory))
  })).pipe(Layer.provideMerge(NodeServices.layer))

const databases = { PGlite: layer(PgliteDatabase.layer), Postgres: layer(PostgresDatabase.layer) }

for (const [name, onDatabase] of Object.entries(databases)) {
  describe(`erasing a callee on ${name}`, () => {
    it.effect(
      "leaves no number, name or word of the callee in any table or recording",
      () =>
        Effect.gen(function*() {
          const { accountId } = yield* TestEngine.Tenant
          const { batchId, id } = yield* history
          yield* (yield* doNotCall).add
          assert.deepStrictEqual(yield* found, personal)
          assert.deepStrictEqual(yield* erase(), { calls: 2, canceled: 0, doNotCall: true, events: 4, rejectedRows: 3 })
          // The batch's other call was for the same topic, and is another's.
          yield* erase("+14155550111")
          assert.deepStrictEqual(yield* found, [])
          assert.deepStrictEqual(yield* erase(), { calls: 0, canceled: 0, doNotCall: true, events: 0, rejectedRows: 0 })
          assert.strictEqual((yield* Effect.flip(Steps.get(id))).code, "not_found")
          const events = yield* Events.Events
          const gone = events.get(accountId, Ids.terminalEventId(id))
          assert.strictEqual((yield* Effect.flip(gone)).code, "event_expired")
          const batches = yield* Batches.Batches
          const { acceptedCount, calls, counts, rejectedCount } = yield* batches.get(accountId, batchId)
          assert.deepStrictEqual([acceptedCount, counts.completed, calls, rejectedCount], [1, 1, [], 4])
        }).pipe(Effect.provide(onDatabase)),
      120_000
    )

    it.effect(
      "sends an erased event again under its id, without a word of theirs",
      () =>
        Effect.gen(function*() {
          const { accountId } = yield* TestEngine.Tenant
          const { id } = yield* history
          yield* erase()
          const sent = yield* WebhookTransport.Sent
          yield* Ref.set(sent, [])
          const events = yield* Events.Events
          yield* events.redeliver(accountId, Ids.terminalEventId(id))
          yield* TestEngine.drain
          const [{ body } = { body: "{}" }] = yield* Ref.get(sent)
          const event = JSON.parse(body)
          assert.deepStrictEqual([event.id, event.type], [Ids.terminalEventId(id), "call.completed"])
          assert.deepStrictEqual([event.data.id, event.data.status, event.data.erased], [id, "completed", true])
          assert.deepStrictEqual(personal.filter((word) => body.includes(word)), [])
        }).pipe(Effect.provide(onDatabase)),
      120_000
    )

    it.effect(
      "leaves limits and do-not-call list in force",
      () =>
        Effect.gen(function*() {
          const { accountId } = yield* TestEngine.Tenant
          yield* history
          yield* erase()
          const more = { contact, variables, metadata }
          assert.strictEqual(yield* refusal, "NumberLimitReached")
          const rules = yield* Explanations.Explanations
          const preview = yield* rules.preview(accountId, { phoneNumber: PhoneNumber.PhoneNumber.make(number) })
          assert.strictEqual(preview.decision, "refuse")
          yield* TestEngine.advance("1 day")
          const recreated = yield* Steps.start(number, more)
          assert.strictEqual(recreated.status, "queued")
          const list = yield* doNotCall
          assert.deepStrictEqual(yield* list.add, { added: 1, canceled: 1 })
          assert.deepStrictEqual((yield* erase()).doNotCall, true)
          assert.deepStrictEqual(yield* list.numbers, [])
          assert.strictEqual((yield* list.get).phoneNumber, number)
          assert.strictEqual(yield* refusal, "NumberDoNotCall")
          yield* list.remove
          assert.strictEqual((yield* Steps.start(number, more)).status, "queued")
        }).pipe(Effect.provide(onDatabase)),
      120_000
    )
  })
}
