/**
 * Cuts the words of a language model into sentences as they come, in a form that can be spoken: without markup, notices in brackets and
 * what the model thinks to itself.
 */
import { SpokenText } from "@outdial/core"

export interface Sentences {
  /** The sentences that are complete with these words. */
  readonly push: (delta: string) => ReadonlyArray<string>
  /** What is left at the end. */
  readonly rest: () => ReadonlyArray<string>
}

/** Longest sentence, in characters: twenty seconds of speech. A longer one is cut between words, so that the contact need not wait for it. */
const longest = 300

/** A sentence ends with a mark and a space. Its mark may close what it quotes. Some languages write no spaces; a list has a line for each item. */
const sentenceEnd = /[.!?…؟]+["'”’»)\]]*\s|[。！？][”’」』）]*|\n/gu

/** What has a full stop and ends no sentence: titles and the like, initials, and numbers such as "the 5." in German. */
const noEnd =
  /(?:^|[\s("'“«])(?:\p{L}|\d{1,2}|Mr|Mrs|Ms|Dr|Prof|St|Nr|No|Sr|Sra|Srta|Hr|Fr|bzw|ca|vs|etc|approx|Mme|Mlle|e\.g|i\.e|z\.B|d\.h|p\.ej|a\.m|p\.m)\.$/iu

export const make = (): Sentences => {
  const aside = makeAside()
  let text = ""

  const take = (length: number): ReadonlyArray<string> => {
    const sentence = speakable(text.slice(0, length))
    text = text.slice(length)
    return SpokenText.hasWords(sentence) ? [sentence] : []
  }

  return {
    push: (delta) => {
      const sentences: Array<string> = []
      text += aside.push(delta)
      for (let length = endOf(text); length !== undefined; length = endOf(text)) sentences.push(...take(length))
      return sentences
    },
    rest: () => {
      text += aside.rest()
      return take(text.length)
    }
  }
}

/** The length of the first sentence with its end, if that has come. */
const endOf = (text: string): number | undefined => {
  for (const { 0: mark, index } of text.matchAll(sentenceEnd)) {
    if (index >= longest) break
    if (!mark.startsWith(".") || !noEnd.test(text.slice(Math.max(0, index - 10), index + 1))) return index + mark.length
  }
  return text.length > longest ? cut(text) : undefined
}

/** Between words, else anywhere. */
const cut = (text: string): number => SpokenText.beginning(text, longest).length || longest

/** As words: no notices, links' addresses, list marks, emphasis or pictures, and no markup of speech such as a pause of minutes. */
const speakable = (text: string): string =>
  text
    // What begins with a mark is the use of a tool, which `PromptGuard` notices.
    .replaceAll(/(?<!^\s*)<\/?[a-z][^<>]*>/giu, " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replaceAll(/\[[^\]]*\]/gu, " ")
    .replaceAll(/^[ \t]*(?:[-*•]|\d{1,2}[.)]|#{1,6})[ \t]+/gmu, "")
    .replaceAll(/(?<![\p{L}\p{N}])[*_`~]{1,3}(?=\S)|(?<=\S)[*_`~]{1,3}(?![\p{L}\p{N}])/gu, "")
    .replaceAll(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u200d|\ufe0f/gu, "")
    .replaceAll(/\s+/gu, " ")
    .trim()

const [opens, closes] = ["<think>", "</think>"]

/** Some models begin with what they think, between marks. */
const makeAside = () => {
  let state: "unknown" | "thinking" | "speaking" = "unknown"
  let held = ""
  return {
    push: (delta: string): string => {
      if (state === "speaking") return delta
      held += delta
      if (state === "unknown") {
        held = held.trimStart()
        if (held.length < opens.length && opens.startsWith(held)) return ""
        state = held.startsWith(opens) ? "thinking" : "speaking"
      }
      if (state === "speaking") return held
      const end = held.indexOf(closes)
      if (end < 0) {
        held = opens + held.slice(-closes.length)
        return ""
      }
      state = "speaking"
      return held.slice(end + closes.length)
    },
    /** What may have been the beginning of a mark, and was none. */
    rest: (): string => state === "unknown" ? held : ""
  }
}
