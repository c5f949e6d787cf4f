/** A proxy before ARI loses answers: each call rings at most once, what is not certain is `unknown`, and nothing stays behind. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AriProxy from "./AriProxy.ts"
import * as Calls from "./Calls.ts"
import * as Pbx from "./Pbx.ts"
import * as SipPhone from "./SipPhone.ts"

/** Every so many bytes an answer is cut: each byte at night, which makes more than 900 calls. */
const step = Number(process.env["OUTDIAL_ASTERISK_STEP"] ?? "32")

/** Longer than the answers. */
const [createLength, dialLength] = [720, 180] as const

/** What else a dial asks for, before its phone can ring. */
const others = ["/recordings/stored/", "/endpoints/", "/channels/externalMedia", "/addChannel"]

describe("A proxy that cuts the answers of ARI", () => {
  it.live(
    "rings no phone twice, and none at all when the channel was not created for certain",
    () =>
      Effect.gen(function*() {
        const phones = yield* SipPhone.make
        phones.behave((number) =>
          number.endsWith("1") ? { answersAfter: 0, hangsUpAfter: 100 } : { refuses: "486 Busy Here" }
        )
        const pbx = yield* Pbx.make({ phones: phones.port })
        const proxy = yield* AriProxy.make(pbx.ariUrl)
        const node = yield* Calls.node({ ...pbx, ariUrl: proxy.ariUrl })
        const verdicts: Record<string, number> = {}
        let calls = 0
        const cutAt = Effect.fnUntraced(function*(line: string, bytes: number) {
          const mend = proxy.cutAfter(line, bytes)
          const isAnswered = calls++ % 2 === 1
          const call = yield* Calls.dial(node, `+1555123000${isAnswered ? 1 : 0}`)
          mend()
          const rings = () => phones.calls.filter(({ callId }) => callId === call.callId).length
          const name = `${line} ${call.verdict}`
          verdicts[name] = (verdicts[name] ?? 0) + 1
          if (call.verdict === "unavailable") return assert.strictEqual(rings(), 0, `${line} ${bytes}`)
          const end = yield* Calls.endOf(node, call.callId)
          assert.strictEqual(end.result, isAnswered ? "hung_up" : "busy", `${line} ${bytes}`)
          assert.strictEqual(rings(), 1, `${line} ${bytes}`)
        })
        for (let bytes = 0; bytes < createLength; bytes += step) {
          yield* cutAt("/channels/create", bytes)
        }
        for (let bytes = 0; bytes < dialLength; bytes += Math.max(1, step / 4)) yield* cutAt("/dial?", bytes)
        for (const line of others) {
          for (let bytes = 0; bytes < createLength; bytes += 8 * step) yield* cutAt(line, bytes)
        }
        assert.includeMembers(Object.keys(verdicts), [
          "/channels/create taken",
          "/channels/create unavailable",
          "/dial? taken",
          "/dial? unknown"
        ])
        assert.strictEqual(new Set(phones.calls.map(({ callId }) => callId)).size, phones.calls.length)
        const placed = Object.values(verdicts).reduce((sum, count) => sum + count, 0)
        assert.isAtLeast(placed, step === 1 ? 900 : 40)
        yield* Effect.logInfo(JSON.stringify(verdicts))
        yield* Calls.untilClean(pbx)
      }),
    600_000
  )
})
