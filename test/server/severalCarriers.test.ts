/** The settings and the module of docs/guides/several-carriers.md, over fakes of the carriers: real HTTP and real sockets. */
import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { PhoneNumber } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { FakeTelnyx } from "@outdial/testkit/fake-telnyx"
import { FakeTwilio } from "@outdial/testkit/fake-twilio"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Config from "../../packages/server/src/config/Config.ts"
import * as CarrierCheck from "../../packages/server/src/doctor/CarrierCheck.ts"
import * as ConfiguredCarrier from "../../packages/server/src/serve/ConfiguredCarrier.ts"
import type { ServerConfig } from "../../packages/server/src/config/ServerConfig.ts"
import * as CommandLine from "../../packages/server/test/cli/CommandLine.ts"
import * as CarrierGuide from "../support/CarrierGuide.ts"
import * as DevProcess from "../support/DevProcess.ts"
import * as DocumentBlocks from "../support/DocumentBlocks.ts"
import * as CarrierEngine from "../telephony/fake/CarrierEngine.ts"
import * as CarrierServices from "../telephony/fake/CarrierServices.ts"
import * as CheckedTwilio from "../telephony/twilio/CheckedTwilio.ts"

const guide = "docs/guides/several-carriers.md"

/** The settings of the guide, for the fakes, with the routes of the guide or others. */
const settings = Effect.fnUntraced(function*(routes = DocumentBlocks.find(guide, "failover")) {
  const twilio = yield* FakeTwilio.FakeTwilio
  const telnyx = yield* FakeTelnyx.FakeTelnyx
  const file = join(yield* DevProcess.folder, "routes.json")
  yield* Effect.promise(() => writeFile(file, routes))
  return CarrierGuide.settings(guide, "OUTDIAL_CARRIER=twilio,telnyx", {
    OUTDIAL_ROUTES: file,
    TWILIO_ACCOUNT_SID: twilio.accountSid,
    TWILIO_AUTH_TOKEN: twilio.authToken,
    TWILIO_API_URL: twilio.url,
    TWILIO_CALLS_PER_SECOND: "1000",
    TELNYX_API_KEY: telnyx.apiKey,
    TELNYX_CONNECTION_ID: telnyx.connectionId,
    TELNYX_PUBLIC_KEY: telnyx.publicKey,
    TELNYX_API_URL: telnyx.url
  })
})

const configOf = (variables: Readonly<Record<string, string>>) =>
  Config.serve.pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)))

/** What `outdial serve` calls over with these variables. */
const carriersOf = (variables: Readonly<Record<string, string>>) =>
  Effect.flatMap(configOf(variables), (config) => ConfiguredCarrier.telephonyOf({}, config)).pipe(
    Effect.provide(NodeServices.layer)
  )

const refusal = (variables: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(carriersOf(variables)), ({ message }) => message)

const fakes = Layer.merge(
  CheckedTwilio.layer({ callerIds: ["+14155550100"] }),
  FakeTelnyx.FakeTelnyx.layer({ callerIds: ["+14155550100"] })
)

describe("OUTDIAL_CARRIER=twilio,telnyx", () => {
  it.live("calls over both by the routes of OUTDIAL_ROUTES", () =>
    Effect.gen(function*() {
      const variables = yield* settings()
      const host = yield* CarrierEngine.openWith((publicUrl) =>
        carriersOf({ ...variables, OUTDIAL_PUBLIC_URL: publicUrl })
      )
      for (const number of ["+4930123451", "+14155550101"]) yield* CarrierEngine.start(host, number)
      const telnyx = yield* FakeTelnyx.FakeTelnyx
      const twilio = yield* FakeTwilio.FakeTwilio
      const heard = yield* CarrierEngine.eventually(() => {
        const calls = [telnyx, twilio].map(({ calls }) => calls.filter(({ words }) => words.length > 0))
        return calls.every(({ length }) => length > 0) ? calls.map((all) => all.map(({ to }) => to)) : undefined
      })
      assert.deepStrictEqual(heard, [["+4930123451"], ["+14155550101"]])
    }).pipe(Effect.provide(fakes), Effect.scoped))

  const german = PhoneNumber.PhoneNumber.make("+493012345678")
  const theirFakes = Layer.merge(
    CheckedTwilio.layer({ callerIds: ["+14155550100"] }),
    FakeTelnyx.FakeTelnyx.layer({ callerIds: ["+14155550100", german] })
  )

  it.live(
    "is checked by outdial doctor, each carrier by itself, and the numbers of agents by their routes",
    () =>
      Effect.gen(function*() {
        const agents = [{ id: Factories.agentId(), callerId: german }]
        const accounts = [{ id: Factories.accountId(), lines: 5, agents }]
        const check = (variables: Readonly<Record<string, string>>) =>
          Effect.flatMap(configOf(variables), (config) => CarrierCheck.findings(config, accounts)).pipe(
            Effect.provide(NodeServices.layer),
            Effect.map((findings) =>
              findings.filter(({ check }) => !check.endsWith("callbacks")).map(({ check, level }) =>
                `${level} ${check}`
              )
            )
          )
        const expected = (changed: Readonly<Record<string, string>> = {}) =>
          [
            "Twilio",
            "Twilio time",
            "Twilio caller ids",
            "Twilio caller id",
            "Twilio rate",
            "Telnyx",
            "Telnyx time",
            "Telnyx caller ids",
            "Telnyx caller id",
            "Telnyx rate",
            "routes"
          ].map((check) => `${changed[check] ?? "ok"} ${check}`)
        const variables = { ...yield* settings(), TWILIO_CALLS_PER_SECOND: "1" }
        // The number of the guide is Telnyx's alone.
        assert.deepStrictEqual(yield* check(variables), expected())
        const routed = Effect.fnUntraced(function*(...routes: ReadonlyArray<object>) {
          return yield* check({ ...yield* settings(JSON.stringify(routes)), TWILIO_CALLS_PER_SECOND: "1" })
        })
        const over = { carrier: "telnyx", countries: ["DE"] }
        assert.deepStrictEqual(yield* routed(over), expected({ "Twilio caller ids": "warning" }))
        assert.deepStrictEqual(
          yield* routed({ carrier: "telnyx", failover: ["twilio"] }),
          expected({ "Twilio caller ids": "warning" })
        )
        assert.deepStrictEqual(yield* routed({ carrier: "twilio" }), expected({ "Twilio caller ids": "failed" }))
        // A file of routes is for one carrier, too: it brings the calls of carriers that were given up.
        const alone = (routes: string) =>
          Effect.flatMap(settings(routes), (given) => check({ ...given, OUTDIAL_CARRIER: "twilio" }))
        assert.deepStrictEqual([(yield* alone("[]")).at(-1), (yield* alone(`[{ "carrier": "telnyx" }]`)).at(-1)], [
          "ok routes",
          "failed routes"
        ])
        // What is wrong elsewhere hides nothing.
        assert.deepStrictEqual(yield* routed({ carrier: "vonage" }), expected({ routes: "failed" }))
        assert.deepStrictEqual(
          yield* check({ ...variables, TELNYX_API_KEY: "" }),
          [...expected().slice(0, 5), "failed Telnyx", ...expected().slice(-1)]
        )
      }).pipe(Effect.provide(theirFakes), Effect.scoped),
    300_000
  )

  it.live("is part of outdial doctor", () =>
    Effect.gen(function*() {
      const variables = yield* settings(`[{ "carrier": "vonage" }]`)
      const { run } = yield* CommandLine.inEnvironment({ OUTDIAL_DATA: "/nowhere", ...variables })
      const { stdout } = yield* run("doctor")
      for (const line of [/^ok +Twilio /m, /^ok +Telnyx /m, /^ok +provider .*twilio,telnyx/m]) {
        assert.match(stdout, line)
      }
      assert.match(stdout, /^failed +routes .*names vonage, which is none of twilio, telnyx/m)
    }).pipe(Effect.provide(fakes), Effect.scoped), 120_000)

  it.live("refuses what cannot be, and says why", () =>
    Effect.gen(function*() {
      const variables = yield* settings()
      assert.match(yield* refusal(yield* settings("{")), /OUTDIAL_ROUTES names .*routes\.json.* It must be JSON/)
      assert.match(yield* refusal(yield* settings(`[{ "carrier": "twilio", "country": "DE" }]`)), /countries/)
      assert.match(yield* refusal({ ...variables, OUTDIAL_ROUTES: "/nowhere.json" }), /cannot be read/)
      assert.match(yield* refusal({ ...variables, OUTDIAL_CARRIER: "" }), /needs carriers in OUTDIAL_CARRIER/)
      const both = yield* refusal({ ...variables, OUTDIAL_CARRIER: "twilio,simulated" })
      assert.match(both, /must be simulated, or one or more of asterisk, telnyx and twilio, separated by commas/)
    }).pipe(Effect.provide(fakes), Effect.scoped))
})

describe("a module with an account at the carrier for each customer", () => {
  it.live("calls over the account of the customer", () =>
    Effect.gen(function*() {
      const clinic = yield* fakeAccount("CLINIC_TWILIO", "4")
      const hotel = yield* fakeAccount("HOTEL_TWILIO", "5")
      const host = yield* CarrierEngine.openWith((publicUrl) =>
        Effect.promise(async () => {
          process.env["OUTDIAL_PUBLIC_URL"] = publicUrl
          const { default: { telephony } } = await import("../support/severalCarriers.config.ts")
          delete process.env["OUTDIAL_PUBLIC_URL"]
          return telephony ?? assert.fail("It has no carriers")
        })
      )
      const callerId = CarrierEngine.callerId
      yield* Effect.promise(() =>
        host.engine.accounts.create({ id: "acct_hotel", name: "Hotel", policy: { callingHours: null } })
      )
      const place = (id: string, number: string) =>
        Effect.promise(async () => {
          const account = host.engine.account(id)
          const { id: agentId } = await account.agents.put({ ...CarrierEngine.agent, name: "Bea", callerId })
          return account.calls.start({ agentId, phoneNumber: number })
        })
      yield* place("acct_hotel", "+14155550111")
      yield* place("acct_default", "+14155550121")
      const dialed = yield* CarrierEngine.eventually(() => {
        const [first, second] = [clinic, hotel].map(({ calls }) => calls.map(({ to }) => to))
        return first?.length === 1 && second?.length === 1 ? [...first, ...second] : undefined
      })
      assert.deepStrictEqual(dialed, ["+14155550121", "+14155550111"])
    }).pipe(Effect.scoped))

  it.live("plans calls in a process with the role api as the processes that dial do", () =>
    Effect.gen(function*() {
      const { default: module } = yield* Effect.promise(() => import("../support/severalCarriers.config.ts"))
      const built = (module: ServerConfig, variables: Readonly<Record<string, string>>) =>
        Effect.gen(function*() {
          const layer = yield* Effect.flatMap(
            configOf(variables),
            (config) => ConfiguredCarrier.telephonyOf(module, config)
          )
          return yield* CarrierServices.build(layer)
        }).pipe(Effect.provide(NodeServices.layer))
      const worker = (yield* built(module, { OUTDIAL_ROLE: "worker" })).router
      const api = (yield* built(module, { OUTDIAL_ROLE: "api" })).router
      assert.deepStrictEqual([api?.routing, api?.version], [worker?.routing, worker?.version])
      assert.deepStrictEqual([worker?.carriers.size, api?.carriers.size], [2, 0])
      const { routing: _, ...without } = module
      assert.isUndefined((yield* built(without, { OUTDIAL_ROLE: "api" })).router)
      const wrong = { routing: { carriers: ["a"], routes: [{ carrier: "b" }] } }
      assert.match(
        String(yield* Effect.flip(built(wrong, { OUTDIAL_ROLE: "api" }))),
        /routing of .* names b, which is none of a/
      )
      const both = yield* Effect.flip(built(wrong, { OUTDIAL_CARRIER: "simulated", OUTDIAL_ROLE: "api" }))
      assert.match(String(both), /OUTDIAL_CARRIER=simulated and routing .* exclude each other/)
    }).pipe(Effect.scoped))

  const fakeAccount = (prefix: string, digit: string) =>
    Effect.gen(function*() {
      const options = { accountSid: `AC${digit.repeat(32)}`, authToken: `token ${digit}` }
      const built = yield* Layer.build(Layer.fresh(CheckedTwilio.layer(options)))
      const fake = Context.get(built, FakeTwilio.FakeTwilio)
      process.env[`${prefix}_ACCOUNT_SID`] = fake.accountSid
      process.env[`${prefix}_AUTH_TOKEN`] = fake.authToken
      process.env[`${prefix}_API_URL`] = fake.url
      return fake
    })
})
