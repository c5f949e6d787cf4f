/** The engine on the server's parts: SQL storage, Node's cryptography and time zones. The carrier is an option. */
import {
  CarrierTokens,
  type ConversationRunner,
  Engine,
  OutcomeSource,
  PhoneNumbers,
  type RecordingLinks,
  type Recordings,
  ScriptedAgent,
  SecretBox,
  type Storage,
  type Telephony,
  type TextAgent,
  type TimeZones,
  Tool,
  type VoiceAgent,
  type Wakeups,
  WatchedConversations,
  type WebhookTransport
} from "@outdial/core"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { NodeMac } from "@outdial/node"
import { type FileSystem, Layer } from "effect"
import { hostname } from "node:os"
import { pid } from "node:process"
import * as StorageLayer from "../config/StorageLayer.ts"
import * as TimeZonesFile from "../config/TimeZonesFile.ts"

export interface Options extends Pick<RecordingLinks.RecordingLinkOptions, "publicUrl"> {
  readonly location: StorageLayer.StorageLocation
  readonly secretKeys: SecretBox.SecretKeys
  readonly telephony: Layer.Layer<Telephony.Telephony, unknown, Telephony.CarrierServices>
  /** Default: the scripted agent. */
  readonly textAgent?: Layer.Layer<TextAgent.TextAgent, unknown> | undefined
  /** Default: calls on lines that exchange sound are refused. */
  readonly voiceAgent?: Layer.Layer<VoiceAgent.VoiceAgent, unknown, TextAgent.TextAgent> | undefined
  /** Default: not known here. */
  readonly tools?: ReadonlyArray<Tool.Tool> | undefined
  readonly recordings: Layer.Layer<Recordings.Recordings, unknown>
  readonly transport: Layer.Layer<WebhookTransport.WebhookTransport, unknown>
  /** Called for each entry of the conversations of this process. */
  readonly onEntry?: WatchedConversations.OnEntry
  /** Default: from what the agent noted; `null` for calls whose carrier brings its own transcript. */
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource, unknown> | undefined
}

/** The engine's services over a storage. */
export const layer = (
  {
    onEntry,
    outcomes,
    location,
    publicUrl,
    recordings,
    secretKeys,
    telephony,
    textAgent,
    tools,
    transport,
    voiceAgent
  }: Options
): Layer.Layer<
  | ConversationRunner.ActiveConversations
  | Engine.Services
  | SecretBox.SecretBox
  | Storage.Storage
  | TimeZones.TimeZones
  | Wakeups.Wakeups,
  unknown,
  FileSystem.FileSystem
> =>
  // Operators find a process by this name.
  Engine.layer({ publicUrl, workerName: `${hostname()}:${pid}` }).pipe(
    Layer.provide(telephony),
    Layer.provideMerge(onEntry === undefined ? Engine.layerConversations : WatchedConversations.layer(onEntry)),
    Layer.provide([Engine.layerLineReports, CarrierTokens.CarrierTokens.layer()]),
    Layer.provide(voiceAgent ?? Layer.empty),
    Layer.provide([textAgent ?? ScriptedAgent.layer, tools === undefined ? Layer.empty : Tool.layer(tools)]),
    Layer.provideMerge(StorageLayer.layer(location)),
    Layer.provideMerge(SecretBox.SecretBox.layer(secretKeys)),
    Layer.provide([
      outcomes ?? OutcomeSource.OutcomeSource.layerDefault,
      PhoneNumbers.PhoneNumbers.layer,
      NodeCrypto.layer,
      NodeMac.layer,
      recordings,
      transport
    ]),
    // Before the storage: an invalid file stops the start before anything is opened.
    Layer.provideMerge(TimeZonesFile.layer)
  )
