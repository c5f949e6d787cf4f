import { TextAgent } from "@outdial/core"
import { defineServer } from "@outdial/server/config"
import { answer } from "./agent.ts"

export default defineServer({ textAgent: TextAgent.TextAgent.layerOf(answer) })
