/** The sound of words of ours that are the same in each call, once the voice has spoken them. */

export interface PhraseCache {
  readonly get: (text: string) => Uint8Array | undefined
  readonly set: (text: string, sound: Uint8Array) => void
}

/** Most bytes that are kept: half an hour of telephony. */
const mostBytes = 16 * 1024 * 1024

/** The phrases of each voice and format, as far as they are of those that are kept. The one that was not used for the longest time is forgotten. */
export const make = (): (voice: string, kept: (text: string) => boolean) => PhraseCache => {
  const sounds = new Map<string, Uint8Array>()
  let bytes = 0
  const forget = (key: string) => {
    bytes -= sounds.get(key)?.length ?? 0
    sounds.delete(key)
  }
  return (voice, isKept) => {
    const keyOf = (text: string) => `${voice}\n${text}`
    return {
      get: (text) => {
        const key = keyOf(text)
        const sound = sounds.get(key)
        if (sound === undefined) return undefined
        sounds.delete(key)
        sounds.set(key, sound)
        return sound
      },
      set: (text, sound) => {
        if (!isKept(text)) return
        const key = keyOf(text)
        forget(key)
        sounds.set(key, sound)
        bytes += sound.length
        for (const oldest of sounds.keys()) {
          if (bytes <= mostBytes) break
          forget(oldest)
        }
      }
    }
  }
}
