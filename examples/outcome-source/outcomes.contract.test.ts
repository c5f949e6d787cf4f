import { OutcomeSourceContract } from "@outdial/testkit/contracts"
import { afterAll } from "vitest"
import { startModel } from "./model.ts"
import { ourOutcomes } from "./outcomes.ts"

const model = await startModel()
afterAll(model.close)

OutcomeSourceContract.contract("our model", ourOutcomes(model.url), {
  fails: ourOutcomes(`${model.url}/fails`),
  hangs: ourOutcomes(`${model.url}/hangs`)
})
