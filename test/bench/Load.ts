/** The calls that benchmarks ask for: each to another number, with what a call of a real campaign has to say. */
import { PhoneNumber } from "@outdial/core"

let made = 0

const common = (index: number) => ({
  variables: { topic: "your visit on Tuesday", visits: 3, urgent: true },
  metadata: { campaign: "spring", order: { id: index, lines: ["a", "b"] } }
})

const numberOf = (index: number) => `+1415${2_000_000 + index % 6_000_000}`

/** A row of a batch. */
export const row = () => {
  const index = ++made
  return {
    phoneNumber: PhoneNumber.PhoneNumber.make(numberOf(index)),
    contact: { name: "Grace Hopper", externalId: `crm-${index}` },
    ...common(index)
  }
}

/** The same as it is sent over HTTP. */
export const wireRow = () => {
  const index = ++made
  return {
    phone_number: numberOf(index),
    contact: { name: "Grace Hopper", external_id: `crm-${index}` },
    ...common(index)
  }
}
