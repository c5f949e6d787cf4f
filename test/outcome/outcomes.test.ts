import { OutcomeSource } from "@outdial/core"
import { OutcomeSourceContract } from "@outdial/testkit/contracts"

const { layerOf, layerSample } = OutcomeSource.OutcomeSource

OutcomeSourceContract.contract("samples", layerSample)
OutcomeSourceContract.contract("plain functions", layerOf(OutcomeSource.sample), {
  fails: layerOf(() => {
    throw new Error("The model is overloaded")
  }),
  hangs: layerOf(() => new Promise(() => {}))
})
