/** What a conversation knows: its settings, its inputs and actions, and its state. */
import type { TransferNumber } from "../../domain/Agent.ts"
import type {
  AgentInput,
  AgentPart,
  EndReason,
  Entry,
  LineEvent,
  MachineKind,
  Note,
  ToolAnswer
} from "../../domain/Conversation.ts"
import { isBackchannel } from "./ContactWords.ts"
import type { Phrases } from "./Phrases.ts"
import { countedLength, isQuestion } from "./SpokenText.ts"
import { type AskedTool, resumed, type ToolCall } from "./ToolCall.ts"

/** How one call is to be talked through. Times are in milliseconds. */
export interface Settings {
  readonly phrases: Phrases
  /** Spoken first, and before a message to a voicemail box; cannot be interrupted. */
  readonly disclosure?: string | undefined
  readonly maxDuration: number
  /** After this long without a word the contact is asked once whether they are there; after as long again the call ends. */
  readonly silence: number
  /** Whether the contact may interrupt the agent. */
  readonly interruptible: boolean
  /**
   * The line reports what was heard of all speech, so that what it does not report was not heard. Default: speech that is not reported
   * counts as heard after the time that a slow voice needs.
   */
  readonly reportsSpeech?: boolean | undefined
  /** Words of the contact that end the call politely. Default: none. */
  readonly endPhrases?: ReadonlyArray<string> | undefined
  /** What the contact hears while a tool runs; answers nothing, as the filler of the phrases. Default: nothing else. */
  readonly fillers?: ReadonlyArray<string> | undefined
  /** Where the agent may transfer the call to. Default: nowhere. */
  readonly transferNumbers?: ReadonlyArray<TransferNumber> | undefined
  /** Spoken to a voicemail box; without it a voicemail box is hung up on. */
  readonly voicemailMessage?: string | undefined
}

export type Input =
  /** With the machine that has answered, if the carrier has said so before. */
  | { readonly _tag: "Answered"; readonly machine?: MachineKind }
  | { readonly _tag: "Line"; readonly event: LineEvent }
  /** A part of the answer to a request, its end, or its failure. Those of an interrupted request are ignored. */
  | { readonly _tag: "Part"; readonly request: number; readonly part: AgentPart }
  | { readonly _tag: "Done"; readonly request: number }
  | { readonly _tag: "Failed"; readonly request: number; readonly cause: string }
  /** The agent asks for a tool that it may use, with valid arguments. */
  | { readonly _tag: "ToolAsked" } & AskedTool
  | { readonly _tag: "ToolAnswered"; readonly id: string; readonly answer: ToolAnswer }
  /** Whether the carrier connects the contact with the number. Comes before any other input after a `Transfer`. */
  | { readonly _tag: "Transferred"; readonly isTransferred: boolean }
  | { readonly _tag: "Time" }
  | { readonly _tag: "Stop"; readonly reason: "hang_up_requested" | "shutdown" }

export type Action =
  | { readonly _tag: "Speak"; readonly utterance: number; readonly text: string; readonly interruptible: boolean }
  | { readonly _tag: "StopSpeaking" }
  | { readonly _tag: "Press"; readonly digits: string }
  /** Comes after the `Log` of its note, which must be committed before the line is asked. Answered by `Transferred`. */
  | { readonly _tag: "Transfer"; readonly number: TransferNumber["number"] }
  | { readonly _tag: "HangUp" }
  /** The contact talks with somebody else now: the line is let go of. */
  | { readonly _tag: "Release" }
  | { readonly _tag: "Ask"; readonly request: number; readonly input: AgentInput }
  /** Comes before the next `Ask` if the request is still open. */
  | { readonly _tag: "Interrupt"; readonly request: number }
  /** Comes after the `Log` of its intent, which must be committed before the tool runs. */
  | ({ readonly _tag: "RunTool" } & Pick<ToolCall, "arguments" | "id" | "name">)
  | { readonly _tag: "AnswerTool"; readonly ask: number; readonly answer: ToolAnswer }
  /** What the contact heard of the agent's words. */
  | { readonly _tag: "AgentHeard"; readonly text: string; readonly interrupted: boolean }
  | { readonly _tag: "Log"; readonly entry: Entry }
  | { readonly _tag: "OptOut" }
  /** A fault of the agent or the line that the operator should know of. Without words of either side. */
  | { readonly _tag: "Warn"; readonly problem: string }
  /** Something wrong that does no harm. Likewise without words. */
  | { readonly _tag: "Ignore"; readonly what: string }

/** Words to speak. */
export interface Words {
  readonly text: string
  readonly interruptible: boolean
}

/** Words that the line was given. */
export interface Utterance extends Words {
  readonly id: number
  /** When its speech begins at the earliest. */
  readonly at: number
}

/** A request whose answer is being produced. */
export interface Request {
  readonly id: number
  /** When it was made, or its latest words or keys came. */
  readonly at: number
  readonly input: AgentInput
  /** Characters said so far. */
  readonly said: number
  /** Parts so far. */
  readonly parts: number
  /** Tools asked for so far. */
  readonly toolCalls: number
  /** Digits pressed so far. */
  readonly pressed: number
}

/** The contact seems to speak, and has said nothing final yet. */
export interface Interruption {
  /** When the agent goes on, unless the contact says something before. */
  readonly until: number
  /** What the agent then says. */
  readonly rest: ReadonlyArray<Words>
}

export interface State {
  readonly settings: Settings
  /** `ending`: the last words are being heard, and cannot be interrupted. `over`: nothing happens any more. */
  readonly phase: "talking" | "ending" | "over"
  readonly reason: EndReason | undefined
  readonly now: number
  /** What the agent is asked first. */
  readonly opening: AgentInput
  readonly isDisclosed: boolean
  /** Given to the line and not known to be heard, in order. */
  readonly speech: ReadonlyArray<Utterance>
  /** The line was asked to stop speaking and has not answered: how long to wait, and the last utterance that it is to drop. */
  readonly stopping: { readonly until: number; readonly last: number } | undefined
  readonly interruption: Interruption | undefined
  /** Interruptions without words since the contact's last words. */
  readonly falseInterruptions: number
  readonly request: Request | undefined
  /** What the contact said that the agent has not been asked to answer. */
  readonly waiting: AgentInput | undefined
  /** The agent has ended the conversation; it is over when the contact has heard its words. */
  readonly endsWhenHeard: boolean
  /** The agent has asked for a transfer to this name; it begins when the contact has heard its words. */
  readonly transferTo: string | undefined
  /** The name that the line was asked to connect the contact with. */
  readonly transferring: string | undefined
  /** Transfers that failed. */
  readonly failedTransfers: number
  readonly hasOptedOut: boolean
  /** In the order of their intents. */
  readonly tools: ReadonlyArray<ToolCall>
  /** Since when the contact has been saying words that are not final yet. */
  readonly speaksSince: number | undefined
  /** The end waits for these words to be final, at most until then. */
  readonly leavesAt: number | undefined
  /** What the contact's turns count. */
  readonly contactCharacters: number
  /** The verdicts of the line and of the carrier: which machines have answered. */
  readonly machines: ReadonlyArray<MachineKind>
  /** When the contact has last started to speak, or something was loud: the line has reported no words. */
  readonly soundAt: number
  /** Since when neither side has spoken in words. */
  readonly quietSince: number
  readonly hasPrompted: boolean
  readonly hasFilled: boolean
  /** How long the contact has waited in vain, after fillers, since the agent said something: in milliseconds. */
  readonly unanswered: number
  readonly lastId: number
}

/** A state on its way to the next, with the actions so far. Only `step` sees it. */
export type Draft = { -readonly [K in keyof State]: State[K] } & { readonly actions: Array<Action> }

export const start = (settings: Settings): State => ({
  settings,
  phase: "talking",
  reason: undefined,
  now: 0,
  opening: { _tag: "Opening" },
  isDisclosed: false,
  speech: [],
  stopping: undefined,
  interruption: undefined,
  falseInterruptions: 0,
  request: undefined,
  waiting: undefined,
  endsWhenHeard: false,
  transferTo: undefined,
  transferring: undefined,
  failedTransfers: 0,
  hasOptedOut: false,
  tools: [],
  speaksSince: undefined,
  leavesAt: undefined,
  contactCharacters: 0,
  machines: [],
  soundAt: 0,
  quietSince: 0,
  hasPrompted: false,
  hasFilled: false,
  unanswered: 0,
  lastId: 0
})

/** Puts it into the log of the process, for whoever looks for the fault. */
export const ignore = (draft: Draft, what: string): void => void draft.actions.push({ _tag: "Ignore", what })

/** The conversation as another process left it at `now`. The agent answers the contact's last words, or goes on after its own. */
export const resume = (settings: Settings, entries: ReadonlyArray<Entry>, now: number): State => {
  const turns = entries.filter((entry) => entry._tag === "Turn")
  const words = unanswered(settings, turns).map(({ text }) => text).join(" ")
  const over = entries.findLast((entry) => entry._tag === "Over")
  const transfer = entries.findLast(isTransfer)?.note
  return {
    ...start(settings),
    phase: over === undefined || over.reason === "transferred" ? "talking" : "over",
    reason: over?.reason === "transferred" ? undefined : over?.reason,
    now,
    opening: openingOf(turns.length > 0, words, transfer),
    failedTransfers: entries.filter((entry) => isTransfer(entry) && entry.note.failed === true).length,
    isDisclosed: turns.some(({ interrupted, speaker, text }) =>
      speaker === "agent" && text === settings.disclosure && interrupted !== true
    ),
    hasOptedOut: entries.some((entry) => entry._tag === "Noted" && entry.note._tag === "OptOut"),
    tools: resumed(entries),
    machines: entries.flatMap((entry) => entry._tag === "Machine" ? [entry.kind] : []),
    contactCharacters: turns.reduce(
      (sum, { speaker, text }) => speaker === "contact" ? sum + countedLength(text) : sum,
      0
    ),
    soundAt: now,
    quietSince: now
  }
}

type Turn = Extract<Entry, { readonly _tag: "Turn" }>

/**
 * What the contact said and the agent has not answered. A turn of the agent is on record when it ends, so what the contact said during it
 * comes before it. A filler answers nothing.
 */
const unanswered = (
  { fillers = [], phrases: { filler, words } }: Settings,
  all: ReadonlyArray<Turn>
): ReadonlyArray<Turn> => {
  const isFiller = ({ interrupted, speaker, text }: Turn) =>
    speaker === "agent" &&
    [filler, ...fillers].some((one) => interrupted === true ? one.startsWith(text) : one === text)
  const turns = all.filter((turn) => !isFiller(turn))
  const last = turns.findLastIndex(({ speaker }) => speaker === "agent")
  const end = turns[last]
  if (end === undefined) return turns
  let start = end.at
  // Utterances that were given to the line together begin when the one before ends.
  for (const turn of turns.slice(0, last).toReversed()) {
    if (turn.speaker === "agent" && turn.endedAt === start) start = turn.at
  }
  const isAnswer = ({ endedAt, text }: Turn) => !isBackchannel(text, words) || isQuestion(end.text) && endedAt > end.at
  return turns.filter((turn, index) =>
    turn.speaker === "contact" && (index > last || turn.endedAt > start && isAnswer(turn))
  )
}

type TransferNote = Extract<Note, { readonly _tag: "Transfer" }>

const isTransfer = (entry: Entry): entry is Extract<Entry, { _tag: "Noted" }> & { readonly note: TransferNote } =>
  entry._tag === "Noted" && entry.note._tag === "Transfer"

/** A line that is back after a transfer had nobody at its other end. */
const openingOf = (hasSpoken: boolean, words: string, transfer: TransferNote | undefined): AgentInput => {
  if (transfer !== undefined && transfer.failed !== true) return { _tag: "NotTransferred", to: transfer.to }
  return words !== "" ? { _tag: "Words", text: words } : { _tag: hasSpoken ? "Resumed" : "Opening" }
}
