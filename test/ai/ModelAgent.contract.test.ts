/** What every agent promises, kept by the agent of a language model. */
import { AiSdkModel, ModelAgent } from "@outdial/ai"
import { TextAgentContract } from "@outdial/testkit/contracts"
import { Effect, Layer } from "effect"
import * as ModelServer from "../support/model/ModelServer.ts"
import { inOrder } from "../support/model/ModelTalk.ts"
import { modelOf } from "../support/model/RealClient.ts"

const served = (reply: ModelServer.Options["reply"]) =>
  Layer.unwrap(
    Effect.map(ModelServer.make({ reply }), (server) =>
      ModelAgent.layer({ models: { fast: AiSdkModel.layer(modelOf(server)) } }))
  )

TextAgentContract.contract("of a language model", served(inOrder([{ text: "I see. And what else?" }])), {
  fails: served(inOrder([{ status: 500 }])),
  hangs: served(inOrder([{ fault: "silence" }]))
})
