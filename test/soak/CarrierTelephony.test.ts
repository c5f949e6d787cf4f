import { TelephonyContract } from "@outdial/testkit/contracts"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as CarrierTelephony from "./CarrierTelephony.ts"
import * as CommandedCarrier from "./CommandedCarrier.ts"

/** A port without a listener. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      // As it listens on a port, that is its address.
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const commanded = Layer.unwrap(Effect.gen(function*() {
  const ports = yield* Effect.promise(async () => ({ carrier: await freePort(), callback: await freePort() }))
  const carrier = yield* Effect.acquireRelease(
    Effect.promise(() => CommandedCarrier.start(ports)),
    ({ close }) => Effect.promise(close)
  )
  const timeline = { startedAt: 0, speed: 1 }
  return Layer.merge(
    CarrierTelephony.layer({ timeline, node: "a", carrierPort: ports.carrier, callbackPort: ports.callback }),
    TelephonyContract.Carrier.layerOf(carrier)
  )
}))

TelephonyContract.contract("the soak's carrier", commanded)
