/** The page of what the scripted agent says and recognizes, `docs/reference/scripted-agent.md`, from its phrases. */
import { Record as EffectRecord } from "effect"
import { names } from "../packages/core/src/outcome/ScriptedOutcome.ts"
import type { ContactWords } from "../packages/core/src/rules/conversation/ContactWords.ts"
import { byLanguage, type Phrases } from "../packages/core/src/rules/conversation/Phrases.ts"

const languages: Readonly<Record<string, string>> = {
  en: "English",
  es: "Spanish",
  fr: "French",
  de: "German",
  pt: "Portuguese"
}

type Spoken = Exclude<keyof Phrases, "words">

const spoken: Readonly<Record<Spoken, string>> = {
  filler: "while the agent needs longer for its answer",
  prompt: "when the contact has been silent",
  fallback: "when the agent cannot go on",
  goodbye: "at the end",
  repeat: "before a question that is asked again",
  optedOut: "after an opt-out",
  callback: "when the contact asks for another call",
  refused: "when the contact does not want to talk now"
}

const recognized: Readonly<Record<keyof ContactWords, string>> = {
  optOut: "an opt-out: the number goes to the do-not-call list at once, and the call ends",
  callback: "the wish for another call: noted with the contact's words, and the call ends",
  refusal: "a refusal: the call ends",
  goodbye: "a goodbye: the call ends",
  pardon: "the question was not understood: it is asked again",
  assent: "attention; after a question for yes or no, an answer",
  listening: "attention that answers nothing",
  present: "the contact is there, after a silence: the question is asked again",
  openQuestion: "in a question of the agent: yes is no answer to it"
}

const section = (language: string, phrases: Phrases): string =>
  [
    `## ${languages[language] ?? language}`,
    "| phrase | when | text |\n| --- | --- | --- |\n" +
    EffectRecord.toEntries(spoken).map(([key, when]) => `| \`${key}\` | ${when} | ${phrases[key]} |`).join("\n"),
    "| words | meaning | recognized |\n| --- | --- | --- |\n" +
    EffectRecord.toEntries(recognized).map(([key, meaning]) =>
      `| \`words.${key}\` | ${meaning} | ${phrases.words[key].join(", ")} |`
    ).join(
      "\n"
    )
  ].join("\n\n")

export const scriptedAgentReference = (): string =>
  [
    "# Scripted agent",
    `The scripted agent needs no language model. It says the agent's first message, which is by default the first paragraph of its script,
and waits for a reply. Then it asks each question and notes the contact's words as the answer. It asks a question at most twice: again
when less than half of it was heard, or when the words cannot be an answer. At the end it says goodbye.`,
    `Words are compared in lower case, without accents and punctuation. A phrase is recognized anywhere in what the contact says; \`$\`
stands for the end. Opt-outs are recognized in all languages, whatever the agent's language, and besides the phrases below by their grammar,
such as a negation before a verb of calling: "don't ever phone us again". A wish about the time, such as "don't call me before ten", is none. For a language without phrases the agent
speaks English; give your own with \`ScriptedAgent.layerOf({ phrases: { it: … } })\`.`,
    "## Outcome",
    `The disposition is the first of the agent's dispositions with one of these names; case, spaces and hyphens do not count. If the agent
has none of them, a conversation in which every question was answered gets the first disposition, and any other the last.`,
    "| what happened | names |\n| --- | --- |\n" +
    Object.entries(names).map(([ending, list]) => `| \`${ending}\` | ${list.map((name) => `\`${name}\``).join(", ")} |`)
      .join("\n"),
    ...Object.entries(byLanguage).map(([language, phrases]) => section(language, phrases))
  ].join("\n\n") + "\n"
