/** Calls to phones of other makers: SIPp and baresip, which count the INVITEs that they receive. `nightly/mainJob.test.ts` makes many of them. */
import { assert, describe, it } from "@effect/vitest"
import { AsteriskTelephony } from "@outdial/carriers/asterisk"
import { Samples, SpokenAgent } from "@outdial/core"
import { CommandVoice } from "@outdial/node"
import { Tones } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import * as ToneSpeech from "../../packages/carriers/test/audio/ToneSpeech.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as CarrierEngine from "../telephony/fake/CarrierEngine.ts"
import * as Callees from "./Callees.ts"
import * as Pbx from "./Pbx.ts"

/** Two of SIPp, and one of a baresip. */
const ofBaresip = "+14155550202"
const numbers = ["+14155550201", "+14155550203", ofBaresip]

const [words, hertz] = ["Yes, gladly.", 440] as const

/** The contact says its words every six seconds. */
const says = Buffer.concat([
  new Uint8Array(8 * 4_200).fill(0xff),
  Tones.tone({ format: "mulaw", hertz, millis: 800 }),
  new Uint8Array(8 * 1_000).fill(0xff)
])

/** Longer than the conversation. */
const repeated = Samples.samplesOf("mulaw", Buffer.concat(Array<Buffer>(15).fill(says)))

const voiceAgent = SpokenAgent.layer.pipe(
  Layer.provide([
    CommandVoice.layer({ command: ["espeak-ng", "--stdin", "--stdout"] }),
    ToneSpeech.recognition({ [hertz]: words })
  ])
)

describe.skipIf(Callees.missing.length > 0)(
  `Calls to SIPp and baresip (needs ${Callees.missing.join(" ") || "nothing more"})`,
  () => {
    it.live("ring each of them once, and talk with espeak-ng", () =>
      Effect.gen(function*() {
        const folder = yield* DevProcess.folder
        const sipp = yield* Callees.sipp({ folder, says })
        const baresip = yield* Callees.baresip({ folder, number: ofBaresip, says: repeated })
        const trunk = yield* Callees.trunk((number) => number === ofBaresip ? baresip : sipp)
        const pbx = yield* Pbx.make({ phones: trunk.port })
        const host = yield* CarrierEngine.open(
          () =>
            AsteriskTelephony.layer({
              ariUrl: pbx.ariUrl,
              user: pbx.user,
              password: pbx.password,
              endpoint: "PJSIP/{number}@trunk",
              callsPerSecond: 5
            }),
          { voiceAgent }
        )
        const started = yield* Effect.forEach(numbers, (number) => CarrierEngine.start(host, number))
        const calls = yield* Effect.forEach(started, ({ id }) => CarrierEngine.ended(host, id), {
          concurrency: "unbounded"
        })
        for (const { outcome, status, statusReason } of calls) {
          assert.strictEqual(status, "completed", statusReason ?? "")
          assert.deepStrictEqual(outcome?.answers, { [CarrierEngine.agent.questions[0] ?? ""]: words })
        }
        // A lost packet repeats an INVITE, and a second call has another id.
        const received = (callee: Callees.Callee) => new Set(callee.invites())
        assert.deepStrictEqual([received(sipp).size, received(baresip).size], [2, 1])
        assert.sameMembers(trunk.calls.map(({ callId }) => callId), started.map(({ id }) => id))
        const heard = baresip.heard()
        const loud = heard.filter((sample) => Math.abs(sample) > 500).length
        assert.isAbove(loud, 4_000, "half a second of loud samples of espeak-ng")
      }), 120_000)
  }
)
