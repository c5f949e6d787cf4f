/** What owners set: accounts, policies, agents, keys, the do-not-call list, and the stops. */
import { Ids } from "@outdial/core"
import { Factories } from "@outdial/testkit"
import { Effect } from "effect"
import {
  type Knowledge,
  type Known,
  nothing,
  nowOf,
  numberOf,
  numbers,
  pick,
  type Step,
  step,
  work
} from "./Knowledge.ts"
import { policies } from "./Rules.ts"

type Make = (knowledge: Knowledge, known: Known, n: number) => Step

const lines = [0, 1, 2, 5]

export const steps = {
  update_account: (_, { id }, n) => {
    const policy = pick(policies, n)
    const changes = pick([
      { lines: lines[n % lines.length] ?? 1 },
      { paused: n % 2 === 0 },
      policy === undefined ? {} : { policy },
      { name: `Name ${n}`, lines: 5 }
    ], n >> 2)
    return step((storage) => storage.accounts.update(id, changes ?? {}))
  },
  set_policy: (_, { id }, n) => {
    const policy = pick(policies, n)
    return policy === undefined ? nothing : step((storage) => storage.accounts.update(id, { policy }))
  },
  put_account: (knowledge, { id }, n) =>
    step((storage) =>
      storage.accounts.put({
        id,
        name: `Put ${n}`,
        lines: lines[n % lines.length] ?? 1,
        paused: n === 0,
        policy: pick(policies, n) ?? {},
        createdAt: nowOf(knowledge)
      })
    ),
  open_account: (_, { id }) =>
    step((storage) => storage.accounts.update(id, { paused: false, lines: 5, policy: Factories.openPolicy })),
  pause_deployment: (_knowledge, _known, n) =>
    step((storage) =>
      Effect.andThen(storage.accounts.updateDeployment({ paused: n < 3 }), storage.accounts.getDeployment)
    ),
  adopt_plan_data: (knowledge, _, n) => {
    const version = n % 3 === 0 ? "b" : n % 3 === 1 ? "b>1" : "a"
    return step(
      (storage) => storage.dispatch.adoptPlanData({ version, now: nowOf(knowledge), isStarting: n % 2 === 0 }),
      { learn: (adopted, later) => later.zones = adopted === version ? version : later.zones }
    )
  },
  add_do_not_call: (knowledge, known, n) => {
    const { now } = work(knowledge, known)
    const entries = numbers.slice(n % numbers.length, (n % numbers.length) + 1 + n % 2)
      .map((phoneNumber) => ({ phoneNumber, source: "api" as const, createdAt: now }))
    return step((storage) => storage.doNotCall.add({ ...work(knowledge, known), entries }))
  },
  remove_do_not_call: (_, { id }, n) => step((storage) => storage.doNotCall.remove(id, numberOf(n))),
  get_do_not_call: (_, { id }, n) => step((storage) => storage.doNotCall.get(id, numberOf(n))),
  put_agent: (knowledge, known, n) => {
    const id = pick(known.agents, n) ?? Factories.agentId()
    const agent = n === 9 ? Factories.agentDefinition() : Factories.agentDefinition({ id, name: `Agent ${n % 3}` })
    return step(
      (storage) => storage.agents.put({ accountId: known.id, agent, now: nowOf(knowledge) }),
      { learn: () => void (known.agents.includes(agent.id) || known.agents.push(agent.id)) }
    )
  },
  add_key: (knowledge, known, n) => {
    const key = { id: Ids.ApiKeyId.make(Factories.callId().replace("call_", "key_")), hash: Factories.callId() }
    const createdAt = nowOf(knowledge)
    return step(
      (storage) =>
        storage.access.addApiKey({
          ...key,
          accountId: known.id,
          name: `Key ${n}`,
          scopes: ["calls:read"],
          createdAt,
          ...(n < 5 && { expiresAt: Factories.at(knowledge.seconds + n * 40) })
        }),
      { learn: () => void known.keys.push(key) }
    )
  },
  use_key: (knowledge, known, n) => {
    const hash = pick(known.keys, n)?.hash ?? "unknown"
    return step((storage) => storage.access.admit({ hash, now: nowOf(knowledge), limit: 3 }))
  },
  revoke_key: (knowledge, known, n) => {
    const key = pick(known.keys, n)
    return key === undefined
      ? nothing
      : step((storage) => storage.access.revokeApiKey({ accountId: known.id, id: key.id, now: nowOf(knowledge) }))
  },
  take_request: (knowledge, { id: accountId }, n) =>
    step((storage) => storage.access.takeFromWindow({ accountId, name: `w${n % 2}`, now: nowOf(knowledge), limit: 2 }))
} satisfies { readonly [act: string]: Make }
