/** The policy document in snake_case, as files and the command line have it. What is an agent's id there stays as it is. */
import { Schema } from "effect"
import * as Policy from "./Policy.ts"
import { snakeKeys } from "./Wire.ts"

/** Decodes to a `PolicyDocument`. */
export const PolicyWire = snakeKeys(Schema.Struct({
  ...Policy.PolicyDocument.fields,
  numberLimits: Policy.limitsOf(snakeKeys(Policy.NumberLimit)),
  retention: Schema.optionalKey(snakeKeys(Policy.Retention)),
  agents: Policy.agentsOf(snakeKeys(Policy.AgentPolicy))
}))
