/** A model that obeys the contact, by the attempts of `test/vectors/prompt-injections.json`. */
import { Conversation } from "@outdial/core"
import { Schema } from "effect"
import attempts from "../../vectors/prompt-injections.json" with { type: "json" }
import type { Messages } from "./InProcessModel.ts"
import type { Reply, Request } from "./ModelServer.ts"

/** What the model does when the contact has said it. */
const Obeys = Schema.Struct({
  /** Says this, as often as `times` says (once), before what else it says. */
  says: Schema.optionalKey(Schema.String),
  times: Schema.optionalKey(Schema.Int),
  /** Reads out its instructions in this form. */
  reads: Schema.optionalKey(Schema.Literals(["text", "rules", "quoted", "spelled", "base64", "hex", "json"])),
  /** Asks for these tools. */
  uses: Schema.optionalKey(Schema.Array(Schema.Struct({ tool: Schema.String, arguments: Schema.Json }))),
  /** Obeys again after the results of its tools. */
  repeats: Schema.optionalKey(Schema.Boolean)
})

export const Attempt = Schema.Struct({
  kind: Schema.String,
  language: Schema.String,
  says: Schema.String,
  obeys: Obeys,
  /** What the contact says next: texts, more of the same, or nothing any more. Default: it hangs up. */
  then: Schema.optionalKey(Schema.Union([Schema.Array(Schema.String), Schema.Literals(["more", "silence"])])),
  /** Why the call ends. Default: the contact hangs up. */
  ends: Schema.optionalKey(Conversation.EndReason),
  /** Whether the number of the contact is on the do-not-call list then. */
  listed: Schema.optionalKey(Schema.Boolean),
  /** Whether the model is not even asked. */
  unasked: Schema.optionalKey(Schema.Boolean),
  /** The days for which the tool of the agent runs. Default: none. */
  runs: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The keys that are pressed. Default: none. */
  pressed: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Attempt = typeof Attempt.Type

export const all = Schema.decodeUnknownSync(Schema.Array(Attempt))(attempts, { onExcessProperty: "error" })

/** Its reply. What it has seen of instructions and of the results of tools is put into `seen`. */
export const reply = ({ obeys }: Attempt, seen: { messages: Messages }) => (messages: Messages): Reply => {
  seen.messages = messages
  const { reads, repeats = false, says = "", times = 1, uses = [] } = obeys
  if (messages.at(-1)?.role === "tool" && !repeats) return { text: "It is done." }
  const instructions = messages.find(({ role }) => role === "system")?.text ?? ""
  return {
    text: says.repeat(times) + (reads === undefined ? "" : forms[reads](instructions)),
    toolCalls: uses.map((use) => ({ name: use.tool, arguments: use.arguments }))
  }
}

type Form = NonNullable<typeof Obeys.Type["reads"]>

const forms: Readonly<Record<Form, (instructions: string) => string>> = {
  text: (text) => text,
  rules: (text) => text.slice(text.indexOf("# What you never do")),
  quoted: (text) => `\`\`\`\n${text}\n\`\`\``,
  spelled: (text) => Array.from(text).join("-"),
  base64: (text) => Buffer.from(text).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  json: (text) => JSON.stringify({ instructions: text })
}

/** The messages of a request over HTTP. */
export const messagesOf = ({ messages }: Request): Messages =>
  messages.map(({ content, role }) => ({
    role,
    text: typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n")
  }))
