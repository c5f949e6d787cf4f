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

/** Of a reply, what its words are found by. */
export interface Words {
  readonly transcript: string
  readonly letters: string
  /** Something of it may not be heard. */
  readonly isCut: boolean
}

/**
 * The place of the text, in whole words. In the answers that are not cut it is the first after what was there before; in others, or where
 * words are repeated, as after an interruption, it is in the latest.
 */
export const find = <Mark extends string, Reply extends Words & Readonly<Record<Mark, number>>>(
  replies: ReadonlyArray<Reply>,
  text: string,
  mark: Mark
): { readonly reply: Reply; readonly passage: Passage } | undefined => {
  const wanted = lettersOf(text)
  if (wanted === "") return undefined
  const place = (reply: Reply, after: number) => {
    const from = wholeWords(reply, wanted, after)
    return from === undefined ? undefined : { reply, passage: { from, to: from + wanted.length } }
  }
  for (const reply of replies) {
    const found = reply.isCut ? undefined : place(reply, reply[mark])
    if (found !== undefined) return found
  }
  for (const reply of replies.toReversed()) {
    const found = place(reply, reply[mark]) ?? place(reply, 0)
    if (found !== undefined) return found
  }
  return undefined
}

/** Scripts without spaces between words. */
const unspaced = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}]/u

/** Where the letters are, from that letter on, so that they begin there or with a word, and end with a word. */
const wholeWords = ({ letters, transcript }: Words, wanted: string, after: number): number | undefined => {
  let end = 0
  const ends = new Set([0, ...wordsOf(transcript).map((word) => end += word.length), letters.length])
  for (let from = letters.indexOf(wanted, after); from >= 0; from = letters.indexOf(wanted, from + 1)) {
    const to = from + wanted.length
    if ((from === after || ends.has(from)) && (ends.has(to) || unspaced.test(letters.charAt(to)))) return from
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
  digits.every(hasDigit) && words.length <= mostWords(digits.join("")) && words.every(isNumberWord)

/** Two words for each digit, as in "one thousand two hundred and thirty-four" for 1234. */
const mostWords = (digits: string): number => 2 * (digits.match(/\p{N}/gu)?.length ?? 0)

/** What words of numbers consist of, in the languages that have phrases: where words are joined, as in German, of several. */
const numberParts = [
  "zero|oh|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thir|fif|eigh|teen|twen|for|ty|hundred|thousand|million|billion|and",
  "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|th|plus|percent|point|double|triple|a",
  "null|eins|ein|eine|zwei|zwan|zwo|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|sech|sieb|zig|ßig|hundert|tausend|million|en|und|prozent|komma",
  "cero|uno|un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci|veinte|veinti|veintiún|veintidós",
  "veintitrés|veintiséis|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|ciento|cientos|cientas|quinientos|setecientos|novecientos",
  "mil|millón|millones|y|más|coma|punto|por",
  "zéro|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|vingts|trente|quarante|cinquante|soixante",
  "septante|huitante|nonante|cent|cents|mille|millions|et|pour|virgule|une",
  "um|uma|dois|duas|três|quatro|sete|oito|nove|dez|doze|treze|quinze|dezesseis|dezasseis|dezessete|dezassete|dezoito|dezenove|dezanove|vinte",
  "trinta|quarenta|cinquenta|sessenta|oitenta|cem|cento|duzentos|trezentos|quatrocentos|quinhentos|seiscentos|setecentos|oitocentos",
  "novecentos|milhão|milhões|e|mais|vírgula|meia",
  // Of signs beside a number.
  "dollar|dollars|euro|euros|pound|pounds|uhr|dólar|dólares|peso|pesos|libra|libras|livre|livres|pfund|real|reais"
].flatMap((parts) => parts.split("|"))

/** A longer word is none. */
const longestNumberWord = 60

const isNumberWord = (word: string): boolean => {
  if (word.length > longestNumberWord) return false
  /** Where a part may begin. */
  const begins = new Set([0])
  for (const at of begins) {
    for (const part of numberParts) if (word.startsWith(part, at)) begins.add(at + part.length)
  }
  return begins.has(word.length)
}

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
