import { assert, it } from "@effect/vitest"
import { Outdial, OutdialError, Recordings, SimulatedTelephony, Telephony } from "@outdial/core"
import { verifyWebhook, WebhookVerificationError } from "@outdial/core/webhooks"
import { WebHandler } from "@outdial/http"
import { makeClient, OutdialApiError } from "@outdial/http/client"
import { FileRecordings, GatedTransport, NodeHandler } from "@outdial/node"
import { embedded, postgres, postgresOn } from "@outdial/sql"
import { TestEngine } from "@outdial/testkit"
import { Effect, Layer } from "effect"
import { describe } from "vitest"

/** What no type would let pass; hosts write plain JavaScript, too. */
// oxlint-disable-next-line typescript/no-explicit-any -- an argument of any type
const untyped = (value: unknown): any => value

/** What a call throws or rejects with. */
const refusalOf = (call: () => unknown) =>
  Effect.promise(async () => {
    try {
      await call()
    } catch (error) {
      return error
    }
    return assert.fail("It was not refused")
  })

const provider: Telephony.PromiseTelephony = {
  name: "ours",
  dial: async () => ({ failed: "refused" }),
  lookUp: async () => ({ status: "live" }),
  hangUp: async () => {},
  notFoundLagSeconds: 5
}

const store: Recordings.HostRecordings = { put: async () => {}, remove: async () => {}, get: async () => undefined }

const opening = (parts: Outdial.Options) => async () => {
  await using engine = await Outdial.open({ ...parts, workers: "manual" })
  return engine.accountId
}

const url = "postgres://localhost:1/none"

const inMemory = async (use: (engine: Outdial.Outdial) => Promise<unknown>) => {
  await using engine = await Outdial.open({ workers: "manual" })
  return await use(engine)
}

const doors: ReadonlyArray<readonly [door: string, call: () => unknown, message: string]> = [
  ["postgres", () => postgres(untyped({ url, schem: "typo" })), "schem is not a known option; did you mean schema?"],
  ["postgres, given an address alone", () => postgres(untyped(url)), "options must be an object"],
  [
    "postgresOn",
    () => postgresOn(untyped(Layer.empty), untyped({ shema: "typo" })),
    "shema is not a known option; did you mean schema?"
  ],
  ["embedded", () => embedded(untyped({ dataDir: "x" })), "dataDir must be the path of a folder, as text"],
  [
    "WebHandler.over",
    () => inMemory((engine) => WebHandler.over(engine, untyped({ requestsPerMinut: 5 }))),
    "requestsPerMinut is not a known option; did you mean requestsPerMinute?"
  ],
  [
    "NodeHandler.over",
    () => inMemory((engine) => NodeHandler.over(engine, untyped({ basepath: "/api" }))),
    "basepath is not a known option; did you mean basePath?"
  ],
  [
    "WebHandler.over with a limit for users that it does not have",
    () => inMemory((engine) => WebHandler.over(engine, { requestsPerMinute: 5 })),
    "requestsPerMinute needs authenticate"
  ],
  [
    "NodeHandler.over with origins for users that it does not have",
    () => inMemory((engine) => NodeHandler.over(engine, { allowedOrigins: ["https://app.example.com"] })),
    "allowedOrigins needs authenticate"
  ],
  [
    "SimulatedTelephony.layer",
    opening({ telephony: SimulatedTelephony.layer(untyped({ sped: 10 })) }),
    "sped is not a known option; did you mean speed?"
  ],
  [
    "GatedTransport.layer",
    opening({ transport: GatedTransport.layer(untyped({ alow: [] })) }),
    "alow is not a known option; did you mean allow?"
  ],
  [
    "FileRecordings.layer",
    opening({ recordings: FileRecordings.layer(untyped({ directori: "x" })) }),
    "directori is not a known option; did you mean directory?"
  ],
  [
    "Recordings.layerOf",
    opening({ recordings: Recordings.Recordings.layerOf(untyped({ ...store, remov: store.remove })) }),
    "remov is not a known method; did you mean remove?"
  ],
  [
    "Telephony.layerOf",
    opening({ telephony: Telephony.Telephony.layerOf(() => untyped({ ...provider, notFoundLagSecond: 60 })) }),
    "notFoundLagSecond is not a known method or field; did you mean notFoundLagSeconds?"
  ],
  [
    "TestEngine.open",
    () => TestEngine.open(untyped({ calles: {} })),
    "calles is not a known option; did you mean callees?"
  ]
]

describe("unknown options", () => {
  for (const [door, call, message] of doors) {
    it.live(`are refused by ${door}`, () =>
      Effect.gen(function*() {
        const error = yield* refusalOf(call)
        assert.instanceOf(error, OutdialError)
        assert.deepStrictEqual([error.code, error.message], ["invalid_request", message])
      }))
  }

  it.live("are refused by the promise client before anything is sent", () =>
    Effect.gen(function*() {
      const sent: Array<string> = []
      const options = {
        baseUrl: "https://api.test",
        apiKey: "vak_call_x",
        fetch: async (url: string) => {
          sent.push(url)
          return Response.json({})
        }
      }
      const client = makeClient(options)
      const call = { agentId: "00000000-0000-4000-8000-000000000001", phoneNumber: "+14155550100" }
      const refused: ReadonlyArray<readonly [call: () => unknown, message: string]> = [
        [() => makeClient(untyped({ ...options, retrys: 1 })), "retrys is not a known option; did you mean retries?"],
        [
          () => client.calls.start(call, untyped({ idempotencykey: "visit-7" })),
          "idempotencykey is not a known option; did you mean idempotencyKey?"
        ],
        [
          () => client.calls.cancel("call_1", untyped({ sgnal: 1 })),
          "sgnal is not a known option; did you mean signal?"
        ],
        [() => client.calls.list({}, untyped({ sgnal: 1 })), "sgnal is not a known option; did you mean signal?"],
        [() => client.webhook.remove(untyped({ sgnal: 1 })), "sgnal is not a known option; did you mean signal?"]
      ]
      for (const [call, message] of refused) {
        const error = yield* refusalOf(call)
        assert.instanceOf(error, OutdialApiError)
        assert.deepStrictEqual([error.code, error.status, error.message], ["invalid_request", 0, message])
      }
      assert.deepStrictEqual(sent, [])
    }))

  it.live("are refused by verifyWebhook", () =>
    Effect.gen(function*() {
      const error = yield* refusalOf(() =>
        verifyWebhook(untyped({ body: "{}", headers: {}, secret: "whsec_x", toleranceSecond: 5 }))
      )
      assert.instanceOf(error, WebhookVerificationError)
      assert.deepStrictEqual([error.code, error.message], [
        "options_invalid",
        "toleranceSecond is not a known option; did you mean toleranceSeconds?"
      ])
    }))

  it.live("leave fields alone that a provider's class has for itself", () =>
    Effect.gen(function*() {
      class Carrier {
        readonly connection = "open"
        readonly name = "ours"
        readonly notFoundLagSeconds = 5
        readonly dial = provider.dial
        readonly lookUp = provider.lookUp
        readonly hangUp = provider.hangUp
      }
      const accountId = yield* Effect.promise(opening({ telephony: Telephony.Telephony.layerOf(() => new Carrier()) }))
      assert.strictEqual(accountId, "acct_default")
    }))
})
