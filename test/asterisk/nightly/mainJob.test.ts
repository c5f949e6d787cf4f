/**
 * What Outdial is for, from end to end: 20 calls through two processes of `outdial serve` on one Postgres, over a real Asterisk, to phones of other
 * makers, in sound. One process is killed in the middle. `npm run test:asterisk:nightly -- mainJob` runs it.
 */
import { assert, describe, it } from "@effect/vitest"
import { Samples, Wav } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { Effect, Redacted, Schedule } from "effect"
import * as CarrierGuide from "../../support/CarrierGuide.ts"
import * as DevProcess from "../../support/DevProcess.ts"
import { receiver } from "../../support/HookReceiver.ts"
import * as Postgres from "../../support/postgres.ts"
import * as ServeProcess from "../../support/ServeProcess.ts"
import * as FakeDeepgram from "../../support/speech/FakeDeepgram.ts"
import * as FakeRealtime from "../../support/speech/FakeRealtime.ts"
import * as ToneText from "../../support/speech/ToneText.ts"
import * as Calls from "../Calls.ts"
import * as Pbx from "../Pbx.ts"
import * as Callees from "../Callees.ts"

/** Every second number is that of a baresip, and the others are one SIPp. */
const numbers = Array.from({ length: 20 }, (_, index) => `+141555502${String(index).padStart(2, "0")}`)
const isBaresip = (number: string) => Number(number) % 2 === 0

const question = "Will you come on Tuesday?"
const [said, saidHertz] = ["Yes, gladly.", 440] as const
const key = "key-123456"

/** The contact says its words every eight seconds. */
const words = Tones.tone({ format: "mulaw", hertz: saidHertz, millis: 800 })
const says = Buffer.concat([new Uint8Array(8 * 5_200).fill(0xff), words, new Uint8Array(8 * 2_000).fill(0xff)])

const speech = ToneText.make({ [saidHertz]: said })

/** The voices, each with the settings of a server that has it. */
const voices = {
  "espeak-ng": Effect.map(FakeDeepgram.make({ key, speech }), (deepgram) => ({
    OUTDIAL_VOICE: "spoken",
    OUTDIAL_STT: "deepgram:nova-3",
    DEEPGRAM_API_KEY: key,
    DEEPGRAM_API_URL: deepgram.url,
    OUTDIAL_TTS: "command:espeak-ng --stdin --stdout -v {language}"
  })),
  "a realtime service": Effect.map(
    FakeRealtime.make({
      key,
      speech,
      pieceAfter: 20,
      answer: (conversation) => {
        const [last] = conversation.filter(({ role }) => role === "user").slice(-1)
        const isAsked = conversation.some(({ role, text }) => role === "assistant" && text.includes(question))
        const isNoted = conversation.some(({ name }) => name === "record_answer")
        if (last?.text !== said || !isAsked) return { text: question }
        return isNoted
          ? { text: "See you then. Goodbye.", calls: [{ name: "end_call", arguments: {} }] }
          : { calls: [{ name: "record_answer", arguments: { question: 1, answer: said } }] }
      }
    }),
    (realtime) => ({
      OUTDIAL_VOICE: "realtime",
      OUTDIAL_REALTIME_URL: `${realtime.url}/v1/realtime`,
      OUTDIAL_REALTIME_KEY: key
    })
  )
}

const isFinal = (status: string | undefined) =>
  status !== undefined && !["queued", "dialing", "in_progress"].includes(status)

const until = <A>(find: () => A | undefined, seen: () => string) =>
  DevProcess.eventually(Effect.suspend(() => {
    const found = find()
    return found === undefined ? Effect.fail(new DevProcess.NotYet({ seen: seen() })) : Effect.succeed(found)
  }))

describe.skipIf(Callees.missing.length > 0)(
  `The main job (needs ${Callees.missing.join(" ") || "nothing more"})`,
  () => {
    for (const [voice, settingsOf] of Object.entries(voices)) {
      it.live(`is done with ${voice}, also when a node is killed in the middle`, () =>
        Effect.gen(function*() {
          const folder = yield* DevProcess.folder
          const sipp = yield* Callees.sipp({ folder, says })
          const baresips = new Map(
            yield* Effect.forEach(
              numbers.filter(isBaresip),
              (number) =>
                Effect.map(
                  Callees.baresip({
                    folder,
                    number,
                    says: Samples.samplesOf("mulaw", Buffer.concat(Array(15).fill(says)))
                  }),
                  (callee) => [number, callee] as const
                ),
              { concurrency: "unbounded" }
            )
          )
          const trunk = yield* Callees.trunk((number) => baresips.get(number) ?? sipp)
          const pbx = yield* Pbx.make({ phones: trunk.port })
          const hooks = yield* receiver
          const databaseUrl = yield* Postgres.database
          const tenancy = {
            databaseUrl,
            ...(yield* ServeProcess.tenant(databaseUrl, {
              agent: {
                firstMessage: "Hello, this is Ada from the clinic.",
                questions: [question],
                dispositions: ["completed", "declined"]
              }
            }))
          }
          const settings = {
            ...CarrierGuide.settings("docs/guides/asterisk.md", "OUTDIAL_CARRIER=asterisk", {
              ASTERISK_ARI_URL: pbx.ariUrl,
              ASTERISK_ARI_PASSWORD: Redacted.value(pbx.password)
            }),
            ...(yield* settingsOf),
            ASTERISK_CALLS_PER_SECOND: "2",
            ASTERISK_RECORDING: "own",
            OUTDIAL_DATA: folder,
            OUTDIAL_WEBHOOK_ALLOW: new URL(hooks.url).host
          }
          const node = Effect.suspend(() => {
            const port = String(ServeProcess.freePort())
            return ServeProcess.startBeside(tenancy, {
              ...settings,
              PORT: port,
              OUTDIAL_PUBLIC_URL: `http://127.0.0.1:${port}`
            })
          })
          const [killed, other] = yield* Effect.all([node, node], { concurrency: "unbounded" })
          yield* Effect.promise(() => other.request("PUT", "/v1/webhook", { url: hooks.url }))
          const { body: batch, status } = yield* Effect.promise(() =>
            other.request("POST", "/v1/batches", {
              agent_id: other.agentId,
              calls: numbers.map((phone_number) => ({ phone_number, contact: { name: "Grace" } }))
            })
          )
          assert.strictEqual(status, 201, JSON.stringify(batch))

          // Some talk, some ring, and some wait.
          yield* until(
            () => trunk.calls.filter(({ isAnswered }) => isAnswered).length >= 12 ? true : undefined,
            () => `${trunk.calls.length} calls; ${other.output().stderr.slice(-1_000)}`
          )
          yield* DevProcess.end(killed, "SIGKILL")

          const ids: ReadonlyArray<string> = (yield* Effect.promise(() =>
            other.request("GET", `/v1/calls?batch_id=${batch.id}&limit=100`)
          )).body.data.map(({ id }: { readonly id: string }) => id)
          assert.lengthOf(ids, numbers.length)
          const calls = yield* Effect.promise(() =>
            Promise.all(ids.map(async (id) => (await other.request("GET", `/v1/calls/${id}`)).body))
          ).pipe(
            Effect.filterOrFail(
              (all) =>
                all.every(({ outcome, status }) =>
                  isFinal(status) && (status !== "completed" || outcome !== null)
                ),
              (all) =>
                new DevProcess.NotYet({
                  seen: `${all.map(({ status }) => status).join()} ${other.output().stderr.slice(-2_000)}`
                })
            ),
            Effect.retry({ times: 120, schedule: Schedule.spaced("1 second") })
          )

          // No number rings twice. What was between the permission to dial and the dial has failed.
          assert.lengthOf(trunk.calls, new Set(trunk.calls.map(({ number }) => number)).size)
          const completed = calls.filter(({ status }) => status === "completed")
          assert.isAtLeast(
            completed.length,
            18,
            JSON.stringify(calls.map(({ status, status_reason }) => [status, status_reason]))
          )
          for (const { id, phone_number, status } of calls) {
            const rung = trunk.calls.find(({ number }) => number === phone_number)
            if (rung !== undefined) assert.strictEqual(rung.callId, id)
            assert.isTrue(status === "completed" ? rung?.isAnswered : status === "failed", status)
          }
          assert.include(other.output().stderr, "has come here from another node")

          for (const { id, outcome, phone_number } of completed) {
            assert.strictEqual(outcome.answers[question], said, `${id} ${JSON.stringify(outcome)}`)
            assert.strictEqual(outcome.disposition, "completed", id)
            const spoken: ReadonlyArray<{ readonly speaker: string; readonly text: string }> = outcome.transcript
            assert.isTrue(spoken.some(({ speaker, text }) => speaker === "contact" && text === said), id)
            assert.match(spoken.findLast(({ speaker }) => speaker === "agent")?.text ?? "", /Goodbye/, id)

            const { body } = yield* DevProcess.eventually(
              Effect.filterOrFail(
                Effect.promise(() => other.request("GET", `/v1/calls/${id}`)),
                ({ body }) => typeof body.recording_url === "string",
                () => new DevProcess.NotYet({ seen: `${id} has no recording` })
              )
            )
            const recording = yield* Effect.promise(async () => (await fetch(body.recording_url)).arrayBuffer())
            const samples = Samples.fromLittleEndian(new Uint8Array(recording).subarray(Wav.headerBytes))
            const [contact = samples, agent = samples] = [0, 1].map((side) =>
              samples.filter((_, at) => at % 2 === side)
            )
            assert.isAtLeast(seconds(contact, 16_000, isTone(16_000)), 0.7, `the contact of ${id} is on the left`)
            // Voices have pieces that are alike.
            assert.isAtMost(seconds(agent, 16_000, isTone(16_000)), 0.1, `the contact of ${id} is on the left only`)
            assert.isAbove(seconds(agent, 16_000, isLoud), 1, `the agent of ${id} is on the right`)
            const heard = baresips.get(phone_number)?.heard()
            if (heard !== undefined) {
              assert.isAbove(seconds(heard, 8_000, isLoud), 2, `${phone_number} has heard the agent`)
            }
          }

          /** An event that the killed node had sent, and not yet put on record, comes again. */
          const ends = () =>
            [...new Map(hooks.received.map(({ body, headers }) => [headers["webhook-id"], JSON.parse(body)])).values()]
              .filter(({ type }) => type === "call.completed" || type === "call.not_connected")
          yield* until(() => ends().length >= numbers.length ? true : undefined, () => `${ends().length} events`)
          assert.sameMembers(
            ends().map(({ data, type }) => `${data.id} ${type} ${data.status}`),
            calls.map(({ id, status }) =>
              `${id} ${status === "completed" ? "call.completed" : "call.not_connected"} ${status}`
            )
          )
          yield* Calls.untilClean(pbx)
        }).pipe(Effect.timeout("5 minutes")), 330_000)
    }
  }
)

/** How long the sound is such, in pieces of 20 ms. */
const seconds = (sound: Int16Array, rate: number, is: (piece: Int16Array) => boolean) => {
  const length = rate / 50
  let count = 0
  for (let at = 0; at + length <= sound.length; at += length) if (is(sound.subarray(at, at + length))) count += 1
  return count / 50
}

const isLoud = (piece: Int16Array) => piece.some((sample) => Math.abs(sample) > 500)

/** The contact's. */
const isTone = (rate: number) => (piece: Int16Array) => Tones.share(piece, rate, saidHertz) > 0.5
