/** Starts batches from a file: agent and file, the columns, a check of all rows, the start. Each step appears when the one before is done. */
import { useState } from "react"
import { useAccountId } from "../../data/Account.ts"
import { useAgents } from "../../data/Agents.ts"
import type { Agent } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { ButtonLink } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { LeaveGuard } from "../../ui/LeaveGuard.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Select } from "../../ui/Select.tsx"
import { CheckStep } from "./CheckStep.tsx"
import { type Column, guessColumns, guessHeader } from "./Columns.ts"
import { ColumnsStep } from "./ColumnsStep.tsx"
import type { CsvFile } from "./CsvFile.ts"
import { FileStep } from "./FileStep.tsx"
import type { Checked } from "./StartRows.ts"
import { StartStep } from "./StartStep.tsx"
import "./batches.css"

export const Component = () => {
  const { batches: texts } = useTexts()
  const agents = useAgents()
  return (
    <Page title={texts.new}>
      <RoleGate role="operator" fallback={<Notice>{texts.newViewer}</Notice>}>
        <Loaded query={agents}>
          {(agents) => agents.length === 0 ? <NoAgents /> : <Steps agents={agents} />}
        </Loaded>
      </RoleGate>
    </Page>
  )
}

/** A file as it was read, and what its columns mean. */
interface Contacts {
  readonly file: CsvFile
  readonly hasHeader: boolean
  readonly columns: ReadonlyArray<Column>
}

const Steps = ({ agents }: { readonly agents: ReadonlyArray<Agent> }) => {
  const { batches: texts } = useTexts()
  const [agentId, setAgentId] = useState(agents.length === 1 ? agents[0]?.id : undefined)
  const [contacts, setContacts] = useState<Contacts>()
  const [checked, setChecked] = useState<Checked>()
  // Once batches are being started, nothing before can be changed.
  const [isStarted, setIsStarted] = useState(false)
  const agent = agents.find(({ id }) => id === agentId)
  const change = (next: Contacts | undefined) => {
    setContacts(next)
    setChecked(undefined)
  }
  const guess = (file: CsvFile, hasHeader: boolean, of: Agent | undefined): Contacts => ({
    file,
    hasHeader,
    columns: guessColumns(file, hasHeader, (of?.variables ?? []).map(({ key }) => key))
  })
  const chooseAgent = (id: string) => {
    setAgentId(id)
    change(contacts && guess(contacts.file, contacts.hasHeader, agents.find((agent) => agent.id === id)))
  }
  return (
    <>
      {!isStarted && (
        <>
          <LeaveGuard
            isActive={contacts !== undefined}
            title={texts.leaveTitle}
            confirmLabel={texts.start.leaveConfirm}
          >
            {texts.leaveText}
          </LeaveGuard>
          <Card title={texts.agent}>
            <Select
              label={texts.agent}
              isLabelHidden
              placeholder={texts.agentPlaceholder}
              options={agents.map(({ id, name }) => ({ id, label: name }))}
              value={agentId ?? null}
              onChange={chooseAgent}
            />
          </Card>
          <FileStep onFile={(file) => change(file && guess(file, guessHeader(file), agent))} />
          {agent !== undefined && contacts !== undefined && (
            <>
              <ColumnsStep
                agent={agent}
                {...contacts}
                onHeader={(hasHeader) => change(guess(contacts.file, hasHeader, agent))}
                onColumns={(columns) => change({ ...contacts, columns })}
              />
              <CheckStep
                // A change of what is checked stops the check.
                key={`${agent.id} ${contacts.columns.map(({ target }) => target).join()}`}
                agent={agent}
                {...contacts}
                onChecked={setChecked}
              />
            </>
          )}
        </>
      )}
      {agent !== undefined && checked !== undefined && checked.good.length > 0 && (
        <StartStep
          agent={agent}
          rows={checked.good}
          onStarted={() => setIsStarted(true)}
          onRestart={() => {
            setIsStarted(false)
            change(undefined)
          }}
        />
      )}
    </>
  )
}

const NoAgents = () => {
  const { agents, batches: texts } = useTexts()
  const account = useAccountId()
  return (
    <EmptyState
      title={texts.agents.none}
      action={
        <RoleGate role="admin">
          <ButtonLink tone="primary" to={`/${account}/agents/new`}>{agents.new}</ButtonLink>
        </RoleGate>
      }
    >
      {texts.agents.noneHelp}
    </EmptyState>
  )
}
