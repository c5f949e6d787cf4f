/** An engine whose calls go over several carriers. */
import { CarrierRouter } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { Layer } from "effect"
import * as Instant from "./Instant.ts"
import type * as RecordingCarrier from "./RecordingCarrier.ts"

export type Carrier = ReturnType<typeof RecordingCarrier.make>
export type Routes = NonNullable<CarrierRouter.CarrierRouterOptions<never>["routes"]>

const router = (carriers: ReadonlyArray<Carrier>, routes: Routes = []) =>
  Layer.orDie(CarrierRouter.layer({ carriers: carriers.map(({ layer }) => layer), routes }))

export const engine = (
  carriers: ReadonlyArray<Carrier>,
  routes: Routes = [],
  options: Omit<TestEngine.TestEngineOptions, "telephony"> = {}
) => TestEngine.layer({ ...Instant.options, lines: 100, telephony: router(carriers, routes), ...options })
