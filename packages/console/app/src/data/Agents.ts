/** The agents of the account in the address, without archived ones. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { accountPath, useAccountId } from "./Account.ts"
import { queryString, request } from "./Api.ts"
import type { Agent, List } from "./Wire.ts"

/** All pages, newest first. Accounts have few agents. */
export const useAgents = (): UseQueryResult<ReadonlyArray<Agent>> => {
  const account = useAccountId()
  return useQuery({
    queryKey: [account, "agents", "all"],
    queryFn: async ({ signal }) => {
      const agents: Array<Agent> = []
      let cursor: string | undefined
      do {
        const path = accountPath(account, `v1/agents${queryString({ limit: 100, cursor })}`)
        const page: List<Agent> = await request(path, { signal })
        agents.push(...page.data)
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      return agents
    }
  })
}

/** The name of the agent, or its id when it is archived or the names are not read yet. */
export const useAgentName = (): (id: string) => string => {
  const { data = [] } = useAgents()
  return (id) => data.find((agent) => agent.id === id)?.name ?? id
}
