/** Memory whose conversations can be read after they are sealed: their logs are gone by then. */
import { type Conversation, MemoryStorage, Storage } from "@outdial/core"
import { Effect, Layer } from "effect"

/** Puts the entries of all logs into the list, in the order in which they are stored. */
export const recording = (entries: Array<Conversation.Entry>) =>
  Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (storage) => ({
      ...storage,
      conversations: {
        ...storage.conversations,
        append: (options) =>
          Effect.tap(storage.conversations.append(options), () =>
            Effect.sync(() => options.logs.forEach((log) => entries.push(...log.entries))))
      }
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
