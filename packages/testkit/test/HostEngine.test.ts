import { MemoryStorage, OutdialError } from "@outdial/core"
import { verifyWebhook } from "@outdial/core/webhooks"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

const start = ({ agentId, calls }: TestEngine.HostTestEngine, phoneNumber = "+14155550100") =>
  calls.start({ agentId, phoneNumber, contact: { name: "Grace" } })

describe("TestEngine.open", () => {
  it("does nothing before the clock moves, and everything on the way", async () => {
    await using engine = await TestEngine.open()
    const { id } = await start(engine)
    assert.deepStrictEqual(engine.rings(), [])
    await engine.drain()
    assert.deepStrictEqual(engine.rings(), [{ at: engine.now(), callId: id, phoneNumber: "+14155550100" }])
    assert.strictEqual((await engine.calls.get(id)).status, "dialing")
    const before = engine.now()
    await engine.advance("2 hours")
    assert.strictEqual(engine.now().getTime() - before.getTime(), 2 * 60 * 60 * 1000)
    const call = await engine.calls.get(id)
    assert.strictEqual(call.status, "completed")
    assert.strictEqual(call.outcome?.disposition, "interested")
    assert.deepStrictEqual(
      engine.inbox().map(({ event }) => event.type),
      ["call.dialing", "call.in_progress", "call.completed"]
    )
  })

  it("has callees as they are scripted, however their numbers are written", async () => {
    await using engine = await TestEngine.open({ callees: { "+44 (0)20 7946 0000": "voicemail" } })
    const { id } = await start(engine, "+442079460000")
    await engine.advance("1 hour")
    const { answeredBy, status } = await engine.calls.get(id)
    assert.deepStrictEqual([status, answeredBy], ["no_answer", "voicemail"])
  })

  it("runs on a storage that is given, where another engine of the same storage finds what it left", async () => {
    const shared = await Effect.runPromise(Layer.build(MemoryStorage.layer).pipe(Effect.scoped))
    const storage = Layer.succeedContext(shared)
    const first = await TestEngine.open({ storage })
    const { id } = await start(first)
    await first.advance("1 hour")
    await first.close()
    await using second = await TestEngine.open({ storage })
    assert.strictEqual((await second.calls.get(id)).status, "completed")
    await start(second, "+14155550101")
    await second.advance("1 hour")
    const [{ body, headers }] = second.inbox() as [TestEngine.TestDelivery]
    await verifyWebhook({ body, headers, secret: second.webhookSecret })
  })

  it("says which callee has no number", async () => {
    const error = await TestEngine.open({ callees: { "415": "busy" } }).catch((error: unknown) => error)
    assert.isTrue(OutdialError.is(error, "invalid_request"))
    assert.match(String(error), /callees: "415"/)
  })

  it("refuses what it would not understand", async () => {
    const opened = (options: object) => TestEngine.open(options).then(() => undefined, (error: unknown) => error)
    for (
      const [options, said] of [
        [{ callees: { "+14155550100": "asleep" } }, /callees: "asleep" is none of talks, busy/],
        [{ now: new Date("yesterday") }, /now: Invalid Date is no date/],
        [{ now: "yesterday" }, /now: yesterday is no date/]
      ] as const
    ) {
      const error = await opened(options)
      assert.isTrue(OutdialError.is(error, "invalid_request"), String(error))
      assert.match(String(error), said)
    }
    await using engine = await TestEngine.open()
    const before = engine.now()
    for (const duration of ["soon", "-1 hours", Infinity, undefined]) {
      const error = await engine.advance(duration as "1 hour").then(() => undefined, (error: unknown) => error)
      assert.isTrue(OutdialError.is(error, "invalid_request"), String(duration))
    }
    assert.deepStrictEqual(engine.now(), before)
  })

  it("does not move on once it is closed", async () => {
    const engine = await TestEngine.open()
    await engine.close()
    const error = await engine.advance("1 hour").catch((error: unknown) => error)
    assert.isTrue(OutdialError.is(error, "engine_closed"), String(error))
  })

  it("holds calls by the rules, and dials when they allow it", async () => {
    // 03:00 in San Francisco.
    await using engine = await TestEngine.open({ policy: {}, now: new Date("2027-01-12T11:00:00Z") })
    const { id } = await start(engine)
    await engine.drain()
    const held = await engine.calls.get(id)
    assert.strictEqual(held.statusCode, "outside_calling_hours")
    assert.strictEqual(held.scheduledFor?.toISOString(), "2027-01-12T17:00:00.000Z")
    await engine.advance("1 day")
    assert.strictEqual(engine.rings()[0]?.at.toISOString(), "2027-01-12T17:00:00.000Z")
  })

  it("delivers to the receiver under test, which may fail first", async () => {
    const handled: Array<string> = []
    let failures = 1
    let secret = ""
    await using engine = await TestEngine.open({
      receiver: async (request) => {
        if (failures-- > 0) return new Response(null, { status: 500 })
        const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret })
        handled.push(String(event.type))
        return new Response()
      }
    })
    secret = engine.webhookSecret
    await start(engine, "+14155550105")
    await engine.advance("1 hour")
    assert.sameMembers(handled, ["call.dialing", "call.not_connected"])
    assert.lengthOf(engine.inbox(), 3)
  })

  it("takes outcomes from a function, and asks again when it throws", async () => {
    let asked = 0
    await using engine = await TestEngine.open({
      outcomes: ({ transcript }) => {
        if (++asked === 1) throw new Error("The model is busy")
        return {
          disposition: "not_interested",
          summary: "No",
          answers: {},
          callbackRequested: false,
          doNotCall: true,
          transcript
        }
      }
    })
    const { id } = await start(engine)
    await engine.advance("1 hour")
    assert.strictEqual(asked, 2)
    assert.strictEqual((await engine.calls.get(id)).outcome?.summary, "No")
    const again = await start(engine).catch((error: unknown) => error)
    assert.isTrue(OutdialError.is(again, "number_do_not_call"))
  })

  it("keeps engines apart", async () => {
    await using one = await TestEngine.open()
    await using other = await TestEngine.open({ now: new Date(0) })
    await start(one)
    await one.advance("1 hour")
    assert.lengthOf((await other.calls.list()).items, 0)
    assert.strictEqual(other.now().getTime(), 0)
    assert.lengthOf(other.rings(), 0)
  })
})
