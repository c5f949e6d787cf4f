/** An Asterisk that is killed or stopped before, during and after a dial, and one that stands still. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

const soon = <A>(find: () => A | undefined) => Calls.eventually(Effect.sync(find))

const started = Effect.gen(function*() {
  const phones = yield* SipPhone.make
  phones.behave((number) => number.endsWith("1") ? { answersAfter: 50 } : {})
  const pbx = yield* Pbx.make({ phones: phones.port })
  return { phones, pbx, node: yield* Calls.node(pbx) }
})

/** Dials until Asterisk takes calls again. */
const untilTaken = (node: Calls.Node) =>
  Calls.eventually(
    Effect.map(Calls.dial(node, "+15551239999"), ({ verdict }) => verdict === "taken" ? true : undefined)
  )

describe("An Asterisk", () => {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it.live(
      `that ends by ${signal} while calls ring and talk leaves none without an end`,
      () =>
        Effect.gen(function*() {
          const { node, pbx, phones } = yield* started
          const talking = yield* Calls.dialUntilTaken(node, "+15551230001")
          const ringing = yield* Calls.dialUntilTaken(node, "+15551230002")
          yield* soon(() => node.held[0])
          yield* soon(() => phones.calls.length === 2 ? true : undefined)
          yield* Effect.promise(() => pbx.end(signal))
          const refused = yield* Calls.dial(node, "+15551230003")
          assert.strictEqual(refused.verdict, "unavailable")
          yield* Effect.promise(() => pbx.start())
          const [first, second] = [yield* Calls.endOf(node, talking.callId), yield* Calls.endOf(node, ringing.callId)]
          assert.deepStrictEqual(
            [first.result, first.code, second.result, second.code],
            signal === "SIGKILL"
              ? ["failed", "carrier_lost", "failed", "carrier_lost"]
              : ["hung_up", undefined, "no_answer", undefined]
          )
          assert.isDefined(first.answeredAt)
          assert.isUndefined(second.answeredAt)
          yield* untilTaken(node)
          for (const { callId } of [talking, ringing]) {
            assert.lengthOf(Calls.eventsOf(node, callId).filter(({ _tag }) => _tag === "Ended"), 1)
            assert.lengthOf(phones.calls.filter((call) => call.callId === callId), 1)
          }
        }).pipe(Effect.timeout("80 seconds")),
      90_000
    )
  }

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it.live(`that ends by ${signal} during dials makes no phone ring twice`, () =>
      Effect.gen(function*() {
        const { node, pbx, phones } = yield* started
        const dialing = Effect.forEach(
          Array.from({ length: 40 }, (_, index) => `+1555124${String(index).padStart(3, "0")}2`),
          (number) => Calls.dial(node, number),
          { concurrency: 4 }
        )
        const [calls] = yield* Effect.all([
          dialing,
          Effect.andThen(
            soon(() => phones.calls.length >= 5 ? true : undefined),
            Effect.promise(() => pbx.end(signal))
          )
        ], { concurrency: "unbounded" })
        yield* Effect.promise(() => pbx.start())
        const verdicts = new Set(calls.map(({ verdict }) => verdict))
        assert.isTrue(verdicts.has("taken") && verdicts.has("unavailable"), [...verdicts].join())
        for (const { callId, verdict } of calls) {
          const rings = phones.calls.filter((call) => call.callId === callId).length
          assert.isAtMost(rings, verdict === "unavailable" ? 0 : 1, verdict)
          if (verdict !== "taken") continue
          const end = yield* Calls.endOf(node, callId)
          // One that is stopped hangs up, and writes so.
          if (signal === "SIGTERM") assert.strictEqual(end.result, "no_answer")
          else assert.strictEqual(end.code, "carrier_lost")
        }
        yield* untilTaken(node)
        for (const { callId } of calls) {
          assert.isAtMost(Calls.eventsOf(node, callId).filter(({ _tag }) => _tag === "Ended").length, 1)
        }
      }), 120_000)
  }

  it.live("that stands still around a dial rings late or never, and never twice", () =>
    Effect.gen(function*() {
      const { node, pbx, phones } = yield* started
      process.kill(pbx.pid(), "SIGSTOP")
      const stalled = yield* Calls.dial(node, "+15551230002")
      assert.strictEqual(stalled.verdict, "unavailable")
      process.kill(pbx.pid(), "SIGCONT")
      yield* untilTaken(node)
      yield* Effect.sleep("3 seconds")
      assert.lengthOf(phones.calls.filter(({ callId }) => callId === stalled.callId), 0)
      assert.deepStrictEqual(Calls.eventsOf(node, stalled.callId), [])
      for (const { id } of phones.calls) phones.hangUp(id)
      yield* Calls.untilClean(pbx)
    }).pipe(Effect.timeout("80 seconds")), 90_000)
})
