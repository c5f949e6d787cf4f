/** The engine's side of a provider under test: accepts its reports and recordings, and can simulate failures. */
import { LineReports, Recordings, Storage } from "@outdial/core"
import { Context, Effect, Layer, Option } from "effect"

/** How reports of a call are answered. */
type WitnessMode = LineReports.Instruction | "storage_fails" | "storage_fails_once"

export class Witness extends Context.Service<Witness, {
  /** The accepted reports of a call, in order. */
  readonly reports: (callId: string) => Effect.Effect<ReadonlyArray<LineReports.Report>>
  /** How reports of the call are answered from now on. Default: "continue". */
  readonly answerWith: (callId: string, mode: WitnessMode) => Effect.Effect<void>
  /** Recordings of the call cannot be stored from now on. */
  readonly loseRecording: (callId: string) => Effect.Effect<void>
}>()("@outdial/testkit/telephony/Witness") {}

/** The two ports that providers use, and the witness of their use. */
export const layer = Layer.effectContext(Effect.sync(() => {
  const taken: Array<LineReports.Report> = []
  const modes = new Map<string, WitnessMode>()
  const lost = new Set<string>()
  const kept = new Map<string, Recordings.Recording>()
  const nameOf = ({ accountId, callId }: Recordings.RecordingKey) => `${accountId}/${callId}`

  return Context.make(LineReports.LineReports, {
    isOfAnother: () => Effect.succeed(false),
    uncharged: () => Effect.succeed([]),
    callToEnd: ({ accountId, callId }) => Effect.succeed({ accountId, callId }),
    report: (report) => {
      const mode = modes.get(report.callId) ?? "continue"
      if (mode === "storage_fails_once") modes.delete(report.callId)
      if (mode === "storage_fails" || mode === "storage_fails_once") {
        return Effect.fail(new Storage.StorageError({ reason: "unavailable", cause: "The contract says so" }))
      }
      taken.push(report)
      return Effect.succeed(mode)
    }
  }).pipe(
    Context.add(Recordings.Recordings, {
      put: (key, recording) =>
        lost.has(key.callId)
          ? Effect.fail(new Recordings.RecordingError({ cause: "The contract says so" }))
          : Effect.sync(() => void kept.set(nameOf(key), recording)),
      putStream: ({ callId }) => Effect.die(new Error(`The carrier of ${callId} copies recordings as a whole`)),
      remove: (key) => Effect.sync(() => void kept.delete(nameOf(key))),
      get: (key) => Effect.sync(() => Option.fromUndefinedOr(kept.get(nameOf(key)))),
      has: (key) => Effect.sync(() => kept.has(nameOf(key)))
    }),
    Context.add(Witness, {
      reports: (callId) => Effect.sync(() => taken.filter((report) => report.callId === callId)),
      answerWith: (callId, mode) => Effect.sync(() => void modes.set(callId, mode)),
      loseRecording: (callId) => Effect.sync(() => void lost.add(callId))
    })
  )
}))
