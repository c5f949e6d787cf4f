import { assert, it } from "@effect/vitest"
import { Accounts, MemoryStorage, Outdial, OutdialError, SecretBox, Storage, WebhookTransport } from "@outdial/core"
import { Context, Effect, Layer, Logger } from "effect"
import { describe } from "vitest"

const ada = { name: "Ada", script: "Hello {{contact.name}}", questions: ["Tuesday?"], dispositions: ["yes", "no"] }

const allHours = { callingHours: null }

/** An engine for the test, closed after it. */
const open = (options: Outdial.Options = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => Outdial.open({ agents: [ada], ...options })),
    (engine) => Effect.promise(() => engine.close())
  )

const request = Effect.fnUntraced(function*(engine: Outdial.Outdial) {
  const [agent] = yield* Effect.promise(() => engine.agents.list())
  return { agentId: agent?.id ?? "", phoneNumber: "+1 (415) 555-0100", contact: { name: "Grace" } }
})

/** The error that the promise rejects with. */
const rejection = (promise: () => Promise<unknown>) =>
  Effect.map(
    Effect.flip(Effect.tryPromise({ try: promise, catch: (error) => error as OutdialError })),
    ({ code, details }) => ({ code, details })
  )

describe("Outdial", () => {
  it.live("starts and reads calls as plain objects with dates", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const call = yield* Effect.promise(async () =>
        engine.calls.start({ ...(await Effect.runPromise(request(engine))), test: true })
      )
      assert.instanceOf(call.createdAt, Date)
      assert.strictEqual(call.phoneNumber, "+14155550100")
      assert.strictEqual(call.outcome?.disposition, "yes")
      const { idempotentReplay: _, ...again } = call
      assert.deepStrictEqual(yield* Effect.promise(() => engine.calls.get(call.id)), again)
    }))

  it.live("never makes a second call from a retry with the same key", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const body = yield* request(engine)
      const start = () => engine.calls.start(body, { idempotencyKey: "k" })
      const [first, second] = yield* Effect.promise(() => Promise.all([start(), start()]))
      assert.strictEqual(first.id, second.id)
      assert.sameMembers([first.idempotentReplay, second.idempotentReplay], [false, true])
    }))

  it.live("rejects with a code and the error's own data", () =>
    Effect.gen(function*() {
      const engine = yield* open({ lines: 0 })
      const body = yield* request(engine)
      const { id } = yield* Effect.promise(() => engine.calls.start(body))
      assert.deepStrictEqual(yield* rejection(() => engine.calls.start(body)), {
        code: "call_already_queued",
        details: { callId: id }
      })
      assert.deepStrictEqual(yield* rejection(() => engine.calls.get("call_nope")), {
        code: "not_found",
        details: { what: "call call_nope" }
      })
      const wrong = yield* rejection(() => engine.calls.start({ ...body, phoneNumber: "x" }, { idempotencyKey: "" }))
      assert.strictEqual(wrong.code, "invalid_request")
      assert.strictEqual(
        (yield* rejection(() => engine.agents.put({ ...ada, dispositions: [] }))).code,
        "invalid_request"
      )
    }))

  it.live("types the data of an error by its code", () =>
    Effect.gen(function*() {
      const engine = yield* open({ lines: 0 })
      const body = yield* request(engine)
      const { id } = yield* Effect.promise(() => engine.calls.start(body))
      const again = yield* Effect.promise(() =>
        engine.calls.start(body).catch((error: unknown) =>
          OutdialError.is(error, "call_already_queued") ? error.details.callId : undefined
        )
      )
      assert.strictEqual(again, id)
      const limit = new OutdialError("number_limit_reached", "", { retryAt: new Date(0) }, undefined)
      assert.isTrue(OutdialError.is(limit, "number_limit_reached") && limit.details.retryAt.getTime() === 0)
      assert.isFalse(OutdialError.is(limit, "call_already_queued"))
      // @ts-expect-error -- there is no such code
      assert.isFalse(OutdialError.is(limit, "call_alredy_queued"))
      // @ts-expect-error -- errors of this code have no such data
      assert.isUndefined(OutdialError.is(limit, "number_limit_reached") ? limit.details.callId : 0)
      const live = new OutdialError("call_not_live", "", { callId: id }, undefined)
      assert.isTrue(OutdialError.is(live, "call_not_live") && live.details.callId === id)
      assert.isFalse(OutdialError.is(live, "callee_busy") || OutdialError.is(live, "secret_key_unknown"))
      assert.isTrue(OutdialError.is(limit))
      assert.isFalse(OutdialError.is(new Error("other")))
    }))

  it.live("warns that no webhook is sent when there is a storage and no transport", () =>
    Effect.gen(function*() {
      const warnings = (options: Outdial.Options) =>
        Effect.gen(function*() {
          const said: Array<string> = []
          const clock = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
          yield* open({ ...options, clock })
          return said.filter((text) => text.includes("No transport was given")).length
        })
      const kept = { storage: MemoryStorage.layer, secretBox: SecretBox.SecretBox.layerMemory }
      const transport = WebhookTransport.WebhookTransport.layerNowhere
      assert.deepStrictEqual(
        yield* Effect.all([warnings(kept), warnings({ ...kept, transport }), warnings({})]),
        [1, 0, 0]
      )
    }))

  it.live("dials in the background, and reports the end", () =>
    Effect.gen(function*() {
      const engine = yield* open({ speed: 1000, policy: allHours })
      const body = yield* request(engine)
      const { id } = yield* Effect.promise(() => engine.calls.start(body))
      const call = yield* Effect.promise(() => engine.calls.get(id)).pipe(
        Effect.delay("20 millis"),
        Effect.repeat({ times: 200, until: ({ outcome }) => outcome !== null })
      )
      assert.strictEqual(call.status, "completed")
    }))

  it.live("keeps several engines in one process separate, and closes each on its own", () =>
    Effect.gen(function*() {
      const one = yield* open()
      const other = yield* open()
      const body = yield* request(one)
      const { id } = yield* Effect.promise(() => one.calls.start(body))
      assert.strictEqual((yield* rejection(() => other.calls.get(id))).code, "not_found")
      yield* Effect.promise(() => other.close())
      yield* Effect.promise(() => other.close())
      assert.strictEqual((yield* Effect.promise(() => one.calls.get(id))).id, id)
    }))

  it.live("lists calls page by page, filtered, and cancels them; starts batches", () =>
    Effect.gen(function*() {
      const engine = yield* open({ lines: 0 })
      const body = yield* request(engine)
      const { calls } = engine
      const row = (n: number) => ({ phoneNumber: `+1415555000${n}`, contact: { externalId: `crm-${n}` } })
      const batch = yield* Effect.promise(() =>
        engine.batches.start({ agentId: body.agentId, calls: [row(1), row(2), row(3), {}] })
      )
      assert.deepInclude(batch, { acceptedCount: 3, rejectedCount: 1 })
      const first = yield* Effect.promise(() => calls.list({ batchId: batch.id, status: ["queued"], limit: 2 }))
      const rest = yield* Effect.promise(() =>
        calls.list({ batchId: batch.id, limit: 2, cursor: first.nextCursor ?? "" })
      )
      assert.deepStrictEqual([first.items.length, first.hasMore, rest.items.length, rest.nextCursor], [
        2,
        true,
        1,
        null
      ])
      const [one] = first.items
      assert.strictEqual((yield* Effect.promise(() => calls.cancel(one?.id ?? ""))).status, "canceled")
      assert.strictEqual((yield* rejection(() => calls.cancel(one?.id ?? ""))).code, "call_not_cancelable")
      const canceled = yield* Effect.promise(() => engine.batches.cancel(batch.id))
      assert.deepInclude(canceled, { status: "completed" })
      assert.instanceOf(canceled.completedAt, Date)
      const page = yield* Effect.promise(() => engine.batches.list())
      assert.deepStrictEqual(page.items.map(({ id }) => id), [batch.id])
      assert.strictEqual((yield* rejection(() => calls.list({ cursor: "x" }))).code, "invalid_request")
      assert.strictEqual((yield* rejection(() => calls.list({ limit: 0 }))).code, "invalid_request")
    }))

  it.live("reads agents, events and their deliveries", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const body = yield* request(engine)
      assert.deepInclude(yield* Effect.promise(() => engine.agents.get(body.agentId)), { name: "Ada" })
      yield* Effect.promise(() => engine.webhook.set({ url: "https://example.com/hook" }))
      const call = yield* Effect.promise(() => engine.calls.start({ ...body, test: true }))
      yield* Effect.promise(() => engine.drain())
      const { items: [event] } = yield* Effect.promise(() => engine.events.list({ callId: call.id }))
      assert.strictEqual(JSON.parse(event?.body ?? "").data.id, call.id)
      assert.instanceOf(event?.createdAt, Date)
      assert.deepStrictEqual(yield* Effect.promise(() => engine.events.get(event?.id ?? "")), event)
      const { items: [delivery] } = yield* Effect.promise(() => engine.deliveries.list({ state: ["delivered"] }))
      assert.strictEqual(delivery?.eventId, event?.id)
      assert.deepStrictEqual(delivery?.attempts.map(({ statusCode }) => statusCode), [200])
      assert.deepStrictEqual(yield* Effect.promise(() => engine.deliveries.get(delivery?.id ?? "")), delivery)
    }))

  it.live("makes keys, shows them once, and revokes them", () =>
    Effect.gen(function*() {
      const { keys } = yield* open()
      const { secret, ...key } = yield* Effect.promise(() => keys.create({ name: "crm", scopes: ["calls:read"] }))
      assert.match(secret, /^vak_call_/)
      assert.deepStrictEqual(yield* Effect.promise(() => keys.list()), [key])
      assert.notProperty(key, "hash")
      assert.isTrue(yield* Effect.promise(() => keys.revoke(key.id)))
      assert.instanceOf((yield* Effect.promise(() => keys.list()))[0]?.revokedAt, Date)
      assert.strictEqual((yield* rejection(() => keys.create({ name: "", scopes: [] }))).code, "invalid_request")
      const expired = { name: "old", scopes: ["calls:read"], expiresAt: new Date(0) } as const
      assert.deepStrictEqual(yield* rejection(() => keys.create(expired)), {
        code: "invalid_request",
        details: { problems: [{ path: ["expiresAt"], message: "must be in the future" }] }
      })
    }))

  it.live("treats a key with undefined as absent, and reports an unknown account or a closed engine", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      const body = yield* request(engine)
      // Hosts in plain JavaScript, or without exact optional properties, pass such objects all the time.
      const given = { ...body, test: undefined, metadata: { a: undefined } } as unknown as typeof body
      const call = yield* Effect.promise(() => engine.calls.start(given))
      assert.deepStrictEqual(call.metadata, {})
      assert.strictEqual((yield* rejection(() => engine.account("acct_none").calls.start(body))).code, "not_found")
      assert.strictEqual((yield* rejection(() => engine.account("nope").calls.start(body))).code, "invalid_request")
      yield* Effect.promise(() => engine.close())
      assert.strictEqual((yield* rejection(() => engine.calls.get(call.id))).code, "engine_closed")
    }))

  it.live("gives up what is under way when a signal is aborted, and only that", () =>
    Effect.gen(function*() {
      // A storage that never finds a call.
      const storage = Layer.effect(
        Storage.Storage,
        Effect.map(Storage.Storage, (storage) => ({ ...storage, calls: { ...storage.calls, get: () => Effect.never } }))
      ).pipe(Layer.provide(MemoryStorage.layer))
      const engine = yield* open({ storage, secretBox: SecretBox.SecretBox.layerMemory })
      const aborting = new AbortController()
      const bounded = engine.with({ signal: aborting.signal })
      const found = bounded.with({ signal: new AbortController().signal }).calls.get("call_00000000000000000000000000")
      const other = engine.account(engine.accountId).with({ signal: aborting.signal }).calls.get(
        "call_00000000000000000000000000"
      )
      aborting.abort(new Error("the client has gone"))
      const promises: ReadonlyArray<Promise<unknown>> = [found, other, bounded.agents.list()]
      for (const promise of promises) {
        const error = yield* Effect.flip(
          Effect.tryPromise({ try: () => promise, catch: (error) => error as OutdialError })
        )
        assert.instanceOf(error, OutdialError)
        assert.strictEqual(error.code, "aborted")
        assert.propertyVal(error.cause, "message", "the client has gone")
      }
      assert.lengthOf(yield* Effect.promise(() => engine.agents.list()), 1)
    }))

  it.live("refuses to open with what no phone and no link could use", () =>
    Effect.gen(function*() {
      const unusable = [{ speed: 0 }, { speed: -1 }, { speed: NaN }, { speed: Infinity }, { publicUrl: "calls" }, {
        publicUrl: ""
      }]
      for (const options of unusable) {
        assert.strictEqual(
          (yield* rejection(() => Outdial.open(options))).code,
          "invalid_request",
          JSON.stringify(options)
        )
      }
    }))

  it.live("gives up opening when a signal is aborted", () =>
    Effect.gen(function*() {
      const storage = Layer.effect(Storage.Storage, Effect.never)
      const secretBox = SecretBox.SecretBox.layerMemory
      const opening = () => Outdial.open({ storage, secretBox, signal: AbortSignal.timeout(20) })
      assert.deepStrictEqual(yield* rejection(opening), { code: "aborted", details: {} })
    }))

  it.live("leaves the work to others when it is opened without workers", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(MemoryStorage.layer)
      const shared = {
        storage: Layer.succeedContext(context),
        secretBox: SecretBox.SecretBox.layerMemory,
        policy: allHours,
        speed: 1000
      }
      const accepting = yield* open({ ...shared, workers: false })
      const { id } = yield* Effect.promise(async () =>
        accepting.calls.start(await Effect.runPromise(request(accepting)))
      )
      const status = Effect.map(Effect.promise(() => accepting.calls.get(id)), (call) => call.status)
      assert.strictEqual(yield* Effect.delay(status, "300 millis"), "queued")
      yield* open(shared)
      const ended = yield* status.pipe(
        Effect.delay("20 millis"),
        Effect.repeat({ until: (status) => status === "completed" }),
        Effect.timeout("10 seconds")
      )
      assert.strictEqual(ended, "completed")
    }))

  it.live("makes and lists accounts, by an id of the host's choice as well", () =>
    Effect.gen(function*() {
      const engine = yield* open({})
      const clinic = yield* Effect.promise(() =>
        engine.accounts.create({ name: "Clinic", lines: 2, id: "acct_clinic" })
      )
      const bank = yield* Effect.promise(() => engine.accounts.create({ name: "Bank", policy: { dailyLimit: 10 } }))
      assert.deepInclude(clinic, { id: "acct_clinic", name: "Clinic", lines: 2, paused: false })
      assert.deepInclude(bank.policy, { dailyLimit: 10 })
      const again = yield* Effect.promise(() => engine.accounts.create({ name: "Other", id: "acct_clinic" }))
      assert.deepStrictEqual(again, clinic)
      const listed = yield* Effect.promise(() => engine.accounts.list())
      assert.sameDeepMembers([...listed], [
        yield* Effect.promise(() => engine.settings.get()),
        clinic,
        bank
      ])
      assert.deepStrictEqual(
        yield* Effect.promise(() => engine.account(bank.id).settings.get()),
        bank
      )
      for (
        const refused of [{}, { name: "" }, { name: "A", id: "clinic" }, { name: "A", lines: -1 }, {
          name: "A",
          policy: { dailyLimits: 1 }
        }, { name: "A", line: 1 }]
      ) {
        const error = yield* rejection(() => engine.accounts.create(refused as { name: string }))
        assert.strictEqual(error.code, "invalid_request", JSON.stringify(refused))
      }
    }))

  it.live("stops the whole deployment, including future accounts, until it is resumed", () =>
    Effect.gen(function*() {
      const engine = yield* open({ policy: allHours })
      const body = yield* request(engine)
      const decision = () =>
        engine.rules.preview({ phoneNumber: body.phoneNumber }).then(({ code, decision }) => [decision, code])
      yield* Effect.promise(() => engine.pauseAll(true))
      assert.isTrue(yield* Effect.promise(() => engine.allPaused()))
      const accounts = Context.get(engine.services, Accounts.Accounts)
      const later = engine.account((yield* accounts.create({ name: "later", policy: allHours })).id)
      const [{ agentId }, call] = yield* Effect.promise(async () => {
        const agent = await later.agents.put(ada)
        const call = await later.calls.start({ ...body, agentId: agent.id })
        await engine.drain()
        return [{ agentId: agent.id }, await later.calls.get(call.id)] as const
      })
      assert.deepInclude(call, { agentId, status: "queued", statusCode: "account_paused" })
      assert.deepStrictEqual(yield* Effect.promise(decision), ["wait", "account_paused"])
      assert.isFalse((yield* Effect.promise(() => engine.settings.get())).paused)

      yield* Effect.promise(() => engine.pauseAll(false))
      assert.isFalse(yield* Effect.promise(() => engine.allPaused()))
      yield* Effect.promise(() => engine.drain())
      assert.notStrictEqual((yield* Effect.promise(() => later.calls.get(call.id))).status, "queued")
    }))

  it.live("lists the engines with workers on a storage, by the names they were given, until they are closed", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(MemoryStorage.layer)
      const shared = { storage: Layer.succeedContext(context), secretBox: SecretBox.SecretBox.layerMemory }
      const viewer = yield* open({ ...shared, workers: false })
      const names = Effect.promise(async () => (await viewer.workers.list()).map(({ name }) => name))
      const listed = (count: number) =>
        Effect.repeat(Effect.delay(names, "20 millis"), { until: (names) => names.length === count }).pipe(
          Effect.timeout("10 seconds")
        )
      assert.deepStrictEqual(yield* names, [])
      const worker = yield* open({ ...shared, workerName: "host:42" })
      assert.deepStrictEqual(yield* listed(1), ["host:42"])
      const [seen] = yield* Effect.promise(() => viewer.workers.list())
      assert.instanceOf(seen?.startedAt, Date)
      assert.include([...seen?.runs ?? []], "dispatcher")
      const { carriers } = viewer
      assert.deepStrictEqual(yield* Effect.promise(() => carriers.list()), [{ name: "simulated" }])
      const { pause } = yield* Effect.promise(() => carriers.pause("simulated"))
      assert.strictEqual(pause?.by, "operator")
      assert.instanceOf(pause?.at, Date)
      assert.deepStrictEqual(yield* Effect.promise(() => carriers.resume("simulated")), { name: "simulated" })
      for (const unknown of ["twilio", "", "x".repeat(65), 1 as unknown as string]) {
        assert.strictEqual((yield* rejection(() => carriers.pause(unknown))).code, "not_found")
      }
      yield* Effect.promise(() => worker.close())
      assert.deepStrictEqual(yield* names, [])
    }))

  it.live("stops without an argument, and resumes only for false", () =>
    Effect.gen(function*() {
      const engine = yield* open()
      yield* Effect.promise(() => engine.pauseAll())
      // Plain JavaScript may pass anything.
      for (const no of [null, 0, "", "false"] as ReadonlyArray<unknown>) {
        assert.strictEqual((yield* rejection(() => engine.pauseAll(no as boolean))).code, "invalid_request")
      }
      assert.isTrue(yield* Effect.promise(() => engine.allPaused()))
    }))

  it.live("sets the policy and lines that it is opened with, also on an account that the storage has", () =>
    Effect.gen(function*() {
      let writes = 0
      const memory = Context.get(yield* Layer.build(MemoryStorage.layer), Storage.Storage)
      const storage = Layer.succeed(Storage.Storage, {
        ...memory,
        accounts: {
          ...memory.accounts,
          update: (...args) => {
            writes += 1
            return memory.accounts.update(...args)
          }
        }
      })
      const opened = (options: Outdial.Options) =>
        Effect.gen(function*() {
          const engine = yield* open({ storage, secretBox: SecretBox.SecretBox.layerMemory, ...options })
          const { lines, policy } = yield* Effect.promise(() => engine.settings.get())
          return { lines, policy, writes }
        }).pipe(Effect.scoped)
      const strict = { dailyLimit: 1, agents: { "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11": { recallGapSeconds: 9 } } }
      const reordered = { agents: strict.agents, dailyLimit: 1 }

      assert.deepStrictEqual(yield* opened({ policy: allHours }), { lines: 5, policy: allHours, writes: 0 })
      assert.deepStrictEqual(yield* opened({ policy: strict, lines: 2 }), { lines: 2, policy: strict, writes: 1 })
      assert.deepStrictEqual(yield* opened({ policy: reordered, lines: 2 }), { lines: 2, policy: strict, writes: 1 })
      assert.deepStrictEqual(yield* opened({}), { lines: 2, policy: strict, writes: 1 })
      assert.deepStrictEqual(yield* opened({ policy: {} }), { lines: 2, policy: {}, writes: 2 })
      // What is no policy opens nothing, and leaves what is kept.
      const wrong = { dailyLimit: -1 }
      const secretBox = SecretBox.SecretBox.layerMemory
      assert.strictEqual(
        (yield* rejection(() => Outdial.open({ storage, secretBox, policy: wrong }))).code,
        "invalid_request"
      )
      assert.deepStrictEqual(yield* opened({}), { lines: 2, policy: {}, writes: 2 })
    }))

  it.live("sets, reads and removes the webhook", () =>
    Effect.gen(function*() {
      const { webhook } = yield* open()
      const set = yield* Effect.promise(() => webhook.set({ url: "https://example.com/hook" }))
      assert.match(set.secret ?? "", /^whsec_[0-9A-Za-z]{48}$/)
      const again = yield* Effect.promise(() => webhook.get())
      assert.deepInclude(again, { url: "https://example.com/hook", secretHint: `whsec_…${set.secret?.slice(-4)}` })
      assert.notProperty(again, "secret")
      yield* Effect.promise(() => webhook.remove())
      assert.strictEqual((yield* rejection(() => webhook.get())).code, "not_found")
    }))
})
