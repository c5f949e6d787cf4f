import { TelephonyContract } from "@outdial/testkit/contracts"
import { Layer } from "effect"
import { afterAll } from "vitest"
import { startCarrier } from "./carrier.ts"
import { ourTelephony } from "./telephony.ts"

const carrier = await startCarrier()
afterAll(carrier.close)

const farEnd = TelephonyContract.Carrier.layerOf(carrier)
TelephonyContract.contract("our carrier", Layer.merge(ourTelephony(carrier.url), farEnd))
