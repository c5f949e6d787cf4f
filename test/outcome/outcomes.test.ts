import { OutcomeSource } from "@outdial/core"
import { OutcomeSourceContract } from "@outdial/testkit/contracts"

const { layerDefault, layerOf } = OutcomeSource.OutcomeSource

OutcomeSourceContract.contract("the default", layerDefault)
OutcomeSourceContract.contract("plain functions", layerOf(OutcomeSource.sample), {
  fails: layerOf(() => {
    throw new Error("The model is overloaded")
  }),
  hangs: layerOf(() => new Promise(() => {}))
})
