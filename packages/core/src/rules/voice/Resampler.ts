/**
 * Changes the sample rate of speech as it comes: a polyphase filter whose coefficients are a sinc under a Kaiser window (Smith, "Digital Audio
 * Resampling"). What the lower of the two rates cannot carry is removed. The output is as long as the input, and has no delay.
 */

export interface Resampler {
  /** The samples that follow. Those whose neighbours are still missing come with the next ones. */
  readonly push: (samples: Int16Array) => Int16Array<ArrayBuffer>
  /** The rest, as if silence followed. The resampler is then as new. */
  readonly end: () => Int16Array<ArrayBuffer>
}

/** Zero crossings of the sinc on each side: the filter falls by 70 dB within a tenth of the band. */
const crossings = 32

/** Of the Kaiser window: 70 dB in the stop band. */
const beta = 7

/** The share of the lower rate's band that passes. Telephony ends at 3,400 of 4,000 Hz. */
const passes = 0.93

/** Rates in samples per second, such as 22,050 and 8,000. */
export const make = (from: number, to: number): Resampler => {
  const divisor = gcd(from, to)
  const [up, down] = [to / divisor, from / divisor]
  if (up === down) return { push: (samples) => Int16Array.from(samples), end: () => new Int16Array(0) }
  const half = Math.ceil(crossings * Math.max(1, from / to))
  const phases = filters(up, half, passes * Math.min(1, to / from))
  /** The samples around the next output, and those that follow. Before the first one was silence. */
  let history = new Int16Array(half - 1)
  /** Where the next output lies after `history[half - 1]`, in `1 / up` samples. */
  let position = 0
  /** How much output is missing to the length of the input, in `1 / down` samples. */
  let owed = 0

  const push = (samples: Int16Array): Int16Array<ArrayBuffer> => {
    const input = new Int16Array(history.length + samples.length)
    input.set(history)
    input.set(samples, history.length)
    const output: Array<number> = []
    owed += samples.length * up
    while (true) {
      const first = Math.floor(position / up)
      if (first + 2 * half > input.length) break
      const filter = phases[position % up]
      if (filter === undefined) break
      let sum = 0
      for (let tap = 0; tap < filter.length; tap++) sum += (filter[tap] ?? 0) * (input[first + tap] ?? 0)
      output.push(Math.max(-0x8000, Math.min(0x7fff, Math.round(sum))))
      position += down
      owed -= down
    }
    const used = Math.min(Math.floor(position / up), input.length)
    history = input.slice(used)
    position -= used * up
    return Int16Array.from(output)
  }

  return {
    push,
    end: () => {
      const missing = Math.max(0, Math.ceil(owed / down))
      const rest = push(new Int16Array(2 * half + 1)).slice(0, missing)
      history = new Int16Array(half - 1)
      position = 0
      owed = 0
      return rest
    }
  }
}

const gcd = (a: number, b: number): number => b === 0 ? a : gcd(b, a % b)

/** For each place between two samples, the weights of the `2 * half` samples around it. They add up to one, so that loudness stays. */
const filters = (up: number, half: number, cutoff: number): ReadonlyArray<Float64Array> =>
  Array.from({ length: up }, (_, phase) => {
    const weights = Float64Array.from({ length: 2 * half }, (_, tap) => {
      const distance = tap - half + 1 - phase / up
      return sinc(cutoff * distance) * kaiser(distance / half)
    })
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return weights.map((weight) => weight / sum)
  })

const sinc = (x: number): number => x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)

const kaiser = (x: number): number => Math.abs(x) > 1 ? 0 : bessel(beta * Math.sqrt(1 - x * x)) / bessel(beta)

/** The modified Bessel function of order zero, by its power series. */
const bessel = (x: number): number => {
  let [sum, term] = [1, 1]
  for (let n = 1; term > sum * 1e-12; n++) {
    term *= (x / (2 * n)) ** 2
    sum += term
  }
  return sum
}
