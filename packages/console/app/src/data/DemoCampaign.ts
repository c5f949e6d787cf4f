/**
 * A campaign for a new installation whose carrier is simulated: twenty calls to numbers that are reserved for fiction. The last digits of a number
 * choose its callee: most talk, others are busy, do not answer, or have a machine.
 */
import type { Agent } from "./Wire.ts"

const names = [
  "Ada Lovelace",
  "Grace Hopper",
  "Katherine Johnson",
  "Mary Jackson",
  "Dorothy Vaughan",
  "Annie Easley",
  "Hedy Lamarr",
  "Radia Perlman",
  "Barbara Liskov",
  "Frances Allen",
  "Karen Spärck Jones",
  "Margaret Hamilton",
  "Evelyn Boyd Granville",
  "Mary Kenneth Keller",
  "Sophie Wilson",
  "Lynn Conway",
  "Shafi Goldwasser",
  "Adele Goldberg",
  "Jean Bartik",
  "Joan Clarke"
]

/** Whether no call of the carrier reaches a real phone. */
export const isSimulated = (carrier: string): boolean => /^(simulated|fake)/.test(carrier)

/** The agent of the demo, for an account without one. */
export const demoAgent = {
  name: "Ada",
  script:
    "Hello {{contact.name}}, this is Ada from the {{clinic}}. I am calling about your appointment on {{appointment}}.",
  variables: [{ key: "clinic", default: "Riverside Clinic" }],
  questions: ["Will you be able to come?", "Have your symptoms changed since your last visit?"],
  dispositions: ["confirmed", "reschedule", "declined"]
}

/** The body of `POST /v1/batches`. */
export const demoBatch = (agent: Pick<Agent, "id" | "variables">) => {
  const missing = agent.variables.filter((variable) => variable.required && variable.default === undefined)
  const variables = Object.fromEntries(
    missing.map(({ key }) => [key, key === "appointment" ? "Tuesday at ten" : "demo"])
  )
  return {
    agent_id: agent.id,
    calls: names.map((name, index) => ({
      phone_number: `+1415555${String(101 + index).padStart(4, "0")}`,
      contact: { name, external_id: `demo-${index + 1}` },
      variables
    }))
  }
}
