/**
 * The two sides of a call in time, as samples of two channels: the contact on the left, the agent on the right. It holds what may still be
 * completed, a few seconds, and gives away what is older.
 */

export type Side = "contact" | "agent"

export interface StereoTrack {
  /** The sound of one side, from that time on, in milliseconds. What comes too late follows what was there. The samples are copied. */
  readonly write: (side: Side, at: number, samples: Int16Array) => void
  /**
   * What both sides said until then, in pieces of at most half a second. Where nothing was written is silence. A piece is to be used before the
   * next is taken, which has the same memory.
   */
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

/** What it holds at first, in seconds. It holds twice as much whenever that is not enough. */
const firstLength = 2

/** Begins at `startedAt`, in milliseconds. */
export const make = (
  { sampleRate, startedAt }: { readonly startedAt: number; readonly sampleRate: number }
): StereoTrack => {
  // The same memory for the life of the call: frames that were kept would fill the heap with garbage that only a full collection removes.
  let length = firstLength * sampleRate
  let ring = new Int16Array(2 * length)
  const piece = new Int16Array(sampleRate)
  const ends: Record<Side, number> = { contact: 0, agent: 0 }
  let taken = 0
  const indexOf = (at: number) => Math.max(0, Math.round(((at - startedAt) * sampleRate) / 1_000))
  const [near, early] = [(jitter * sampleRate) / 1_000, (ahead * sampleRate) / 1_000]

  /** Moves what was not taken, up to that sample, out of the ring, and leaves silence. */
  const moveTo = (target: Int16Array, until: number) => {
    for (let from = taken; from < until;) {
      const at = from % length
      const count = Math.min(until - from, length - at)
      target.set(ring.subarray(2 * at, 2 * (at + count)), 2 * (from - taken))
      ring.fill(0, 2 * at, 2 * (at + count))
      from += count
    }
  }

  const last = () => Math.max(taken, ends.contact, ends.agent)

  /** Holds everything up to that sample. */
  const reserve = (until: number) => {
    if (until - taken <= length) return
    const held = new Int16Array(2 * (last() - taken))
    moveTo(held, last())
    while (until - taken > length) length *= 2
    ring = new Int16Array(2 * length)
    const at = taken % length
    const first = held.subarray(0, 2 * (length - at))
    ring.set(first, 2 * at)
    ring.set(held.subarray(first.length))
  }

  return {
    write: (side, at, samples) => {
      const [index, end] = [indexOf(at), ends[side]]
      const isAhead = index < end - early
      if (isAhead && samples.every((sample) => Math.abs(sample) < softest)) return
      const from = Math.max(taken, index > end + near ? index : end)
      reserve(from + samples.length)
      let position = 2 * (from % length) + (side === "contact" ? 0 : 1)
      for (let sample = 0; sample < samples.length; sample++) {
        ring[position] = samples[sample] ?? 0
        position += 2
        if (position >= ring.length) position -= ring.length
      }
      ends[side] = from + samples.length
    },

    take: function*(until) {
      const limit = indexOf(until)
      while (taken < limit) {
        const count = Math.min(sampleRate / 2, limit - taken)
        piece.fill(0)
        moveTo(piece, Math.min(taken + count, last()))
        taken += count
        yield piece.subarray(0, 2 * count)
      }
    },

    end: () => startedAt + (Math.max(ends.contact, ends.agent) * 1_000) / sampleRate
  }
}
