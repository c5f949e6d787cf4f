/** The engine on the server's parts: SQL storage, Node's cryptography and time zones. The carrier is an option. */
import {
  Engine,
  type LineReports,
  OutcomeSource,
  PhoneNumbers,
  type RecordingLinks,
  type Recordings,
  SecretBox,
  type Storage,
  type Telephony,
  type TimeZones,
  type Wakeups,
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
  readonly telephony: Layer.Layer<Telephony.Telephony, unknown, LineReports.LineReports | Recordings.Recordings>
  readonly recordings: Layer.Layer<Recordings.Recordings, unknown>
  readonly transport: Layer.Layer<WebhookTransport.WebhookTransport, unknown>
  /** Default: sample outcomes for simulated calls, `null` for all others. */
  readonly outcomes?: Layer.Layer<OutcomeSource.OutcomeSource, unknown> | undefined
}

/** The engine's services over a storage. */
export const layer = (
  { outcomes, location, publicUrl, recordings, secretKeys, telephony, transport }: Options
): Layer.Layer<
  Engine.Services | SecretBox.SecretBox | Storage.Storage | TimeZones.TimeZones | Wakeups.Wakeups,
  unknown,
  FileSystem.FileSystem
> =>
  // Operators find a process by this name.
  Engine.layer({ publicUrl, workerName: `${hostname()}:${pid}` }).pipe(
    Layer.provide(telephony.pipe(Layer.provide(Engine.layerLineReports))),
    Layer.provideMerge(StorageLayer.layer(location)),
    Layer.provideMerge(SecretBox.SecretBox.layer(secretKeys)),
    Layer.provide([
      outcomes ?? OutcomeSource.OutcomeSource.layerSample,
      PhoneNumbers.PhoneNumbers.layer,
      NodeCrypto.layer,
      NodeMac.layer,
      recordings,
      transport
    ]),
    // Before the storage: an invalid file stops the start before anything is opened.
    Layer.provideMerge(TimeZonesFile.layer)
  )
