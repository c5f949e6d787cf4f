import { NodeHandler } from "@outdial/node"
import { HttpContract } from "@outdial/testkit/contracts"
import { Effect } from "effect"
import * as HttpTargets from "../support/HttpTargets.ts"

HttpContract.contract(
  "NodeHandler on node:http",
  HttpTargets.layer(NodeHandler.layer, Effect.flatMap(NodeHandler, (handler) => HttpTargets.listen(handler)))
)
