/** The names of agents, by id. */
import { useCallback, useMemo } from "react"
import { useAccountQuery } from "../../data/Account.ts"
import type { Agent, List } from "../../data/Wire.ts"

export const useAgents = () => useAccountQuery<List<Agent>>("agents", "v1/agents?limit=100", { staleTime: 60_000 })

/** The id itself for an agent that is archived or not among the first hundred. */
export const useAgentName = (): (id: string) => string => {
  const { data } = useAgents()
  const names = useMemo(() => new Map(data?.data.map(({ id, name }) => [id, name])), [data])
  return useCallback((id) => names.get(id) ?? id, [names])
}
