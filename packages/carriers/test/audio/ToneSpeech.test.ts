/** The services of tones keep the contracts of real ones. */
import { SpeechToText } from "@outdial/core"
import { Tones } from "@outdial/testkit"
import { SpeechToTextContract, TextToSpeechContract } from "@outdial/testkit/contracts"
import { Effect, Layer, Stream } from "effect"
import * as ToneSpeech from "./ToneSpeech.ts"

TextToSpeechContract.contract("tones", ToneSpeech.voiceAt(10))

const says = (hertz: number, text: string): SpeechToTextContract.Utterance => ({
  text,
  audio: (format) => Tones.tone({ format, hertz, millis: 300 })
})

SpeechToTextContract.contract("tones", {
  pace: 0,
  layer: ToneSpeech.recognition({ 300: "Yes, I will.", 400: "Goodbye." }),
  says: [says(300, "Yes, I will."), says(400, "Goodbye.")],
  fails: Layer.succeed(SpeechToText.SpeechToText, {
    open: () =>
      Effect.succeed({
        hear: () => Effect.void,
        events: Stream.fail(new SpeechToText.SpeechFailed({ cause: new Error("no credit") }))
      })
  })
})
