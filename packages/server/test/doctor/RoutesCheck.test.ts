import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { CarrierRouter, PlanData } from "@outdial/core"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import * as Config from "../../src/config/Config.ts"
import type { ServerConfig } from "../../src/config/ServerConfig.ts"
import * as RoutesCheck from "../../src/doctor/RoutesCheck.ts"

const routing = { carriers: ["a", "b"], routes: [{ carrier: "b", countries: ["DE"] }] }

/** What is found of a server that plans by these routes, with this configuration. */
const found = Effect.fnUntraced(function*(
  running: string | undefined,
  { carriers = "", ...module }: ServerConfig & { readonly carriers?: string }
) {
  const config = yield* Config.serve.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({ OUTDIAL_CARRIER: carriers }))
  )
  const planData = PlanData.make({ timeZones: "2026a", ...(running !== undefined && { routes: running }) })
  const findings = yield* RoutesCheck.findings(module, config, Option.some(planData))
  return findings.map(({ check, level, message }) => `${level} ${check} ${message.split(/[:.]/)[0]}`)
}, Effect.provide(NodeServices.layer))

it.effect("The routes of a configuration are a warning when the running servers have others", () =>
  Effect.gen(function*() {
    const theirs = CarrierRouter.versionOf(yield* CarrierRouter.routingOf(routing))
    const two = CarrierRouter.versionOf(yield* CarrierRouter.routingOf({ carriers: ["twilio", "telnyx"] }))
    const none = "warning routes The running servers have routes, and this configuration has none"
    const some = "warning routes The running servers have no routes, and this configuration has some"
    const others = "warning routes The running servers plan calls by other routes than those of this configuration"
    assert.deepStrictEqual([yield* found(theirs, { routing }), yield* found(undefined, { routing })], [[], [some]])
    assert.deepStrictEqual(yield* found(theirs, { routing: { ...routing, routes: [] } }), [others])
    assert.deepStrictEqual(yield* found(two, { carriers: "twilio,telnyx" }), [])
    assert.deepStrictEqual(yield* found(two, { carriers: "telnyx,twilio" }), [others])
    assert.deepStrictEqual(
      [yield* found(two, { carriers: "twilio" }), yield* found(undefined, { carriers: "twilio" })],
      [
        [none],
        []
      ]
    )
    // What is not known is no finding: the routes of a module's own carrier, and those of no configuration.
    assert.deepStrictEqual([yield* found(theirs, { telephony: Layer.empty as never }), yield* found(theirs, {})], [
      [],
      []
    ])
  }))
