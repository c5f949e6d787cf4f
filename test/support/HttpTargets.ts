/** Targets of the HTTP contract: an engine in memory behind any handler. */
import { ApiKey, ApiKeys, Ids, Storage } from "@outdial/core"
import { TestEngine } from "@outdial/testkit"
import { HttpContract } from "@outdial/testkit/contracts"
import { DateTime, Effect, Layer, Redacted, type Scope } from "effect"
import { createServer, type RequestListener } from "node:http"

const everything = ApiKey.Scope.literals

const keyOf = (accountId: Ids.AccountId, scopes: ReadonlyArray<ApiKey.Scope>) =>
  Effect.gen(function*() {
    const keys = yield* ApiKeys.ApiKeys
    const { secret } = yield* Effect.orDie(keys.create(accountId, { name: "contract", scopes }))
    return Redacted.value(secret)
  })

const strangersAccount = Effect.gen(function*() {
  const storage = yield* Storage.Storage
  const id = Ids.AccountId.make("acct_stranger")
  yield* storage.accounts.put({ id, name: "Stranger", lines: 1, paused: false, createdAt: yield* DateTime.now })
  return id
})

const keys = Layer.effect(
  HttpContract.Keys,
  Effect.gen(function*() {
    const { accountId } = yield* TestEngine.Tenant
    const context = yield* Effect.context<ApiKeys.ApiKeys>()
    return {
      make: (scopes) => Effect.provideContext(keyOf(accountId, scopes), context),
      stranger: yield* keyOf(yield* strangersAccount, everything)
    }
  })
)

/** Where the engine can be reached. */
export type Served = Pick<HttpContract.Target["Service"], "fetch" | "baseUrl">

/** The test engine behind the handler, served in the way given; or another engine that shares its storage. */
export const layer = <H, E, R>(
  handler: Layer.Layer<H, E, R>,
  serve: Effect.Effect<Served, never, H | Scope.Scope>,
  options: TestEngine.TestEngineOptions = {}
) =>
  Layer.merge(
    keys,
    Layer.effect(
      HttpContract.Target,
      Effect.gen(function*() {
        const { accountId, agentId } = yield* TestEngine.Tenant
        return {
          ...(yield* serve),
          key: yield* keyOf(accountId, everything),
          agentId,
          variables: { topic: "your visit" },
          webhookUrl: "https://hooks.example.com/"
        }
      })
    ).pipe(Layer.provide(handler))
  ).pipe(Layer.provide(TestEngine.layer(options)))

/** A server for the listener on a free port of this machine, closed with the scope. */
export const listen = (listener: RequestListener, basePath = "") =>
  Effect.acquireRelease(
    Effect.callback<Served & { readonly close: () => void }>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({
          fetch,
          baseUrl: `http://127.0.0.1:${port}${basePath}`,
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
