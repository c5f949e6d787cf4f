/**
 * What is said and done in a conversation: the entries of its log, what a line reports, and what an agent answers. All times of a
 * conversation are milliseconds since the call was answered.
 */
import { Schema } from "effect"
import * as Limits from "./Limits.ts"
import { ModelUse } from "./ModelUsage.ts"
import { TranscriptTurn } from "./Outcome.ts"
import { text } from "./Text.ts"

const Text = text(Limits.outcomeTextLength)
const Millis = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What an agent notes for the outcome. An opt-out also adds the number to the do-not-call list before the call ends. */
export type AgentNote =
  | { readonly _tag: "Answer"; readonly question: string; readonly answer: string }
  | { readonly _tag: "Callback"; readonly timeText?: string }
  | { readonly _tag: "Meeting"; readonly timeText?: string }
  | { readonly _tag: "OptOut" }

export const AgentNote: Schema.Codec<AgentNote> = Schema.Union([
  Schema.TaggedStruct("Answer", { question: Text, answer: Text }),
  Schema.TaggedStruct("Callback", { timeText: Schema.optionalKey(Text) }),
  Schema.TaggedStruct("Meeting", { timeText: Schema.optionalKey(Text) }),
  Schema.TaggedStruct("OptOut", {})
])

/**
 * What is noted for the outcome: by the agent, or by the engine about a transfer to the agent's number of this name. It is noted before the
 * carrier is asked, and again as `failed` if the contact was not connected.
 */
export type Note = AgentNote | { readonly _tag: "Transfer"; readonly to: string; readonly failed?: boolean }

export const Note: Schema.Codec<Note> = Schema.Union([
  AgentNote,
  Schema.TaggedStruct("Transfer", { to: Text, failed: Schema.optionalKey(Schema.Boolean) })
])

/** A note of a conversation that is over. An answer has the number of the contact's turn before it, if there is one. */
export type LoggedNote = Note & { readonly sequence?: number }

/** The machine that has answered. A menu (`ivr`) may lead to a person. */
export const MachineKind = Schema.Literals(["voicemail", "ivr", "fax"])
export type MachineKind = typeof MachineKind.Type

/** Why a conversation is over. */
export const EndReason = Schema.Literals([
  "agent_ended",
  "contact_hung_up",
  "contact_silent",
  "max_duration",
  "voicemail",
  "machine",
  "transferred",
  "opt_out",
  "agent_failed",
  "hang_up_requested",
  "line_failed",
  "shutdown"
])
export type EndReason = typeof EndReason.Type

/**
 * Why a tool has no result. Whether it was carried out is not known after `failed`, `timed_out` and `unknown`: it threw, it took too long,
 * or the process that ran it has gone.
 */
export const ToolProblem = Schema.Literals([
  "unknown_tool",
  "invalid_arguments",
  "too_many_calls",
  "not_wanted",
  "failed",
  "timed_out",
  "unknown"
])
export type ToolProblem = typeof ToolProblem.Type

/** What the agent gets from a tool. With a `problem`, the result is a sentence about it. */
export interface ToolAnswer {
  /** What the tool has returned. */
  readonly result: Schema.Json
  /** Why it has no result. Default: it has one. */
  readonly problem?: ToolProblem
}

/**
 * One entry of the log. A turn has the words that were heard: `interrupted` marks an agent's turn that was cut where the contact
 * stopped hearing it. A tool's intent is on record before the tool runs.
 */
export const Entry = Schema.Union([
  Schema.TaggedStruct("Turn", {
    speaker: TranscriptTurn.fields.speaker,
    text: TranscriptTurn.fields.text,
    at: Millis,
    endedAt: Millis,
    interrupted: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.TaggedStruct("Noted", { at: Millis, note: Note }),
  Schema.TaggedStruct("ToolIntent", { at: Millis, id: Text, name: Text, arguments: Schema.Json }),
  Schema.TaggedStruct("ToolResult", {
    at: Millis,
    id: Text,
    result: Schema.Json,
    problem: Schema.optionalKey(ToolProblem)
  }),
  Schema.TaggedStruct("Machine", { at: Millis, kind: MachineKind }),
  Schema.TaggedStruct("ModelUsed", { at: Millis, ...ModelUse.fields }),
  Schema.TaggedStruct("Failed", { at: Millis, cause: Text }),
  Schema.TaggedStruct("Over", { at: Millis, reason: EndReason })
])
export type Entry = typeof Entry.Type

/** What is on record of a tool. */
export type ToolEntry = Extract<Entry, { readonly _tag: "ToolIntent" | "ToolResult" }>

/** What a line reports. `Stopped` answers a request to stop speaking, or shows that the line stopped by itself. */
export const LineEvent = Schema.Union([
  /** Words of the contact. Partial words may still change; final words are a turn. */
  Schema.TaggedStruct("Heard", { text: Schema.String, isFinal: Schema.Boolean }),
  /** The contact started to speak, on a line that reports no partial words. */
  Schema.TaggedStruct("SpeechStarted", {}),
  Schema.TaggedStruct("Digits", { digits: Schema.String }),
  /** The contact has heard the whole utterance. */
  Schema.TaggedStruct("Played", { utterance: Schema.Number }),
  /** The line fell silent within this utterance, of which the contact has heard these first words, and dropped those after it. */
  Schema.TaggedStruct("Stopped", { utterance: Schema.Number, heard: Schema.String }),
  Schema.TaggedStruct("Machine", { kind: MachineKind }),
  /** The line cannot hear or speak any more, such as when a speech service fails. The call ends with the fallback phrase. */
  Schema.TaggedStruct("Failed", { cause: Schema.String }),
  /** The line is closed. Words of which the line has reported nothing until then do not count as heard. */
  Schema.TaggedStruct("Closed", {})
])
export type LineEvent = typeof LineEvent.Type

/** What an agent is asked to answer. */
export type AgentInput =
  /** The call was answered: what to say first. */
  | { readonly _tag: "Opening" }
  /** The conversation has moved to another process after the agent's words: what else to say, if anything. */
  | { readonly _tag: "Resumed" }
  | { readonly _tag: "Words"; readonly text: string }
  | { readonly _tag: "Digits"; readonly digits: string }
  | { readonly _tag: "Machine"; readonly kind: "ivr" }
  /** The call could not be transferred: there is no such name, the line cannot, or nobody has taken the call. The conversation goes on. */
  | { readonly _tag: "NotTransferred"; readonly to: string }

/**
 * A part of an agent's answer. `End` and `Transfer` take effect when everything said before them was heard, unless the contact says
 * something else before that.
 */
export type AgentPart =
  | { readonly _tag: "Say"; readonly text: string; readonly interruptible?: boolean }
  | { readonly _tag: "Press"; readonly digits: string }
  | { readonly _tag: "Note"; readonly note: AgentNote }
  /** Connects the contact with the agent's number of this name, and ends the conversation. */
  | { readonly _tag: "Transfer"; readonly to: string }
  /** What a language model took for the answer; put on the call's usage. */
  | { readonly _tag: "ModelUsed" } & ModelUse
  | { readonly _tag: "End" }

export const AgentPart: Schema.Codec<AgentPart> = Schema.Union([
  Schema.TaggedStruct("Say", {
    text: Schema.String.annotate({ message: "must be text" }),
    interruptible: Schema.optionalKey(Schema.Boolean)
  }),
  Schema.TaggedStruct("Press", {
    digits: Schema.String.annotate({ message: "must be text" }).check(
      Schema.isPattern(/^[0-9A-D*#w]{1,64}$/u, { message: "must have 1 to 64 of 0-9, A-D, *, # and w (a pause)" })
    )
  }),
  Schema.TaggedStruct("Note", { note: AgentNote }),
  Schema.TaggedStruct("Transfer", { to: Schema.String.annotate({ message: "must be text" }) }),
  Schema.TaggedStruct("ModelUsed", ModelUse.fields),
  Schema.TaggedStruct("End", {})
])
