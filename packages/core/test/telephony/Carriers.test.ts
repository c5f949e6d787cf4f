import { assert, it } from "@effect/vitest"
import {
  Calls,
  Engine,
  Explanations,
  Ids,
  LineReports,
  MemoryStorage,
  OutcomeSource,
  Outdial,
  OutdialError,
  SecretBox,
  SimulatedTelephony,
  Storage,
  Telephony
} from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { DateTime, Duration, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import * as Steps from "../support/CallSteps.ts"

/** A node's requests to its carrier. */
interface Asked {
  readonly dials: Array<Telephony.DialRequest>
  readonly lookUps: Array<Telephony.PlacedCall>
  readonly hangUps: Array<Telephony.CallToEnd>
}

/** A carrier that accepts every call, reports nothing, and knows no call. */
const forgetful = (name: string) => {
  const asked: Asked = { dials: [], lookUps: [], hangUps: [] }
  const layer = Layer.succeed(Telephony.Telephony, {
    name: Ids.CarrierName.make(name),
    dial: (request) =>
      Effect.sync(() => {
        asked.dials.push(request)
        return Ids.CarrierCallId.make(`${name}-1`)
      }),
    lookUp: (call) =>
      Effect.sync(() => {
        asked.lookUps.push(call)
        return { _tag: "NotFound" as const }
      }),
    hangUp: (call) => Effect.sync(() => void asked.hangUps.push(call)),
    notFoundLag: Duration.seconds(5)
  })
  return { asked, layer }
}

/** A storage that several engines share, and that is still there when one of them has ended. */
const lasting = Effect.map(
  Effect.provide(Storage.Storage, MemoryStorage.layer),
  (storage) => Layer.succeed(Storage.Storage, { ...storage, outlivesProcess: true })
)

/** Another node on the storage: does all that is due there, by its own carrier. */
const elsewhere = (
  storage: Layer.Layer<Storage.Storage>,
  telephony: Layer.Layer<Telephony.Telephony>
) =>
<A, E>(use: Effect.Effect<A, E, Engine.Services | TestEngine.Tenant>) =>
  use.pipe(Effect.provide(TestEngine.layer({ storage, telephony }), { local: true }), Effect.scoped)

const drain = Effect.flatMap(Engine.Engine, (engine) => engine.drain)

const rejection = (options: Outdial.Options) =>
  Effect.promise(() =>
    Outdial.open(options).then(
      async (engine) => {
        await engine.close()
        return "opened"
      },
      (error: unknown) => OutdialError.is(error) ? error.code : "not an OutdialError"
    )
  )

describe("the calls of a carrier", () => {
  it.effect("are neither looked up nor ended by a node that has another carrier", () =>
    Effect.gen(function*() {
      const storage = yield* lasting
      const [ours, theirs] = [forgetful("ours"), forgetful("theirs")]
      yield* Effect.gen(function*() {
        const { id } = yield* Steps.start("+14155550100")
        yield* drain
        assert.strictEqual((yield* Steps.get(id)).status, "dialing")
        yield* TestClock.adjust("10 minutes")
        yield* elsewhere(storage, theirs.layer)(drain)
        assert.strictEqual((yield* Steps.get(id)).status, "dialing")
        assert.deepStrictEqual(theirs.asked, { dials: [], lookUps: [], hangUps: [] })
        yield* drain
        const { status, statusCode } = yield* Steps.get(id)
        assert.deepStrictEqual({ status, statusCode }, { status: "failed", statusCode: "carrier_lost" })
      }).pipe(Effect.provide(TestEngine.layer({ storage, telephony: ours.layer })))
    }))

  it.effect("are looked up and hung up by number and caller id", () =>
    Effect.gen(function*() {
      const { asked, layer } = forgetful("ours")
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { id: callId } = yield* Steps.start("+14155550100")
        const submittedAt = yield* DateTime.now
        yield* drain
        const calls = yield* Calls.Calls
        yield* calls.hangUp(accountId, callId)
        yield* TestClock.adjust("10 minutes")
        yield* drain
        const { callerId, phoneNumber } = asked.dials[0] ?? assert.fail("It was not dialed")
        assert.isDefined(callerId)
        const carrierCallId = Ids.CarrierCallId.make("ours-1")
        const placed: Telephony.PlacedCall = { accountId, callId, phoneNumber, callerId, carrierCallId, submittedAt }
        assert.deepStrictEqual(asked.hangUps, [placed, placed])
        assert.deepStrictEqual(asked.lookUps, [placed])
      }).pipe(Effect.provide(TestEngine.layer({ telephony: layer, agent: { callerId: "+14155550199" as never } })))
    }))

  it.effect("are hung up by a node that has their carrier, whichever node got the request", () =>
    Effect.gen(function*() {
      const storage = yield* lasting
      const [ours, theirs] = [forgetful("ours"), forgetful("theirs")]
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { id } = yield* Steps.start("+14155550100")
        yield* drain
        yield* elsewhere(storage, theirs.layer)(Effect.flatMap(Calls.Calls, (calls) => calls.hangUp(accountId, id)))
        assert.isEmpty(theirs.asked.hangUps)
        yield* TestClock.adjust("2 minutes")
        yield* drain
        assert.deepStrictEqual(ours.asked.hangUps.map(({ callId }) => callId), [id])
      }).pipe(Effect.provide(TestEngine.layer({ storage, telephony: ours.layer })))
    }))

  it.effect("are known by number and the carrier's id to a node that has to end them", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const reports = yield* LineReports.LineReports
      const { id: callId, phoneNumber } = yield* Steps.start("+14155550100")
      yield* drain
      assert.deepStrictEqual(yield* reports.callToEnd({ accountId, callId }), {
        accountId,
        callId,
        phoneNumber,
        carrierCallId: Ids.CarrierCallId.make("ours-1"),
        submittedAt: yield* DateTime.now
      })
      const unknown = { accountId, callId: Ids.CallId.make("call_unknown") }
      assert.deepStrictEqual(yield* reports.callToEnd(unknown), unknown)
    }).pipe(Effect.provide(TestEngine.layer({ telephony: forgetful("ours").layer }))))

  it.effect("are said in the log to be left alone when no worker has their carrier", () =>
    Effect.gen(function*() {
      const storage = yield* lasting
      const said: Array<unknown> = []
      const log = Logger.layer([Logger.make(({ message }) => said.push(message))])
      yield* Effect.gen(function*() {
        yield* Steps.start("+14155550100")
        yield* drain
        yield* TestClock.adjust("10 minutes")
        yield* elsewhere(storage, forgetful("theirs").layer)(drain)
      }).pipe(Effect.provide([TestEngine.layer({ storage, telephony: forgetful("ours").layer }), log]))
      const stranded = said.flat().filter((line) => String(line).includes(`of the carrier "ours" cannot be looked up`))
      assert.lengthOf(stranded, 1)
    }))

  it.effect("do not stop the other work of a node for long when they cannot be read", () =>
    Effect.gen(function*() {
      const storage = yield* Effect.provide(Storage.Storage, MemoryStorage.layer)
      const unread = new Storage.StorageError({ reason: "unavailable", cause: "told to" })
      const fails = { stranded: true, missing: true }
      const failing = Layer.succeed(Storage.Storage, {
        ...storage,
        stats: {
          ...storage.stats,
          strandedCalls: (now) => fails.stranded ? Effect.fail(unread) : storage.stats.strandedCalls(now),
          missingCarriers: (now) => fails.missing ? Effect.fail(unread) : storage.stats.missingCarriers(now)
        }
      })
      yield* Effect.gen(function*() {
        assert.strictEqual(yield* Effect.flip(drain), unread)
        fails.stranded = false
        assert.strictEqual(yield* Effect.flip(drain), unread)
        fails.missing = false
        yield* drain
      }).pipe(Effect.provide(TestEngine.layer({ storage: failing, telephony: forgetful("ours").layer })))
    }))

  it.effect("are explained with their carrier, and with what is missing when no worker has it", () =>
    Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const rules = yield* Explanations.Explanations
      const { id } = yield* Steps.start("+14155550100")
      yield* drain
      const { carrier, reason } = yield* rules.explain(accountId, id)
      assert.deepStrictEqual({ carrier, reason }, { carrier: Ids.CarrierName.make("ours"), reason: undefined })
      yield* TestClock.adjust("10 minutes")
      assert.include((yield* rules.explain(accountId, id)).reason, "Start one that has the carrier \"ours\"")
    }).pipe(Effect.provide(TestEngine.layer({ telephony: forgetful("ours").layer }))))

  it.effect("are not claimed by a node without a carrier", () =>
    Effect.gen(function*() {
      const { id } = yield* Steps.start("+14155550100")
      yield* drain
      assert.strictEqual((yield* Steps.get(id)).status, "queued")
    }).pipe(Effect.provide(TestEngine.layer({ telephony: Telephony.Telephony.layerNone }))))
})

describe("Outdial.open on a storage that outlives the process", () => {
  const secretBox = SecretBox.SecretBox.layerMemory

  it.live("rejects without telephony, unless the phones are simulated on request or there are no workers", () =>
    Effect.gen(function*() {
      const storage = yield* lasting
      assert.strictEqual(yield* rejection({ storage, secretBox }), "telephony_missing")
      assert.strictEqual(yield* rejection({ storage, secretBox, speed: 10 }), "telephony_missing")
      assert.strictEqual(yield* rejection({ storage, secretBox, workers: false }), "opened")
      assert.strictEqual(yield* rejection({ storage, secretBox, telephony: SimulatedTelephony.layer() }), "opened")
      assert.strictEqual(yield* rejection({ storage: MemoryStorage.layer, secretBox }), "opened")
    }))

  it.live("invents nothing when a script without workers does what is due", () =>
    Effect.promise(async () => {
      const storage = await Effect.runPromise(lasting)
      const agents = [{ name: "Ada", script: "Hello", questions: [], dispositions: ["confirmed"] }]
      const policy = { callingHours: null }
      await using script = await Outdial.open({ storage, secretBox, agents, policy, workers: false })
      const [agent] = await script.agents.list()
      const { id } = await script.calls.start({ agentId: agent?.id ?? "", phoneNumber: "+14155550100" })
      await script.drain()
      assert.strictEqual((await script.calls.get(id)).status, "queued")
    }))
})

describe("outcomes of calls by a carrier", () => {
  const transcript = [{ speaker: "contact", text: "No. Cancel it, and never call me again." }] as const

  /** A carrier whose every callee says that. */
  const talking = Telephony.Telephony.layerOf(({ report }) => ({
    name: "ours",
    notFoundLagSeconds: 1,
    dial: async ({ accountId, callId }) => {
      const [at, answeredAt] = [new Date(), new Date()]
      await report({ accountId, callId, event: { type: "ended", result: "hung_up", at, answeredAt, transcript } })
      return { carrierCallId: "c1" }
    },
    lookUp: async () => ({ status: "not_found" }),
    hangUp: async () => {}
  }))

  const opened = (options: Outdial.Options) =>
    Outdial.open({
      agents: [{ name: "Ada", script: "Hello", questions: [], dispositions: ["confirmed", "declined"] }],
      policy: { callingHours: null },
      workers: false,
      ...options
    })

  const outcomeOf = async (engine: Outdial.Outdial, more: { readonly test?: boolean } = {}) => {
    const [agent] = await engine.agents.list()
    const { id } = await engine.calls.start({ agentId: agent?.id ?? "", phoneNumber: "+14155550100", ...more })
    await engine.drain()
    const { outcome, status } = await engine.calls.get(id)
    return { status, disposition: outcome?.disposition ?? null }
  }

  it.live("are null without an outcome source, and samples only for test calls", () =>
    Effect.promise(async () => {
      await using engine = await opened({ telephony: talking })
      assert.deepStrictEqual(await outcomeOf(engine), { status: "completed", disposition: null })
      assert.deepStrictEqual(await outcomeOf(engine, { test: true }), { status: "completed", disposition: "confirmed" })
    }))

  it.effect("are missed with one warning, however many calls there are", () => {
    const warnings: Array<string> = []
    return Effect.gen(function*() {
      const { accountId } = yield* TestEngine.Tenant
      const { report } = yield* LineReports.LineReports
      for (const phoneNumber of ["+14155550100", "+14155550101"]) {
        const { id: callId } = yield* Steps.start(phoneNumber)
        yield* TestEngine.drain
        const at = yield* DateTime.now
        const event = { _tag: "Ended", at, result: "hung_up", answeredAt: at, transcript, recorded: false } as const
        yield* report({ accountId, callId, event })
        yield* TestEngine.drain
        const { outcome, status } = yield* Steps.get(callId)
        assert.deepStrictEqual([status, outcome], ["completed", null])
      }
      assert.lengthOf(warnings.filter((line) => line.includes("ours") && line.includes("stay null")), 1)
    }).pipe(Effect.provide(
      TestEngine.layer({ telephony: forgetful("ours").layer }).pipe(
        Layer.provideMerge(Logger.layer([Logger.map(Logger.formatLogFmt, (line) => void warnings.push(line))]))
      )
    ))
  })

  it.live("are made by the source that was given", () =>
    Effect.promise(async () => {
      const outcomes = OutcomeSource.OutcomeSource.layerOf(() => ({
        disposition: "declined",
        summary: "",
        answers: {},
        callbackRequested: false,
        transcript
      }))
      await using engine = await opened({ telephony: talking, outcomes })
      assert.deepStrictEqual(await outcomeOf(engine), { status: "completed", disposition: "declined" })
    }))

  it.effect("wait for a node that has a source for them", () =>
    Effect.gen(function*() {
      const storage = yield* lasting
      const nodeOf = (
        outcomes: Layer.Layer<OutcomeSource.OutcomeSource>,
        telephony: Layer.Layer<Telephony.Telephony>
      ) => TestEngine.layer({ storage, telephony, outcomes })
      const given = OutcomeSource.OutcomeSource.layerOf(() => ({
        disposition: "interested",
        summary: "by the source",
        answers: {},
        callbackRequested: false,
        transcript
      }))
      yield* Effect.gen(function*() {
        const { accountId } = yield* TestEngine.Tenant
        const { id: callId } = yield* Steps.start("+14155550100")
        const engine = yield* Engine.Engine
        yield* engine.drain
        const at = yield* DateTime.now
        const shared = yield* Effect.provide(Storage.Storage, storage)
        yield* shared.dispatch.report({
          accountId,
          now: at,
          reports: [{
            callId,
            event: { _tag: "Ended", at, result: "hung_up", answeredAt: at, transcript, recorded: false }
          }],
          events: () => assert.fail("No event is written before the outcome")
        })
        yield* drain.pipe(
          Effect.provide(nodeOf(OutcomeSource.OutcomeSource.layerDefault, forgetful("theirs").layer), { local: true }),
          Effect.scoped
        )
        assert.isNull((yield* Steps.get(callId)).outcome)
        yield* TestEngine.advance("2 minutes")
        assert.strictEqual((yield* Steps.get(callId)).outcome?.summary, "by the source")
      }).pipe(Effect.provide(nodeOf(given, forgetful("ours").layer)))
    }))
})
