/** Several nodes at one Asterisk, of which some stop, die or lose their event socket. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AriProxy from "../AriProxy.ts"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as SipPhone from "../SipPhone.ts"

const soon = <A>(find: () => A | undefined) => Calls.eventually(Effect.sync(find))

const started = Effect.gen(function*() {
  const phones = yield* SipPhone.make
  const pbx = yield* Pbx.make({ phones: phones.port })
  return { phones, pbx }
})

const answers: SipPhone.Behaviour = { answersAfter: 50 }

describe("Nodes at one Asterisk", () => {
  it.live("take the calls of a node that has died, those that ring and those that talk", () =>
    Effect.gen(function*() {
      const { pbx, phones } = yield* started
      phones.behave((number) => number.endsWith("1") ? answers : {})
      const [dying, living] = [yield* Calls.node(pbx), yield* Calls.node(pbx)]
      const talking = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => `+155512300${index}1`),
        (number) => Calls.dialUntilTaken(dying, number)
      )
      const ringing = yield* Calls.dialUntilTaken(dying, "+15551230000")
      yield* soon(() => dying.held.length === talking.length ? true : undefined)
      yield* dying.close
      // They go on, and are held by the other node.
      yield* soon(() => living.held.length === talking.length ? true : undefined)
      assert.isTrue(living.held.every(({ takesOver }) => takesOver))
      assert.sameMembers(living.held.map(({ callId }) => callId), talking.map(({ callId }) => callId))
      assert.isTrue(phones.calls.every(({ state }) => state !== "over"))
      // The one that rings is answered now.
      const { id = "" } = phones.calls.find(({ callId }) => callId === ringing.callId) ?? {}
      phones.answer(id)
      yield* soon(() => living.held.find(({ callId }) => callId === ringing.callId))
      for (const { id } of phones.calls) phones.hangUp(id)
      for (const { callId } of [...talking, ringing]) {
        const end = yield* Calls.endOf(living, callId)
        assert.strictEqual(end.result, "hung_up")
        assert.lengthOf(Calls.eventsOf(living, callId).filter(({ _tag }) => _tag === "Ended"), 1)
      }
      assert.lengthOf(phones.calls, talking.length + 1)
      yield* Calls.untilClean(pbx)
    }), 120_000)

  it.live("leave the calls of a node that has died to another one of the same carrier", () =>
    Effect.gen(function*() {
      const { pbx, phones } = yield* started
      phones.behave(() => answers)
      const dying = yield* Calls.node(pbx, { name: "berlin" })
      const foreign = yield* Calls.node(pbx, { name: "boston" })
      const call = yield* Calls.dialUntilTaken(dying, "+15551230001")
      yield* soon(() => dying.held[0])
      yield* dying.close
      // Longer than a node may seem to be dead.
      yield* Effect.sleep("25 seconds")
      assert.lengthOf(foreign.held, 0)
      assert.strictEqual(phones.calls[0]?.state, "answered")
      const heir = yield* Calls.node(pbx, { name: "berlin" })
      yield* soon(() => heir.held.find(({ callId, takesOver }) => takesOver && callId === call.callId))
      for (const { id } of phones.calls) phones.hangUp(id)
      assert.strictEqual((yield* Calls.endOf(heir, call.callId)).result, "hung_up")
      assert.deepStrictEqual(Calls.eventsOf(foreign, call.callId), [])
      yield* Calls.untilClean(pbx)
    }), 120_000)

  it.live("get the calls of a node that gives them away", () =>
    Effect.gen(function*() {
      const { pbx, phones } = yield* started
      phones.behave(() => answers)
      const [first, second] = [yield* Calls.node(pbx), yield* Calls.node(pbx)]
      // Each must have seen the other.
      yield* Effect.sleep("11 seconds")
      const call = yield* Calls.dialUntilTaken(first, "+15551230001")
      const held = yield* soon(() => first.held[0])
      assert.isTrue(yield* held.line.move ?? Effect.succeed(false))
      const there = yield* soon(() => second.held[0])
      assert.strictEqual(there.takesOver, true)
      assert.strictEqual(phones.calls[0]?.state, "answered")
      yield* soon(() => held.isOver ? true : undefined)
      yield* there.line.hangUp
      assert.strictEqual((yield* Calls.endOf(second, call.callId)).result, "hung_up")
      yield* Effect.sleep("4 seconds")
      assert.deepStrictEqual(Calls.eventsOf(first, call.callId).filter(({ _tag }) => _tag === "Ended"), [])
      yield* Calls.untilClean(pbx)
    }), 120_000)

  it.live("find out what happened while their event socket was lost", () =>
    Effect.gen(function*() {
      const { pbx, phones } = yield* started
      phones.behave((number) => number.endsWith("1") ? answers : {})
      const proxy = yield* AriProxy.make(pbx.ariUrl)
      const node = yield* Calls.node({ ...pbx, ariUrl: proxy.ariUrl })
      const [ended, answered] = [
        yield* Calls.dialUntilTaken(node, "+15551230000"),
        yield* Calls.dialUntilTaken(node, "+15551230002")
      ]
      const idOf = (callId: string) => soon(() => phones.calls.find((call) => call.callId === callId)?.id)
      const ids = [yield* idOf(ended.callId), yield* idOf(answered.callId)] as const
      proxy.setCondition("cut")
      phones.hangUp(ids[0])
      phones.answer(ids[1])
      const refused = yield* Calls.dial(node, "+15551230003")
      assert.strictEqual(refused.verdict, "unavailable")
      yield* Effect.sleep("2 seconds")
      proxy.setCondition("well")
      assert.strictEqual((yield* Calls.endOf(node, ended.callId)).result, "no_answer")
      // Its sound was lost with the connections: nobody could talk.
      assert.strictEqual((yield* Calls.endOf(node, answered.callId)).result, "hung_up")
      assert.lengthOf(phones.calls, 2)
      yield* Calls.untilClean(pbx)
    }), 120_000)

  it.live("notice an event socket that is silently dead, and dial nothing meanwhile", () =>
    Effect.gen(function*() {
      const { pbx, phones } = yield* started
      const proxy = yield* AriProxy.make(pbx.ariUrl)
      const node = yield* Calls.node({ ...pbx, ariUrl: proxy.ariUrl })
      proxy.setCondition("silent")
      yield* Effect.sleep("11 seconds")
      assert.strictEqual((yield* Calls.dial(node, "+15551230001")).verdict, "unavailable")
      assert.strictEqual((yield* node.telephony.lookUp(yield* Calls.dial(node, "+15551230002")))._tag, "Unreachable")
      proxy.setCondition("well")
      yield* Calls.eventually(
        Effect.map(Calls.dial(node, "+15551230003"), ({ verdict }) => verdict === "taken" ? true : undefined)
      )
      // The request to the phone follows the answer to the dial.
      yield* soon(() => phones.calls.length === 1 ? true : undefined)
    }), 120_000)
})
