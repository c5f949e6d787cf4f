/** The clinic's configuration with its own users and its own store of recordings: one file per call, in `CLINIC_RECORDINGS`. */
import { Recordings } from "@outdial/core"
import { defineServer } from "@outdial/server/config"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import clinic from "./clinic.config.ts"

const folder = process.env["CLINIC_RECORDINGS"] ?? ""
const fileOf = ({ callId }: Recordings.RecordingKey) => join(folder, `${callId}.wav`)

export default defineServer({
  ...clinic,
  recordings: Recordings.Recordings.layerOf({
    put: async (key, { bytes }) => writeFileSync(fileOf(key), bytes),
    get: async (key) =>
      existsSync(fileOf(key)) ? { mediaType: "audio/wav", bytes: readFileSync(fileOf(key)) } : undefined,
    remove: async (key) => rmSync(fileOf(key), { force: true })
  }),
  authenticate: ({ headers }) => {
    const [accountId, role] = String(headers["x-clinic-user"] ?? "").split(" ")
    if (accountId === undefined || accountId === "") return undefined
    return { accountId, principal: role, scopes: role === "doctor" ? ["calls:read", "calls:write"] : ["calls:read"] }
  },
  requestsPerMinute: 40
})
