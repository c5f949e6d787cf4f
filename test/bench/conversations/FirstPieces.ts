/** When the first piece of a model's answer has arrived, by the contact's words that it answers. */
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"

/** What tells the contact's words apart from all others, as `words` of the frames makes them. */
const keyOf = (text: string) => text.match(/number \d+\.\d+/g)?.at(-1)

export const makeUnsafe = () => {
  const arrived = new Map<string, number>()
  return {
    /** The same model, whose first pieces are noted. */
    noting: (model: LanguageModelV4): LanguageModelV4 =>
      Object.assign(Object.create(model) as LanguageModelV4, {
        doStream: async (request: Parameters<LanguageModelV4["doStream"]>[0]) => {
          const key = keyOf(JSON.stringify(request.prompt.at(-1)))
          const { stream, ...result } = await model.doStream(request)
          let isFirst = key !== undefined
          const noted = new TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart>({
            transform: (part, controller) => {
              if (isFirst && key !== undefined && part.type === "text-delta") {
                isFirst = false
                arrived.set(key, performance.now())
              }
              controller.enqueue(part)
            }
          })
          return { ...result, stream: stream.pipeThrough(noted) }
        }
      }),
    /** Milliseconds since the first piece of the answer to these words, for its first words; none for what is said besides. */
    since: (words: string): number | undefined => {
      const key = keyOf(words)
      const at = key === undefined ? undefined : arrived.get(key)
      if (key === undefined || at === undefined) return undefined
      arrived.delete(key)
      return performance.now() - at
    }
  }
}
