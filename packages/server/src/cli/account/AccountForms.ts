/** Prints accounts as JSON in snake_case or as lines of text. */
import { type Account, Policy, PolicyDecoding } from "@outdial/core"
import { String as Str } from "effect"
import * as CallingHoursText from "../policy/CallingHoursText.ts"

/** With the policy as it was written; `null` if it cannot be read. */
export const toJson = ({ createdAt, id, lines, name, paused, policy }: Account.Account) => ({
  id,
  name,
  lines,
  paused,
  policy: policy === undefined ? null : PolicyDecoding.encodeWire(policy),
  created_at: createdAt.toJSON()
})

/** Also with the stored policy, with all defaults filled in. */
export const toFullJson = (account: Account.Account, allPaused: boolean) => ({
  ...toJson(account),
  policy_in_force: account.policy === undefined ? null : PolicyDecoding.encodeWire(inForce(account, account.policy)),
  all_paused: allPaused
})

export const toLine = ({ id, lines, name, paused, policy }: Account.Account): string =>
  [
    id,
    name,
    `${lines} lines`,
    ...(paused ? ["paused"] : []),
    ...(policy === undefined ? ["its policy cannot be read, so nothing is dialed"] : [])
  ].join("  ")

/** Printed with every list of accounts while all calling is stopped. */
export const allPausedLine = "Calling is stopped for all accounts. To resume: outdial resume --all"

/** The account, and every field of its policy with its effective value. */
export const toLines = (account: Account.Account, allPaused: boolean): ReadonlyArray<string> => [
  toLine(account),
  ...(allPaused ? [allPausedLine] : []),
  ...(account.policy === undefined ? [] : policyLines(account, account.policy))
]

const policyLines = (account: Account.Account, written: Policy.PolicyDocument): ReadonlyArray<string> => {
  const policy = inForce(account, written)
  const fields = Object.entries(PolicyDecoding.encodeWire(policy))
  const width = Math.max(...fields.map(([name]) => name.length))
  const own = new Set(Object.keys(written).map(Str.camelToSnake))
  return fields.map(([name, value]) => {
    const shown = name === "calling_hours"
      ? CallingHoursText.text(policy.callingHours)
      : typeof value === "string"
      ? value
      : JSON.stringify(value)
    return `  ${name.padEnd(width)}  ${shown}${own.has(name) ? "" : "  (default)"}`
  })
}

const inForce = ({ lines }: Account.Account, document: Policy.PolicyDocument): Policy.Policy => {
  const policy = Policy.complete(document)
  return { ...policy, callsPerSecond: Policy.callsPerSecond(policy, lines) }
}
