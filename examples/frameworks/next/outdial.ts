import { Outdial, SimulatedTelephony } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { postgres } from "@outdial/sql"

const { DATABASE_URL = "", OUTDIAL_SECRET_KEY = "" } = process.env

const open = async () => {
  const engine = await Outdial.open({
    ...postgres({ url: DATABASE_URL }),
    telephony: SimulatedTelephony.layer(), // Replace it by your carrier to ring real phones.
    secretKey: OUTDIAL_SECRET_KEY,
    agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
  })
  return { engine, handler: await WebHandler.over(engine, { basePath: "/api" }) }
}

// `next dev` reloads this module after a change. `globalThis` survives the reload and keeps the one engine.
const kept: typeof globalThis & { outdial?: ReturnType<typeof open> } = globalThis

/** Opens the engine on first use, as `next build` loads this module, too. The next use repeats a failed attempt. */
export const outdial = () =>
  kept.outdial ??= open().catch((error: unknown) => {
    delete kept.outdial
    throw error
  })
