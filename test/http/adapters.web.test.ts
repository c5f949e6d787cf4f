import { WebHandler } from "@outdial/http"
import { HttpContract } from "@outdial/testkit/contracts"
import { Effect } from "effect"
import * as HttpTargets from "../support/HttpTargets.ts"

HttpContract.contract(
  "WebHandler",
  HttpTargets.layer(
    WebHandler.layer,
    Effect.map(WebHandler, (fetch) => ({ fetch, baseUrl: "https://outdial.test" }))
  )
)
