import { assert, describe, it } from "@effect/vitest"
import { AudioFormat, Samples, TextToSpeech, Wav } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { TextToSpeechContract } from "@outdial/testkit/contracts"
import { Deferred, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CommandVoice } from "../../src/index.ts"

/** A program that speaks 20 ms of a tone for each character, in 22,050 samples a second as espeak-ng does, and writes down its arguments. */
const program = (folder: string) => {
  const path = join(folder, "speak.mjs")
  const tone = Tones.samples({ hertz: 450, millis: 20, sampleRate: 22_050 })
  // Programs that write to a pipe do not know the length.
  const header = Wav.header({ bytes: 0x7fff_0000, channels: 1, sampleRate: 22_050 })
  writeFileSync(
    path,
    `import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
const text = readFileSync(0, "utf8")
writeFileSync(${JSON.stringify(join(folder, "arguments"))}, JSON.stringify([...process.argv.slice(2), text]))
const child = text.startsWith("hang") ? spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]) : undefined
writeFileSync(${JSON.stringify(join(folder, "pids"))}, JSON.stringify([process.pid, child?.pid]))
if (text.startsWith("fail")) process.exit(3)
if (text.startsWith("noise")) { console.log("This is no sound, but the usage of the program."); process.exit() }
process.stdout.write(Buffer.from("${Buffer.from(header).toString("base64")}", "base64"))
const tone = Buffer.from("${Buffer.from(Samples.toLittleEndian(tone)).toString("base64")}", "base64")
for (const _ of text.trim()) process.stdout.write(tone)
if (text.startsWith("hang")) setInterval(() => undefined, 1000)
`
  )
  return [process.execPath, path] as const
}

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "voice-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const opened = Effect.fnUntraced(
  function*(options: Partial<TextToSpeech.VoiceOptions> = {}, ...more: ReadonlyArray<string>) {
    const path = yield* folder
    const { open } = yield* TextToSpeech.TextToSpeech.pipe(
      Effect.provide(CommandVoice.layer({ command: [...program(path), ...more] }), { local: true })
    )
    const { speak } = yield* open({ format: "mulaw", ...options })
    return { path, speak }
  }
)

const inFolder = Layer.unwrap(Effect.map(folder, (path) => CommandVoice.layer({ command: program(path) })))

TextToSpeechContract.contract("a command", inFolder, CommandVoice.layer({ command: ["/nowhere/espeak-ng"] }))

describe("a voice by a command", () => {
  for (const format of ["mulaw", "alaw", "pcm16"] as const) {
    it.live(`speaks in ${format}, one text after the other`, () =>
      Effect.gen(function*() {
        const { speak } = yield* opened({ format })
        for (const text of ["Hello, this is Ada.", "Goodbye."]) {
          const sound = Samples.samplesOf(format, Buffer.concat(yield* Stream.runCollect(speak(text))))
          const rate = AudioFormat.sampleRate(format)
          assert.closeTo((sound.length / rate) * 1_000, text.length * 20, 20)
          assert.isAbove(Tones.share(sound, rate, 450), 0.9)
        }
      }))
  }

  it.live(
    "gives the text on standard input, and the language and the voice as arguments that are no options",
    () =>
      Effect.gen(function*() {
        const argumentsOf = Effect.fnUntraced(function*(options: Partial<TextToSpeech.VoiceOptions>) {
          const { path, speak } = yield* opened(options, "-v", "{voice}", "--lang={language}")
          yield* Stream.runDrain(speak("-f /etc/passwd"))
          return JSON.parse(readFileSync(join(path, "arguments"), "utf8"))
        })
        const text = "-f /etc/passwd\n"
        assert.deepStrictEqual(yield* argumentsOf({}), ["-v", "en", "--lang=en", text])
        assert.deepStrictEqual(yield* argumentsOf({ language: "en-GB", voice: "mb-en1" }), [
          "-v",
          "mb-en1",
          "--lang=en-gb",
          text
        ])
        assert.deepStrictEqual(yield* argumentsOf({ voice: "--path=/etc" }), ["-v", "en", "--lang=en", text])
      }),
    120_000
  )

  const failures = [["fail", "ended with 3"], ["noise", "does not write a WAV file"]] as const
  for (const [text, message] of failures) {
    it.live(`fails when the program does not speak: ${text}`, () =>
      Effect.gen(function*() {
        const { speak } = yield* opened()
        const error = yield* Effect.flip(Stream.runDrain(speak(text)))
        assert.include(error.message, message)
      }))
  }

  it.live("fails when there is no such program", () =>
    Effect.gen(function*() {
      const { open } = yield* TextToSpeech.TextToSpeech
      const { speak } = yield* open({ format: "mulaw" })
      assert.include((yield* Effect.flip(Stream.runDrain(speak("Hello.")))).message, "ENOENT")
    }).pipe(Effect.provide(CommandVoice.layer({ command: ["/nowhere/espeak-ng"] }))))

  it.live("fails when the program cannot be started", () =>
    Effect.gen(function*() {
      const { open } = yield* TextToSpeech.TextToSpeech
      const { speak } = yield* open({ format: "mulaw" })
      assert.include((yield* Effect.flip(Stream.runDrain(speak("Hello.")))).message, "null bytes")
    }).pipe(Effect.provide(CommandVoice.layer({ command: ["espeak\0-ng"] }))))

  it.live("ends the program, and what it has started, when it is interrupted", () =>
    Effect.gen(function*() {
      const { path, speak } = yield* opened()
      const isHeard = yield* Deferred.make<void>()
      const speaking = yield* Effect.forkChild(
        Stream.runForEach(speak("hang ".repeat(20)), () => Deferred.succeed(isHeard, undefined))
      )
      yield* Deferred.await(isHeard)
      const pids: ReadonlyArray<number> = JSON.parse(readFileSync(join(path, "pids"), "utf8"))
      assert.lengthOf(pids, 2)
      assert.isTrue(pids.every(isAlive))
      yield* Fiber.interrupt(speaking)
      yield* Effect.sync(() => pids.some(isAlive)).pipe(
        Effect.repeat({ schedule: Schedule.spaced("20 millis"), while: (is) => is })
      )
    }))
})

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
