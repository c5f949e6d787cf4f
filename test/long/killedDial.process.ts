/**
 * A node on a Postgres that starts two calls and kills itself at a step of the first dial: `killedDial.process.ts DATABASE_URL CARRIER_URL
 * STEP`. It tells the carrier of each ring by a request.
 */
import { Outdial, Storage } from "@outdial/core"
import { postgres } from "@outdial/sql"
import { Effect, Layer } from "effect"
import { secretKey } from "../support/ServeProcess.ts"
import * as CrashingDial from "../support/CrashingDial.ts"

const [, , url = "", carrierUrl = "", asked = ""] = process.argv
const step = CrashingDial.steps.find((one) => one === asked)
if (step === undefined) throw new Error(`${asked} is no step`)

const crash = {
  step,
  crash: Effect.suspend(() => {
    process.kill(process.pid, "SIGKILL")
    return Effect.never
  })
}
const { storage, ...database } = postgres({ url })
const engine = await Outdial.open({
  ...database,
  storage: Layer.effect(
    Storage.Storage,
    Effect.map(Storage.Storage, (stored) => CrashingDial.storageOf(stored, crash))
  ).pipe(Layer.provide(storage)),
  secretKey,
  lines: 1,
  agents: [{ name: "Ada", script: "Hello", questions: [], dispositions: ["done"] }],
  policy: { callingHours: null },
  telephony: CrashingDial.telephonyOf({
    ring: (callId) => Effect.promise(async () => void await fetch(`${carrierUrl}/${callId}`, { method: "POST" })),
    rangAt: () => undefined
  }, crash)
})
// Both calls are there when the first is dialed.
await engine.pauseAll()
const [agent] = await engine.agents.list()
for (const phoneNumber of ["+14155550100", "+14155550101"]) {
  await engine.calls.start({ agentId: agent?.id ?? "", phoneNumber })
}
await engine.pauseAll(false)
