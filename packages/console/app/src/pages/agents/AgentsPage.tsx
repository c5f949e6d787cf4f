/** All agents, newest first. */
import { useMemo } from "react"
import { useAccountId } from "../../data/Account.ts"
import { useAgents } from "../../data/Agents.ts"
import type { Agent } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { type DataColumn, DataTable } from "../../ui/DataTable.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Time } from "../../ui/Time.tsx"

export const Component = () => {
  const { agents: texts } = useTexts()
  const account = useAccountId()
  const query = useAgents()
  const columns = useMemo((): ReadonlyArray<DataColumn<Agent>> => [
    {
      id: "name",
      title: texts.fields.name,
      isRowHeader: true,
      width: "2fr",
      cell: ({ name }) => <Foreign isLine text={name} />
    },
    {
      id: "variables",
      title: texts.required,
      width: "2fr",
      isSecondLine: true,
      cell: ({ variables }) => (
        <Foreign
          isLine
          text={variables.filter(({ required }) => required).map(({ key }) => key).join(", ")}
        />
      )
    },
    { id: "version", title: texts.version, width: 100, isEnd: true, cell: ({ version }) => version },
    {
      id: "updated",
      title: texts.changed,
      width: 170,
      minWidth: 120,
      isSecondLine: true,
      cell: ({ updated_at }) => <Time at={updated_at} />
    }
  ], [texts])
  const create = (
    <RoleGate role="admin">
      <ButtonLink tone="primary" to={`/${account}/agents/new`}>{texts.new}</ButtonLink>
    </RoleGate>
  )
  return (
    <Page title={texts.list} isFilled actions={create}>
      {query.error !== null && query.data === undefined
        ? <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        : (
          <DataTable
            label={texts.list}
            columns={columns}
            rows={query.data ?? []}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => `/${account}/agents/${id}`}
            isLoading={query.isPending}
            empty={<EmptyState title={texts.emptyTitle} action={create}>{texts.empty}</EmptyState>}
          />
        )}
    </Page>
  )
}
