/** A small recording for any player: one tone per turn of a conversation, in a WAV file. */
import type { Recording } from "../recording/Recordings.ts"

const sampleRate = 8000
const secondsPerTurn = 0.25

/** `turns` tones, alternating between two pitches as the speakers do. */
export const sampleAudio = (turns: number): Recording => {
  const samples = Math.floor(turns * secondsPerTurn * sampleRate)
  const bytes = new Uint8Array(44 + samples)
  const view = new DataView(bytes.buffer)
  const text = (at: number, value: string) => bytes.set(new TextEncoder().encode(value), at)
  // The 44-byte header of 8-bit mono PCM (RIFF WAVE).
  text(0, "RIFF")
  view.setUint32(4, 36 + samples, true)
  text(8, "WAVEfmt ")
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate, true)
  view.setUint16(32, 1, true)
  view.setUint16(34, 8, true)
  text(36, "data")
  view.setUint32(40, samples, true)
  for (let n = 0; n < samples; n++) {
    const pitch = Math.floor(n / (secondsPerTurn * sampleRate)) % 2 === 0 ? 330 : 440
    bytes[44 + n] = 128 + Math.round(60 * Math.sin((2 * Math.PI * pitch * n) / sampleRate))
  }
  return { mediaType: "audio/wav", bytes }
}
