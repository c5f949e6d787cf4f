/**
 * What the server says in English, in the language of the page: problems of fields, errors, notes of presets. The English sentence is the key of
 * its translation, with `{0}`, `{1}` for the values in it, and `{#0}` for one that is a number. A sentence that the page does not know stays as the server wrote it.
 */
import { useCallback } from "react"
import { type Texts, useTexts } from "./Language.tsx"

type Sentences = Texts["server"]["sentences"]

interface Pattern {
  readonly english: RegExp
  readonly translated: string
}

const patternsOf = new WeakMap<Sentences, ReadonlyArray<Pattern>>()

const patterns = (sentences: Sentences): ReadonlyArray<Pattern> => {
  const known = patternsOf.get(sentences)
  if (known !== undefined) return known
  // The longest first: a short pattern, such as `must be {0} to {1}`, also fits longer sentences.
  const longestFirst = Object.entries(sentences).sort(([one], [other]) => other.length - one.length)
  const made = longestFirst.flatMap(([english, translated]) => {
    const source = escaped(english).replaceAll(
      /\\\{(#?)\d\\\}/g,
      (_, number: string) => number === "" ? "(.+?)" : "([\\d.,]+)"
    )
    return source === escaped(english) ? [] : [{ english: new RegExp(`^${source}$`, "u"), translated }]
  })
  patternsOf.set(sentences, made)
  return made
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const translated = (text: string, sentences: Sentences): string | undefined => {
  if (Object.hasOwn(sentences, text)) return sentences[text]
  for (const { english, translated } of patterns(sentences)) {
    const match = english.exec(text)
    if (match !== null) return translated.replaceAll(/\{(\d)\}/g, (_, place: string) => match[Number(place) + 1] ?? "")
  }
  return undefined
}

/** The name of a field, with which messages of requests begin: `phone_number is required`, `calling_hours/mon: must be a list`. */
const named = /^([\w./"-]+:? )(.+)$/u

/** Each line of the text. */
export const serverText = (text: string, { server: { sentences } }: Pick<Texts, "server">): string =>
  text.split("\n").map((line) => {
    const whole = translated(line, sentences)
    if (whole !== undefined) return whole
    const [, name = "", rest = ""] = named.exec(line) ?? []
    const known = translated(rest, sentences)
    return known === undefined ? line : name + known
  }).join("\n")

export const useServerText = (): (text: string) => string => {
  const texts = useTexts()
  return useCallback((text: string) => serverText(text, texts), [texts])
}
