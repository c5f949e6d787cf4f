/** Who is called at a fake carrier, and how fast they are. */

/** What becomes of a call once its phone rings. */
export type Callee =
  /** Answers, and says its lines, each after the agent has spoken. After the last one it listens, or hangs up. */
  | { readonly _tag: "Talks"; readonly says: ReadonlyArray<string>; readonly hangsUp?: boolean }
  /** A machine answers, and the detection of machines finds out. */
  | { readonly _tag: "Voicemail" }
  | { readonly _tag: "Busy" }
  | { readonly _tag: "NeverAnswers" }
  /** Rings until it is told what to do, with `answer` and `end`. */
  | { readonly _tag: "Waits"; readonly isMachine?: boolean; readonly isBusy?: boolean }

export const isMachine = (callee: Callee): boolean =>
  callee._tag === "Voicemail" || (callee._tag === "Waits" && callee.isMachine === true)

export const isBusy = (callee: Callee): boolean =>
  callee._tag === "Busy" || (callee._tag === "Waits" && callee.isBusy === true)

/** By the last digit of the number, as with the simulator: 5 is busy, 6 never answers, 7 is voicemail. All others talk. */
export const byLastDigit = (to: string): Callee => {
  switch (to.at(-1)) {
    case "5":
      return { _tag: "Busy" }
    case "6":
      return { _tag: "NeverAnswers" }
    case "7":
      return { _tag: "Voicemail" }
    case "8":
      return { _tag: "Talks", says: ["Hello.", "I have to go."], hangsUp: true }
    default:
      return { _tag: "Talks", says: ["Hello.", "Yes, that suits me."] }
  }
}

/** In milliseconds. */
export interface Timings {
  /** For each character that the agent says. */
  readonly character: number
  /** After which the contact answers, unless the agent goes on. */
  readonly reply: number
  /** Before a call begins. */
  readonly start: number
  readonly ring: number
  /** Until it is found out who has answered. */
  readonly verdict: number
  /** Until the greeting of a machine has ended, after that. */
  readonly greeting: number
  /** Until the recording of a call can be had, after its end. */
  readonly recording: number
  /** For each millisecond that a callback waits before it is repeated, or that the application asks the carrier to wait. */
  readonly retry: number
}

/** For tests. */
export const quick: Timings = {
  character: 0.1,
  reply: 100,
  start: 1,
  ring: 5,
  verdict: 20,
  greeting: 20,
  recording: 20,
  retry: 0.001
}

/** As people talk, or so many times faster. */
export const lifelike = (speed = 1): Timings => ({
  character: 66 / speed,
  reply: 900 / speed,
  start: 300 / speed,
  ring: 3_000 / speed,
  verdict: 3_000 / speed,
  greeting: 4_000 / speed,
  recording: 2_000 / speed,
  retry: 1 / speed
})
