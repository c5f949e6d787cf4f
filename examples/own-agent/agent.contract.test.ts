import { TextAgent } from "@outdial/core"
import { TextAgentContract } from "@outdial/testkit/contracts"
import { answer } from "./agent.ts"

TextAgentContract.contract("our agent", TextAgent.TextAgent.layerOf(answer))
