/**
 * Storage in the memory of one process: the reference for every other implementation, and what tests run on. Each method
 * is one synchronous step, hence atomic; nothing outlives the layer.
 */
import { Layer } from "effect"
import * as Delivering from "./memory/Delivering.ts"
import * as Dispatching from "./memory/Dispatching.ts"
import * as Counting from "./memory/Counting.ts"
import * as Due from "./memory/Due.ts"
import * as Erasing from "./memory/Erasing.ts"
import * as HangingUp from "./memory/HangingUp.ts"
import * as Keeping from "./memory/Keeping.ts"
import * as Observing from "./memory/Observing.ts"
import * as Outcomes from "./memory/Outcomes.ts"
import * as Retaining from "./memory/Retaining.ts"
import * as Ruling from "./memory/Ruling.ts"
import * as Sending from "./memory/Sending.ts"
import * as SettingBack from "./memory/SettingBack.ts"
import * as Starting from "./memory/Starting.ts"
import * as Subscribing from "./memory/Subscribing.ts"
import * as Workers from "./memory/Workers.ts"
import type { Database } from "./memory/Tables.ts"
import { Storage } from "./Storage.ts"

export const layer: Layer.Layer<Storage> = Layer.sync(Storage, () => {
  const db: Database = {
    accounts: new Map(),
    apiKeys: new Map(),
    deploymentPaused: false,
    timeZones: undefined,
    workers: new Map()
  }
  return {
    outlivesProcess: false,
    ...Keeping.methods(db),
    ...Ruling.methods(db),
    ...Starting.methods(db),
    ...Due.methods(db),
    ...Observing.methods(db),
    ...Dispatching.methods(db),
    ...Outcomes.methods(db),
    ...Delivering.methods(db),
    ...Sending.methods(db),
    ...Subscribing.methods(db),
    ...HangingUp.methods(db),
    ...Counting.methods(db),
    ...Retaining.methods(db),
    ...Erasing.methods(db),
    ...Workers.methods(db),
    ...SettingBack.methods(db)
  }
})
