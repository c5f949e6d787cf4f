/**
 * The journal of the simulated carrier of `outdial dev`: calls continue after a restart, as they would with a real carrier,
 * also after `kill -9`. Also writes the dial log, one line for each phone that rings.
 */
import { SimulatedTelephony } from "@outdial/core"
import { DateTime, Effect, Option, Schema } from "effect"
import { DevFolder } from "./DevFolder.ts"

const file = "carrier.jsonl"
const dialLog = "dials.jsonl"

const Line = Schema.fromJsonString(Schema.Union([
  Schema.Struct({ dialed: SimulatedTelephony.JournalEntry }),
  Schema.Struct({ finished: Schema.String })
]))
const encode = Schema.encodeSync(Line)
const decode = Schema.decodeUnknownOption(Line)

/** The options with which the simulator writes its journal to the folder. */
export const make = Effect.gen(function*() {
  const folder = yield* DevFolder
  const logRing = ({ at, callId, phoneNumber }: SimulatedTelephony.Ring) =>
    folder.append(
      dialLog,
      JSON.stringify({ at: DateTime.formatIso(at), call_id: callId, phone_number: phoneNumber })
    )

  /** If a process was killed between the two writes, the dial log lacks a ring. */
  const logUnlogged = Effect.fnUntraced(function*(entries: ReadonlyArray<SimulatedTelephony.JournalEntry>) {
    const logged = yield* folder.lines(dialLog)
    yield* Effect.forEach(
      entries.filter(({ request }) => !logged.some((line) => line.includes(`"${request.callId}"`))),
      ({ dialedAt, request: { callId, phoneNumber } }) => logRing({ at: dialedAt, callId, phoneNumber }),
      { discard: true }
    )
  })

  const journal: SimulatedTelephony.Journal = {
    unfinished: Effect.gen(function*() {
      // Skips a line that a killed process wrote only in part: its call was not dialed.
      const lines = (yield* folder.lines(file)).flatMap((line) => Option.toArray(decode(line)))
      const finished = new Set(lines.flatMap((line) => ("finished" in line ? [line.finished] : [])))
      const entries = lines.flatMap((line) => ("dialed" in line ? [line.dialed] : []))
      const unfinished = entries.filter(({ request }) => !finished.has(request.callId))
      yield* logUnlogged(unfinished)
      yield* folder.rewrite(file, unfinished.map((dialed) => encode({ dialed })))
      return unfinished
    }),
    dialed: (dialed) => folder.append(file, encode({ dialed })),
    finished: (callId) => folder.append(file, encode({ finished: callId }))
  }
  return { journal, onRing: logRing }
})
