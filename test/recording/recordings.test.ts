import { Recordings } from "@outdial/core"
import { FileRecordings } from "@outdial/node"
import { RecordingsContract } from "@outdial/testkit/contracts"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const inFolder = Layer.unwrap(Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "recordings-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true }))
  ),
  (directory) => FileRecordings.layer({ directory })
))

RecordingsContract.contract("memory", Recordings.Recordings.layerMemory)
RecordingsContract.contract("folder", inFolder)

const kept = new Map<string, Recordings.Recording>()
RecordingsContract.contract(
  "plain functions",
  Recordings.Recordings.layerOf({
    put: async ({ accountId, callId }, recording) => void kept.set(`${accountId}/${callId}`, recording),
    remove: async ({ accountId, callId }) => void kept.delete(`${accountId}/${callId}`),
    get: async ({ accountId, callId }) => kept.get(`${accountId}/${callId}`)
  })
)

const received = new Map<string, Recordings.Recording>()
RecordingsContract.contract(
  "plain functions that take streams",
  Recordings.Recordings.layerOf({
    put: async ({ accountId, callId }, recording) => void received.set(`${accountId}/${callId}`, recording),
    putStream: async ({ accountId, callId }, { bytes, length, mediaType }) => {
      const read = new Uint8Array(await new Response(bytes).arrayBuffer())
      if (read.length !== length) throw new Error("The recording is not complete")
      received.set(`${accountId}/${callId}`, { mediaType, bytes: read })
    },
    remove: async ({ accountId, callId }) => void received.delete(`${accountId}/${callId}`),
    get: async ({ accountId, callId }) => received.get(`${accountId}/${callId}`)
  })
)
