/**
 * Speech by a program on the same machine, such as espeak-ng: it reads a text and writes a WAV file. No shell is involved, and no text of a
 * call is in the arguments, which other users of the machine can see.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { type AudioFormat, OptionNames, TextToSpeech, WavConversion } from "@outdial/core"
import { Deferred, Effect, Layer, Stream } from "effect"

export interface CommandVoiceOptions {
  /**
   * The program and its arguments. It reads the text from its standard input and writes a WAV file to its standard output, as it is spoken:
   * `["espeak-ng", "--stdin", "--stdout", "-v", "{language}"]`. In arguments, `{language}` is the agent's language in lower case, such as
   * `en-us`, or else `en`, and `{voice}` is the agent's voice, or else the language.
   */
  readonly command: readonly [program: string, ...arguments_: ReadonlyArray<string>]
}

export const layer = (options: CommandVoiceOptions): Layer.Layer<TextToSpeech.TextToSpeech> =>
  Layer.sync(TextToSpeech.TextToSpeech, () => {
    OptionNames.checkUnsafe(options, { command: true })
    return {
      open: ({ format, language, voice }) => {
        const tag = named(language?.toLowerCase()) ?? "en"
        const fill = (argument: string) =>
          argument.replaceAll("{language}", tag).replaceAll("{voice}", named(voice) ?? tag)
        const [program, ...arguments_] = options.command
        const filled = arguments_.map(fill)
        return Effect.succeed({ speak: (text: string) => spoken({ program, arguments: filled, format, text }) })
      }
    }
  })

/** A name that cannot be taken for an option or a path. */
const named = (name: string | undefined): string | undefined =>
  name !== undefined && /^[\p{L}\p{N}][\p{L}\p{N}+_.-]{0,63}$/u.test(name) ? name : undefined

const spoken = ({ arguments: arguments_, format, program, text }: {
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  readonly format: AudioFormat.AudioFormat
  readonly text: string
}): Stream.Stream<Uint8Array, TextToSpeech.SpeechFailed> =>
  Stream.unwrap(Effect.gen(function*() {
    const ended = Deferred.makeUnsafe<void, TextToSpeech.SpeechFailed>()
    const child = yield* Effect.acquireRelease(
      // Node throws for arguments that it does not take, and has no pipes when the process has too many open files.
      Effect.try({
        try: () => {
          // With a process group of its own, so that what it has started ends with it.
          const child = spawn(program, arguments_, { stdio: ["pipe", "pipe", "ignore"], detached: true })
          child.on(
            "error",
            (cause) => Deferred.doneUnsafe(ended, Effect.fail(new TextToSpeech.SpeechFailed({ cause })))
          )
          child.on("close", (code, signal) =>
            Deferred.doneUnsafe(
              ended,
              code === 0 ? Effect.void : Effect.fail(failed(`${program} ended with ${code ?? signal}`))
            ))
          // It may end before it has read everything.
          child.stdin.on("error", () => undefined)
          child.stdin.end(`${text}\n`)
          return child
        },
        catch: (cause) => new TextToSpeech.SpeechFailed({ cause })
      }),
      (child) => Effect.sync(() => Deferred.isDoneUnsafe(ended) ? undefined : endGroup(child))
    )
    const conversion = WavConversion.make(format)
    return Stream.fromAsyncIterable<Uint8Array, TextToSpeech.SpeechFailed>(
      child.stdout,
      (cause) => new TextToSpeech.SpeechFailed({ cause })
    ).pipe(
      Stream.mapEffect((bytes) => {
        const converted = conversion.push(bytes)
        return converted === "unknown"
          ? Effect.fail(failed(`${program} does not write a WAV file of 16 bits, mu-law or A-law at a usual rate`))
          : Effect.succeed<Uint8Array>(converted)
      }),
      Stream.concat(Stream.fromEffect(
        Effect.as(Deferred.await(ended), conversion).pipe(
          Effect.map((done): Uint8Array => done.end())
        )
      )),
      Stream.filter(({ length }) => length > 0)
    )
  }))

/** Ends the program and what it has started. */
const endGroup = (child: ChildProcess): void => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch {
    // There is no such group, or the system knows none.
    child.kill("SIGKILL")
  }
}

const failed = (message: string) => new TextToSpeech.SpeechFailed({ cause: new Error(message) })
