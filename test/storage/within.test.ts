import { assert, describe, it } from "@effect/vitest"
import {
  Accounts,
  type HostTransactions,
  Outdial,
  OutdialError,
  SimulatedTelephony,
  WebhookTransport
} from "@outdial/core"
import { postgres } from "@outdial/sql"
import { Context, Effect, Layer } from "effect"
import { Client, Pool } from "pg"
import { withDrizzle, withPg, withPostgresJs } from "../support/HostClients.ts"
import { database } from "../support/postgres.ts"

type HostClient = HostTransactions.HostClient

const timeout = 120_000
const schema = `Odd "name", with $1`
const ada = { name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }
const secretKey = "dGVzdCBrZXksIG5vdCBmb3IgcHJvZHVjdGlvbiAhISE="
const telephony = SimulatedTelephony.layer({ speed: 1000 })
const transport = WebhookTransport.WebhookTransport.layerMemory
const number = "+14155550100"

const hosts = { pg: withPg, "postgres.js": withPostgresJs, Drizzle: withDrizzle }

/** An engine that does not dial, and the host's own pool on its database, where it has a table of visits. */
class Database extends Context.Service<Database, {
  readonly url: string
  readonly engine: Outdial.Outdial
  readonly pool: Pool
}>()("within/Database") {
  static readonly layer = Layer.effect(
    Database,
    Effect.gen(function*() {
      const url = yield* database
      const engine = yield* Effect.acquireRelease(
        Effect.promise(() => Outdial.open({ ...postgres({ url, schema }), secretKey, transport, workers: false })),
        (engine) => Effect.promise(() => engine.close())
      )
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new Pool({ connectionString: url })),
        (pool) => Effect.promise(() => pool.end())
      )
      yield* Effect.promise(() => pool.query("create table visits (account_id text, id text)"))
      return { url, engine, pool }
    })
  )
}

/** An account of its own. */
const fixture = Effect.gen(function*() {
  const { engine: shared, pool, url } = yield* Database
  const { id } = yield* Effect.flatMap(Accounts.Accounts, ({ create }) => create({ name: "Clinic" })).pipe(
    Effect.provide(shared.services)
  )
  const engine = shared.account(id)
  yield* Effect.promise(() => engine.settings.set({ policy: { callingHours: null } }))
  const agent = yield* Effect.promise(() => engine.agents.put(ada))
  return {
    url,
    pool,
    engine,
    agentId: agent.id,
    visit: (client: HostClient, visitId: string) => client.query("insert into visits values ($1, $2)", [id, visitId]),
    visits: async () => {
      const { rows } = await pool.query<{ readonly id: string }>("select id from visits where account_id = $1", [id])
      return rows.map(({ id }) => id)
    }
  }
})

type Fixture = Effect.Success<typeof fixture>

const failureOf = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(() => undefined, (error: unknown) => error)

const codeOf = async (promise: PromiseLike<unknown>) => {
  const error = await failureOf(promise)
  return error instanceof OutdialError ? error.code : error
}

const rowsIn = (answer: unknown) => (answer as { readonly rows: ReadonlyArray<unknown> }).rows

const untilWaitingForLock = async (pool: Pool) => {
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  while ((await pool.query(waiting)).rowCount === 0) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** The client, with every statement that it is given. */
const recorded = (client: HostClient) => {
  const statements: Array<string> = []
  return {
    statements,
    client: {
      query: (text: string, values: Array<string>) => {
        statements.push(text)
        return client.query(text, values)
      }
    }
  }
}

/**
 * Text that not every client can send unchanged: quotes, backslashes, placeholders, braces, and characters that SQL text has
 * not.
 */
const awkward = `it's "a" \\ {test}, $1 ::text ? \u0000 \u{1F600}`

it.layer(Database.layer, { excludeTestServices: true, timeout: "180 seconds" })("Inside a host's transaction", (it) => {
  const test = (name: string, body: (fixture: Fixture) => Promise<void>) =>
    it.effect(name, () => Effect.flatMap(fixture, (given) => Effect.promise(() => body(given))), timeout)
  describe.each(Object.entries(hosts))("of %s", (_, host) => {
    test("everything is done as outside, and is there after the commit", async ({ agentId, engine, pool, url, visit, visits }) => {
      await engine.webhook.set({
        url: "https://example.com/hook",
        events: ["call.completed", "call.not_connected", "batch.completed"]
      })
      await engine.settings.set({ policy: { callingHours: null, dailyLimit: 100, timeZone: "Europe/Berlin" } })
      await engine.callees.erase("+14155550108")
      const request = {
        agentId,
        phoneNumber: "+14155550108",
        // The form in which instants come back.
        contact: { name: awkward, externalId: "2026-01-01T00:00:00+00:00" },
        metadata: { awkward },
        variables: { name: awkward }
      }
      const { batch, call, canceled, ended, sample } = await host(pool, url).transaction(async (client) => {
        const { batches, calls } = engine.within(client)
        const call = await calls.start(request, { idempotencyKey: "call" })
        const again = await calls.start(request, { idempotencyKey: "call" })
        assert.deepStrictEqual(again, { ...call, idempotentReplay: true })
        assert.deepStrictEqual({ ...await calls.get(call.id), idempotentReplay: false }, call)
        const sample = await calls.start({ agentId, phoneNumber: number, test: true })
        const other = await calls.start({ agentId, phoneNumber: "+14155550101" })
        const canceled = await calls.cancel(other.id)
        const batch = await batches.start(
          { agentId, calls: [{ phoneNumber: "+14155550102" }, { phoneNumber: "+14155550108" }, { phoneNumber: "?" }] },
          { idempotencyKey: "batch" }
        )
        assert.deepInclude(await batches.get(batch.id), { id: batch.id, counts: batch.counts })
        await batches.start({ agentId, calls: [{ phoneNumber: "?" }] })
        const ended = await batches.start({ agentId, calls: [{ phoneNumber: "+14155550103" }] })
        await visit(client, "kept")
        return { batch, call, canceled, ended: await batches.cancel(ended.id), sample }
      })
      assert.deepStrictEqual({ ...await engine.calls.get(call.id), idempotentReplay: false }, call)
      assert.deepInclude(call, { status: "queued", contact: request.contact })
      assert.deepStrictEqual(await engine.calls.get(canceled.id), canceled)
      assert.deepStrictEqual([canceled.status, sample.status], ["canceled", "completed"])
      assert.deepStrictEqual(await engine.batches.get(ended.id), ended)
      assert.strictEqual(ended.counts?.canceled, 1)
      assert.deepStrictEqual([batch.acceptedCount, batch.rejected?.map(({ code }) => code)], [
        1,
        ["call_already_queued", "invalid_request"]
      ])
      assert.isTrue((await engine.calls.start(request, { idempotencyKey: "call" })).idempotentReplay)
      const events = await engine.events.list()
      assert.sameMembers(events.items.map(({ callId }) => callId), [canceled.id, sample.id, ended.calls?.[0]?.id ?? ""])
      assert.deepStrictEqual(await visits(), ["kept"])
    })

    test("nothing is there after a rollback, and its key is free", async ({ agentId, engine, pool, url, visit, visits }) => {
      const request = { agentId, phoneNumber: number }
      const failure = new Error("the host's own")
      const thrown = await failureOf(
        host(pool, url).transaction(async (client) => {
          await engine.within(client).calls.start(request, { idempotencyKey: "key" })
          await visit(client, "lost")
          throw failure
        })
      )
      assert.strictEqual(thrown, failure)
      assert.lengthOf((await engine.calls.list()).items, 0)
      assert.lengthOf(await visits(), 0)
      assert.isFalse((await engine.calls.start(request, { idempotencyKey: "key" })).idempotentReplay)
    })

    test("a refusal leaves the transaction usable, with what the host wrote", async ({ agentId, engine, pool, url, visit, visits }) => {
      const request = { agentId, phoneNumber: number }
      const { id } = await engine.calls.start(request)
      await host(pool, url).transaction(async (client) => {
        await visit(client, "before")
        const error = await failureOf(engine.within(client).calls.start(request))
        assert.isTrue(OutdialError.is(error, "call_already_queued") && error.details.callId === id, String(error))
        await visit(client, "after")
      })
      assert.sameMembers(await visits(), ["before", "after"])
    })

    test("is distinguished from a client without a transaction", async ({ agentId, engine, pool, url }) => {
      const start = (client: HostClient) => codeOf(engine.within(client).calls.start({ agentId, phoneNumber: number }))
      assert.strictEqual(await host(pool, url).outside(start), "not_in_transaction")
      assert.strictEqual(await start(pool), "not_in_transaction")
      assert.lengthOf((await engine.calls.list()).items, 0)
    })
  })

  test("every statement goes over the host's client", ({ agentId, engine, pool }) =>
    withPg(pool).transaction(async (client) => {
      // Any other connection would wait for this.
      const tables = await pool.query<{ readonly name: string }>(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1",
        [schema]
      )
      await client.query(`lock table ${tables.rows.map(({ name }) => name).join(", ")} in access exclusive mode`, [])
      const { batches, calls } = engine.within(client)
      const { id } = await calls.start({ agentId, phoneNumber: number }, { idempotencyKey: "key" })
      await calls.cancel(id)
      const batch = await batches.start({ agentId, calls: [{ phoneNumber: number }] }, { idempotencyKey: "key" })
      await batches.cancel(batch.id)
      assert.strictEqual((await calls.get(id)).status, "canceled")
      assert.strictEqual((await batches.get(batch.id)).counts?.canceled, 1)
    }))

  test("the host's settings stay unchanged, also after failures", ({ agentId, engine, pool }) =>
    withPg(pool).transaction(async (client) => {
      const settings = () =>
        client.query("select name, setting from pg_settings order by name", []).then((answer) => {
          const { rows } = answer as { readonly rows: ReadonlyArray<unknown> }
          return rows
        })
      await client.query("set local lock_timeout = '1234ms'", [])
      await client.query("set local search_path = public, pg_catalog", [])
      await client.query("set local datestyle = 'SQL, DMY'", [])
      await client.query("set local timezone = 'Asia/Kolkata'", [])
      const before = await settings()
      const request = { agentId, phoneNumber: number }
      const { calls } = engine.within(client)
      const call = await calls.start(request)
      assert.deepStrictEqual({ ...await calls.get(call.id), idempotentReplay: false }, call)
      assert.deepStrictEqual(await settings(), before)
      assert.strictEqual(await codeOf(calls.start(request)), "call_already_queued")
      assert.deepStrictEqual(await settings(), before)
    }))

  test("loops are woken by the commit, and by nothing else", async ({ agentId, engine, pool, url }) => {
    const listener = new Client({ connectionString: url })
    await listener.connect()
    const heard: Array<string | undefined> = []
    let hear = () => {}
    listener.on("notification", ({ payload }) => {
      // The engine's own notifications have its name after the topic.
      if (payload?.includes(" ") !== true) heard.push(payload)
      hear()
    })
    await listener.query("listen outdial_wakeups")
    const start = (phoneNumber: string) => (client: HostClient) =>
      engine.within(client).calls.start({ agentId, phoneNumber })
    await failureOf(
      withPg(pool).transaction(async (client) => {
        await start(number)(client)
        throw new Error("the host's own")
      })
    )
    await withPg(pool).transaction(async (client) => {
      await start(number)(client)
      // Notified after the premature notification would have been, and so received after it.
      const early = new Promise<void>((resolve) => hear = resolve)
      await pool.query("select pg_notify('outdial_wakeups', 'early')")
      await early
      assert.deepStrictEqual(heard, ["early"])
    })
    await listener.query("select")
    assert.deepStrictEqual(heard, ["early", "dial"])
    await listener.end()
  })

  test("a started call is dialed after the commit", async ({ agentId, engine, pool, url }) => {
    await using worker = await Outdial.open({ ...postgres({ url, schema }), secretKey, telephony, transport })
    const ended = Promise.withResolvers<string>()
    await worker.account(engine.accountId).events.subscribe("test", ({ callId }) => ended.resolve(callId ?? ""))
    const { id } = await withPg(pool).transaction((client) =>
      engine.within(client).calls.start({ agentId, phoneNumber: number })
    )
    assert.strictEqual(await ended.promise, id)
  })

  test("requests at the same time take turns", async ({ agentId, engine, pool }) => {
    const numbers = [number, number, "+14155550101", number, "+14155550102"]
    const codes = await withPg(pool).transaction((client) =>
      Promise.all(numbers.map((phoneNumber) => codeOf(engine.within(client).calls.start({ agentId, phoneNumber }))))
    )
    assert.deepStrictEqual(codes, [undefined, "call_already_queued", undefined, "call_already_queued", undefined])
    assert.lengthOf((await engine.calls.list()).items, 3)
  })

  test("a statement that fails is not repeated, and its error is the cause", async ({ agentId, engine, pool, visit, visits }) => {
    const failure = new Error("the client's own")
    await withPg(pool).transaction(async (client) => {
      const { client: recording, statements } = recorded(client)
      const failing: HostClient = {
        query: (text, values) =>
          text.includes("insert into outdial_calls")
            ? recording.query(text, values).then(() => Promise.reject(failure))
            : recording.query(text, values)
      }
      const error = await failureOf(engine.within(failing).calls.start({ agentId, phoneNumber: number }))
      assert.isTrue(OutdialError.is(error, "transaction_failed") && error.cause === failure, String(error))
      assert.lengthOf(statements.filter((text) => text.includes("insert into outdial_calls")), 1)
      await visit(client, "kept")
    })
    assert.lengthOf((await engine.calls.list()).items, 0)
    assert.deepStrictEqual(await visits(), ["kept"])
  })

  test("a batch whose number is taken meanwhile is planned again", async ({ agentId, engine, pool, visit, visits }) => {
    const numbers = [number, "+14155550101"]
    const batch = await withPg(pool).transaction(async (client) => {
      await visit(client, "kept")
      let isTaken = false
      const raced: HostClient = {
        query: async (text, values) => {
          if (text.includes("insert into outdial_calls") && !isTaken) {
            isTaken = true
            await engine.calls.start({ agentId, phoneNumber: number })
          }
          return client.query(text, values)
        }
      }
      return engine.within(raced).batches.start({ agentId, calls: numbers.map((phoneNumber) => ({ phoneNumber })) })
    })
    assert.deepStrictEqual(batch.rejected?.map(({ code }) => code), ["call_already_queued"])
    assert.strictEqual((await engine.batches.get(batch.id)).acceptedCount, 1)
    assert.deepStrictEqual(await visits(), ["kept"])
  })

  test("no savepoint is left behind", async ({ agentId, engine, pool }) => {
    for (const phoneNumbers of [[number], [number, number]]) {
      const thrown = await failureOf(
        withPg(pool).transaction(async (client) => {
          for (const phoneNumber of phoneNumbers) {
            await codeOf(engine.within(client).calls.start({ agentId, phoneNumber }))
          }
          await client.query("release savepoint outdial_0", [])
        })
      )
      assert.include(thrown, { message: "savepoint \"outdial_0\" does not exist" })
    }
  })

  test("a serialization failure is the host's to repeat", async ({ agentId, engine, pool }) => {
    const request = { agentId, phoneNumber: number }
    await withPg(pool).transaction(async (client) => {
      await client.query("set transaction isolation level repeatable read", [])
      await client.query("select 1", [])
      await engine.calls.start(request)
      const error = await failureOf(engine.within(client).calls.start(request))
      assert.isTrue(OutdialError.is(error, "transaction_failed"), String(error))
      assert.include((error as OutdialError).cause, { code: "40001" })
    })
  })

  test("a request that is aborted leaves nothing behind, and the transaction usable", async ({ agentId, engine, pool, visit, visits }) => {
    await withPg(pool).transaction(async (client) => {
      const controller = new AbortController()
      let [underWay, isInTurn] = [0, true]
      const aborting: HostClient = {
        query: async (text, values) => {
          isInTurn &&= underWay === 0
          underWay += 1
          if (text.includes("insert into outdial_calls")) controller.abort()
          return Promise.resolve(client.query(text, values)).finally(() => underWay -= 1)
        }
      }
      const { calls } = engine.with({ signal: controller.signal }).within(aborting)
      assert.strictEqual(await codeOf(calls.start({ agentId, phoneNumber: number })), "aborted")
      assert.isTrue(isInTurn)
      await visit(client, "kept")
    })
    assert.lengthOf((await engine.calls.list()).items, 0)
    assert.deepStrictEqual(await visits(), ["kept"])
  })

  describe("while another transaction has a lock that it needs", () => {
    /** Runs with two clients in transactions: the first has started a call to the number, and commits at the end. */
    const held = (
      { agentId, engine, pool }: Fixture,
      work: (client: HostClient, commitFirst: () => Promise<unknown>) => Promise<void>
    ) =>
      withPg(pool).transaction(async (client) => {
        const first = await pool.connect()
        await first.query("begin")
        await engine.within(first).calls.start({ agentId, phoneNumber: number }, { idempotencyKey: "held" })
        let isOpen = true
        const commitFirst = async () => {
          if (isOpen) await first.query("commit")
          isOpen = false
        }
        await work(client, commitFirst).finally(commitFirst).finally(() => first.release())
      })

    test("a request waits for 5 seconds, then is refused and leaves the transaction usable", async (given) => {
      const { agentId, engine, visit, visits } = given
      await held(given, async (client) => {
        const settings = () => client.query("select name, setting from pg_settings where name like '%timeout'", [])
        const before = await settings()
        const started = performance.now()
        const { calls } = engine.within(client)
        assert.strictEqual(await codeOf(calls.start({ agentId, phoneNumber: number })), "unavailable")
        const seconds = (performance.now() - started) / 1000
        assert.isTrue(seconds > 4.9 && seconds < 15, String(seconds))
        assert.deepStrictEqual(await settings().then(rowsIn), rowsIn(before))
        assert.strictEqual(
          await codeOf(calls.start({ agentId, phoneNumber: "+14155550101" }, { idempotencyKey: "held" })),
          "idempotency_key_in_use"
        )
        await client.query("set local lock_timeout = '20ms'", [])
        const again = performance.now()
        assert.strictEqual(await codeOf(calls.start({ agentId, phoneNumber: number })), "unavailable")
        assert.isBelow(performance.now() - again, 4000)
        await visit(client, "kept")
      })
      assert.lengthOf((await engine.calls.list()).items, 1)
      assert.deepStrictEqual(await visits(), ["kept"])
    })

    test("a request that is aborted is rejected at once, and leaves the transaction usable", async (given) => {
      const { agentId, engine, visit, visits } = given
      await held(given, async (client, commitFirst) => {
        const controller = new AbortController()
        const waiting = engine.with({ signal: controller.signal }).within(client).calls.start({
          agentId,
          phoneNumber: number
        })
        const code = codeOf(waiting)
        await untilWaitingForLock(given.pool)
        controller.abort()
        const aborted = performance.now()
        assert.strictEqual(await code, "aborted")
        assert.isBelow(performance.now() - aborted, 2000)
        const kept = visit(client, "kept")
        await commitFirst()
        await kept
      })
      assert.lengthOf((await engine.calls.list()).items, 1)
      assert.deepStrictEqual(await visits(), ["kept"])
    })
  })

  describe("of a client that never answers", () => {
    const silent: HostClient = { query: () => new Promise(() => {}) }

    test("a request that is aborted is rejected", async ({ agentId, engine }) => {
      const controller = new AbortController()
      const code = codeOf(
        engine.with({ signal: controller.signal }).within(silent).calls.start({ agentId, phoneNumber: number })
      )
      controller.abort()
      assert.strictEqual(await code, "aborted")
    })

    test("a request does not keep the engine from closing", async ({ agentId, engine, url }) => {
      const closing = await Outdial.open({ ...postgres({ url, schema }), secretKey, transport, workers: false })
      const sent = Promise.withResolvers<void>()
      const unanswered: HostClient = { query: (text, values) => (sent.resolve(), silent.query(text, values)) }
      const request = closing.account(engine.accountId).within(unanswered).calls.start({ agentId, phoneNumber: number })
      const code = codeOf(request)
      await sent.promise
      await closing.close()
      assert.strictEqual(await code, "engine_closed")
    })
  })

  test("a client that does not resolve with rows gets an error that says so", async ({ agentId, engine, pool }) => {
    const requests = await withPg(pool).transaction(async (client) => {
      const without = { query: async (text: string, values: Array<string>) => void await client.query(text, values) }
      return failureOf(engine.within(without).calls.start({ agentId, phoneNumber: number }))
    })
    assert.isTrue(OutdialError.is(requests, "transaction_failed"))
    assert.match(String((requests as OutdialError).cause), /must resolve with the rows/)
    const nothing = {} as HostClient
    assert.strictEqual(await codeOf(engine.within(nothing).calls.get("call_none")), "invalid_request")
  })
})
