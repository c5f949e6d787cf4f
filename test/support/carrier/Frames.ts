/** What the test's carrier and the nodes exchange: requests over HTTP, and the frames of a line's WebSocket as JSON. */

/** The name of the carrier, in the paths of its callbacks and sockets. */
export const name = "relayed"

/** A dial. The tokens open the callback and the socket of the call on any node. */
export interface Dial {
  readonly callId: string
  readonly phoneNumber: string
  readonly reportToken: string
  readonly lineToken: string
}

/** What a node tells a line. The line sends `LineEvent`s after its first frame, `setup`. */
export type LineCommand =
  | { readonly type: "resumed" }
  | { readonly type: "speak"; readonly id: number; readonly text: string }
  | { readonly type: "stop" }
  | { readonly type: "hang_up" }

/** What the carrier reports of a call, and answers to a look-up. Times are epoch milliseconds. */
export type Report =
  | { readonly _tag: "Answered"; readonly at: number; readonly by: "human" }
  | {
    readonly _tag: "Ended"
    readonly at: number
    readonly result: "busy" | "hung_up" | "no_answer"
    readonly answeredAt?: number
    readonly recorded: false
  }
