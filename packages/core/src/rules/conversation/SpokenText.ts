/** Words as they are spoken: where a sentence begins, how much of a text was heard, and where a text may be cut. */

/** Whether the text has a letter or a digit. Lines report noise as empty words or punctuation. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Whether the words ask for an answer. */
export const isQuestion = (text: string): boolean => /[?？؟]["'”»)\s]*$/u.test(text)

/** Characters that a turn counts: at least a second of speech for two words. */
export const countedLength = (text: string): number => Math.max(50, text.length)

const sentenceEnd = /[.!?…。！？؟]+["'”»)\]]*\s+/gu

/** The text from the sentence that was cut at `heard` characters; all that follows when a sentence had just ended. */
export const fromCutSentence = (text: string, heard: number): string => {
  const next = heard + (/^\s*/u.exec(text.slice(heard))?.[0].length ?? 0)
  const starts = Array.from(text.matchAll(sentenceEnd), (match) => match.index + match[0].length)
  return text.slice(starts.findLast((start) => start <= next) ?? 0)
}

/**
 * How many characters of the text were heard, where a line reports the words heard. Lines change case and punctuation. Words that the
 * text does not begin with count as nothing heard.
 */
export const heardLength = (text: string, heard: string): number => {
  const words = heard.trim()
  if (text.startsWith(words)) return words.length
  const letters = Array.from(words.toLowerCase()).filter(hasWords)
  let matched = 0
  let end = 0
  let position = 0
  for (const character of text) {
    const isLetter = hasWords(character)
    if (matched === letters.length && (isLetter || /\s/u.test(character))) break
    if (isLetter && character.toLowerCase() !== letters[matched]) return 0
    position += character.length
    if (isLetter) matched += 1
    if (matched > 0) end = position
  }
  return matched === letters.length ? end : 0
}

/** The beginning of the text, at most `length` characters: whole words if there are any, and never half a character. */
export const beginning = (text: string, length: number): string => {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  const whole = /\s/u.test(text.charAt(length)) ? cut : cut.replace(/\s+\S*$/u, "")
  return whole.replace(/[\uD800-\uDBFF]$/u, "").trimEnd()
}
