/** What the sockets differ in over which carriers exchange sound. */
import type { Command, Input, PlaybackOptions } from "./AudioPlayback.ts"

/** What the carrier sends. Messages that are not understood are none: carriers add new ones. */
export type MediaEvent =
  | { readonly _tag: "Audio"; readonly audio: Uint8Array }
  | { readonly _tag: "Digits"; readonly digits: string }
  | Extract<Input, { readonly _tag: "Marked" | "Left" | "Held" }>
  /** The carrier refuses a message. */
  | { readonly _tag: "Refused"; readonly problem: string }
  /** No sound follows: the call is over, or goes on without the conversation. */
  | { readonly _tag: "Stopped" }

export interface MediaDialect extends Omit<PlaybackOptions, "format"> {
  readonly decode: (message: string | Uint8Array) => MediaEvent | undefined
  readonly encode: (command: Command) => string | Uint8Array<ArrayBuffer>
}
