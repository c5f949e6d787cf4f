/** The turns of a transcript: as they arrive, and as they are heard in the recording. */
import type { Turn } from "./Wire.ts"

/** In order, each once; a later one replaces an earlier one of the same number. */
export const mergeTurns = (turns: ReadonlyArray<Turn>, more: ReadonlyArray<Turn>): ReadonlyArray<Turn> => {
  const bySequence = new Map([...turns, ...more].map((turn) => [turn.sequence, turn]))
  return [...bySequence.values()].sort((one, other) => one.sequence - other.sequence)
}

export interface Sound {
  readonly milliseconds: number
  /** Of the simulator or of a test call. Such a recording has a short tone for each turn. */
  readonly isSample: boolean
}

/** Where the turn begins in the recording, in milliseconds; `undefined` when the carrier did not report it. */
export const soundStart = (turns: ReadonlyArray<Turn>, sequence: number, sound: Sound): number | undefined => {
  const index = turns.findIndex((turn) => turn.sequence === sequence)
  const last = turns.at(-1)
  const spoken = last?.end_ms ?? last?.start_ms ?? 0
  if (sound.isSample && sound.milliseconds < spoken / 2) return sound.milliseconds * index / turns.length
  return turns[index]?.start_ms
}

/** The number of the turn that is heard at this moment of the recording: the last that has begun. */
export const turnAt = (turns: ReadonlyArray<Turn>, milliseconds: number, sound: Sound): number | undefined =>
  turns.findLast(({ sequence }) => (soundStart(turns, sequence, sound) ?? Infinity) <= milliseconds)?.sequence
