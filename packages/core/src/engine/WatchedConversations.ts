/** The engine's conversations, with a view of their logs as they are written: to print them, for example. */
import { Effect, Layer, Option } from "effect"
import type { Entry } from "../domain/Conversation.ts"
import * as ConversationRunner from "../conversation/ConversationRunner.ts"
import type { Conversations } from "../conversation/Conversations.ts"
import { type Acquired, type AppendOptions, ConversationStore } from "../conversation/ConversationStore.ts"
import type { TextAgent } from "../conversation/TextAgent.ts"
import type { Wakeups } from "../loop/Wakeups.ts"
import { layerStores, type Storage } from "./Storage.ts"

/** Called for each entry of a conversation of this process, in order, once it is stored. */
export type OnEntry = (held: Acquired, entry: Entry) => Effect.Effect<void>

/** As `Engine.layerConversations`. */
export const layer = (
  onEntry: OnEntry
): Layer.Layer<
  Conversations | ConversationRunner.ActiveConversations,
  never,
  Storage | TextAgent | Wakeups
> => ConversationRunner.layer.pipe(Layer.provide(watched(onEntry)), Layer.provide(layerStores))

const watched = (onEntry: OnEntry) =>
  Layer.effect(
    ConversationStore,
    Effect.map(ConversationStore, (store) => {
      const held = new Map<string, Acquired>()
      const stored = Effect.fnUntraced(function*({ callId, entries }: AppendOptions) {
        const conversation = held.get(callId)
        if (conversation === undefined) return
        for (const entry of entries) yield* onEntry(conversation, entry)
      })
      return {
        ...store,
        acquire: (options) =>
          Effect.tap(store.acquire(options), (acquired) =>
            Effect.sync(() => {
              if (Option.isSome(acquired)) held.set(options.callId, acquired.value)
            })),
        append: (options) =>
          Effect.tap(store.append(options), (appended) =>
            Effect.forEach(options.logs.filter((_, index) => appended[index]), stored, { discard: true })),
        seal: (options) =>
          Effect.tap(store.seal(options), () => Effect.sync(() => held.delete(options.callId)))
      }
    })
  )
