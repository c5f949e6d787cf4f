/**
 * Where in the sound of a reply its words are. The service gives the words and the sound apart from each other, and the words first: a word is
 * where its share of the letters is. Until the sound is whole, only as much counts as was certainly spoken with the words before.
 */

/** The letters of a text, by which what was said is compared: case, punctuation and spaces are not heard. */
export const lettersOf = (text: string): string =>
  Array.from(text.normalize("NFKC").toLowerCase()).filter((character) => /[\p{L}\p{N}]/u.test(character)).join("")

/** Even a fast speaker takes as long for a letter, in milliseconds: 17 letters a second. */
const leastPerLetter = 60

/** A usual speaker: 150 words a minute. */
const usualPerLetter = 85

/** From a letter to another, which it does not have. */
export interface Passage {
  readonly from: number
  readonly to: number
}

export interface Sound {
  /** How much there is of it. */
  readonly millis: number
  readonly isWhole: boolean
  /** Of all words so far. */
  readonly letters: number
}

/** Where the letter begins, in milliseconds. */
export const millisAt = ({ isWhole, letters, millis }: Sound, letter: number): number => {
  if (letter <= 0) return 0
  if (isWhole) return letter >= letters ? millis : Math.round(millis * letter / letters)
  return Math.min(millis, letter * leastPerLetter)
}

/** Where the letter begins if it is spoken at the usual speed, in milliseconds. */
export const usualMillisAt = (letter: number): number => letter * usualPerLetter

/** How many letters are spoken in that time, at the usual speed. */
export const lettersIn = (millis: number): number => Math.floor(millis / usualPerLetter)

/** The place of the text in the answers: the first after what was there before, or else the latest. */
export const find = <Mark extends string, Reply extends { readonly letters: string } & Readonly<Record<Mark, number>>>(
  replies: ReadonlyArray<Reply>,
  text: string,
  mark: Mark
): { readonly reply: Reply; readonly passage: Passage } | undefined => {
  const wanted = lettersOf(text)
  if (wanted === "") return undefined
  const at = (reply: Reply, from: number) => ({ reply, passage: { from, to: from + wanted.length } })
  for (const reply of replies) {
    const from = reply.letters.indexOf(wanted, reply[mark])
    if (from >= 0) return at(reply, from)
  }
  for (const reply of replies.toReversed()) {
    const from = reply.letters.indexOf(wanted)
    if (from >= 0) return at(reply, from)
  }
  return undefined
}

/** Whether the text is what was said, as a transcript writes it: numbers may be written in another way, and words joined or not. */
export const isSaid = (text: string, transcript: string): boolean => {
  const [wanted, said] = [wordsOf(text), wordsOf(transcript)]
  let [one, other] = [0, 0]
  while (one < wanted.length || other < said.length) {
    const length = sameAfter(wanted.slice(one), said.slice(other))
    if (length === undefined) return false
    one += length.one
    other += length.other
  }
  return true
}

/** Most words of a number, such as a telephone number that is read out. */
const longestNumber = 16

/** How many words of each say the same. */
const sameAfter = (wanted: ReadonlyArray<string>, said: ReadonlyArray<string>) => {
  for (let sum = 2; sum <= 2 * longestNumber; sum++) {
    for (let one = Math.max(1, sum - longestNumber); one <= Math.min(sum - 1, longestNumber); one++) {
      const other = sum - one
      if (one > wanted.length || other > said.length) continue
      const [first, second] = [wanted.slice(0, one), said.slice(0, other)]
      if (first.join("") === second.join("")) return { one, other }
      const isEnd = one === wanted.length ? other === said.length : wanted[one] === said[other]
      if (isEnd && (isNumber(first, second) || isNumber(second, first))) return { one, other }
    }
  }
  return undefined
}

const hasDigit = (word: string): boolean => /\p{N}/u.test(word)

/** Whether the words are digits, and the others may be what they are in words. */
const isNumber = (digits: ReadonlyArray<string>, words: ReadonlyArray<string>): boolean =>
  digits.every(hasDigit) && !words.some(hasDigit)

const wordsOf = (text: string): ReadonlyArray<string> =>
  text.split(/[^\p{L}\p{N}'’]+/u).map(lettersOf).filter((word) => word !== "")

/** The text from the word with this letter on. */
export const fromLetter = (text: string, letter: number): string => {
  let letters = 0
  for (const { 0: word, index } of text.matchAll(/\S+\s*/gu)) {
    letters += lettersOf(word).length
    if (letters > letter) return text.slice(index)
  }
  return ""
}
