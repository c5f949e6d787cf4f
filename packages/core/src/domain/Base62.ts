/** Random text of letters and digits, and its checksum. */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** `length` characters of [0-9A-Za-z], each equally likely. */
export const base62 = Effect.fnUntraced(function*(length: number) {
  const random = yield* SecureRandom.SecureRandom
  let text = ""
  while (text.length < length) {
    // Bytes of 248 and above would favour the first characters, as 248 = 4 × 62.
    for (const byte of yield* random.randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
    }
  }
  return text
})

/** CRC-32 (IEEE 802.3) of ASCII text. */
export const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (const char of text) {
    crc ^= char.charCodeAt(0)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** `value` in base 62, padded with zeros to `length` characters. */
export const encode62 = (value: number, length: number): string => {
  let text = ""
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text
  return text
}
