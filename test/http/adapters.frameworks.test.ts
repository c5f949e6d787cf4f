import { WebHandler } from "@outdial/http"
import { NodeHandler } from "@outdial/node"
import { HttpContract } from "@outdial/testkit/contracts"
import { Effect } from "effect"
import * as Express from "../../examples/express/app.ts"
import * as Fastify from "../../examples/fastify/app.ts"
import * as Hono from "../../examples/hono/app.ts"
import * as HttpTargets from "../support/HttpTargets.ts"

const basePath = "/api"

HttpContract.contract(
  "Express 5",
  HttpTargets.layer(
    NodeHandler.layerAt({ basePath }),
    Effect.flatMap(NodeHandler, (handler) => HttpTargets.listen(Express.makeApp(handler), basePath))
  )
)

HttpContract.contract(
  "Fastify 5",
  HttpTargets.layer(
    NodeHandler.layerAt({ basePath }),
    Effect.gen(function*() {
      const app = Fastify.makeApp(yield* NodeHandler)
      yield* Effect.addFinalizer(() => Effect.promise(() => app.close()))
      const address = yield* Effect.promise(() => app.listen())
      return { fetch, baseUrl: address + basePath }
    })
  )
)

HttpContract.contract(
  "Hono 4",
  HttpTargets.layer(
    WebHandler.layerAt({ basePath }),
    Effect.map(WebHandler, (handler) => {
      const app = Hono.makeApp(handler)
      return { fetch: async (request: Request) => app.fetch(request), baseUrl: `https://outdial.test${basePath}` }
    })
  )
)
