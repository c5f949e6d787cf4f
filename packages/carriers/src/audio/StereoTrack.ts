/**
 * The two sides of a call in time, as samples of two channels: the contact on the left, the agent on the right. It holds what may still be
 * completed, a few seconds, and gives away what is older.
 */

export type Side = "contact" | "agent"

/** In the order of the channels. */
const sides: ReadonlyArray<Side> = ["contact", "agent"]

export interface StereoTrack {
  /** The sound of one side, from that time on, in milliseconds. What comes too late follows what was there. */
  readonly write: (side: Side, at: number, samples: Int16Array) => void
  /** What both sides said until then, in pieces of at most a second. Where nothing was written is silence. */
  readonly take: (until: number) => IterableIterator<Int16Array<ArrayBuffer>>
  /** Until when there is sound, in milliseconds. */
  readonly end: () => number
}

/** Frames come with the jitter of the network and of the process: within this, in milliseconds, they follow each other. */
const jitter = 60

/**
 * A side that is ahead by more than this, in milliseconds, loses silence until it is in time again: the frames before were late. Softer than
 * `softest` is silence.
 */
const ahead = 20
const softest = 200

interface Piece {
  /** Of the first sample, since the beginning. */
  readonly from: number
  readonly samples: Int16Array
}

/** Begins at `startedAt`, in milliseconds. */
export const make = (
  { sampleRate, startedAt }: { readonly startedAt: number; readonly sampleRate: number }
): StereoTrack => {
  const pieces: Record<Side, Array<Piece>> = { contact: [], agent: [] }
  const ends: Record<Side, number> = { contact: 0, agent: 0 }
  let taken = 0
  const indexOf = (at: number) => Math.max(0, Math.round(((at - startedAt) * sampleRate) / 1_000))
  const [near, early] = [(jitter * sampleRate) / 1_000, (ahead * sampleRate) / 1_000]

  return {
    write: (side, at, samples) => {
      const [index, end] = [indexOf(at), ends[side]]
      const isAhead = index < end - early
      if (isAhead && samples.every((sample) => Math.abs(sample) < softest)) return
      const from = Math.max(taken, index > end + near ? index : end)
      pieces[side].push({ from, samples })
      ends[side] = from + samples.length
    },

    take: function*(until) {
      const limit = indexOf(until)
      while (taken < limit) {
        const length = Math.min(sampleRate, limit - taken)
        const both = new Int16Array(2 * length)
        for (const [channel, side] of sides.entries()) {
          for (const { from, samples } of pieces[side]) {
            const first = Math.max(0, taken - from)
            const last = Math.min(samples.length, taken + length - from)
            for (let index = first; index < last; index++) {
              both[2 * (from + index - taken) + channel] = samples[index] ?? 0
            }
          }
          pieces[side] = pieces[side].filter(({ from, samples }) => from + samples.length > taken + length)
        }
        taken += length
        yield both
      }
    },

    end: () => startedAt + (Math.max(ends.contact, ends.agent) * 1_000) / sampleRate
  }
}
