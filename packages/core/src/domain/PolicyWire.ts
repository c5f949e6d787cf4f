/** The policy document in snake_case, as in files and on the command line. Agents' ids are not mapped. */
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
