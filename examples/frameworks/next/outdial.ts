import { Outdial, SimulatedTelephony } from "@outdial/core"
import { WebHandler } from "@outdial/http"
import { postgres } from "@outdial/sql"

const { DATABASE_URL = "", OUTDIAL_SECRET_KEY = "" } = process.env

const open = async () => {
  const engine = await Outdial.open({
    ...postgres({ url: DATABASE_URL }),
    telephony: SimulatedTelephony.layer(), // Your carrier, when phones are to ring.
    secretKey: OUTDIAL_SECRET_KEY,
    agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
  })
  return { engine, handler: await WebHandler.over(engine, { basePath: "/api" }) }
}

// `next dev` loads this module anew after a change; what `globalThis` holds stays, and with it the one engine.
const kept: typeof globalThis & { outdial?: ReturnType<typeof open> } = globalThis

/** Opened when first asked for: `next build` loads this module as well. What could not be opened is tried again. */
export const outdial = () =>
  kept.outdial ??= open().catch((error: unknown) => {
    delete kept.outdial
    throw error
  })
