/** One agent: its form, a conversation by keyboard, rehearsals and its versions. Roles below administrator do not see its texts. */
import { useState } from "react"
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components"
import { useNavigate, useParams } from "react-router"
import { useAccountChange, useAccountId, useAccountQuery } from "../../data/Account.ts"
import type { AgentContent, AgentVersion } from "../../data/Wire.ts"
import { useIsAllowed } from "../../data/Session.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { LeaveGuard } from "../../ui/LeaveGuard.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { type AgentDraft, definitionOf, draftOf, emptyDraft, type FullAgent } from "./AgentDraft.ts"
import { AgentForm } from "./AgentForm.tsx"
import { RehearsePanel } from "./RehearsePanel.tsx"
import { TalkPanel } from "./TalkPanel.tsx"
import { VersionsPanel } from "./VersionsPanel.tsx"
import "./agents.css"

export const Component = () => {
  const { id = "" } = useParams()
  const { agents: texts } = useTexts()
  const query = useAccountQuery<FullAgent>("agents", `v1/agents/${encodeURIComponent(id)}`)
  const agent = query.data
  return (
    <Page
      title={agent?.name ?? texts.list}
      note={agent?.archived_at !== undefined && <Badge tone="warn">{texts.archived}</Badge>}
      actions={agent !== undefined && agent.archived_at === undefined && (
        <RoleGate role="admin">
          <ArchiveButton id={agent.id} />
        </RoleGate>
      )}
    >
      {/* A new page for another agent, with its own draft. */}
      <Loaded query={query} lines={8}>{(agent) => <AgentTabs key={agent.id} agent={agent} />}</Loaded>
    </Page>
  )
}

const ArchiveButton = ({ id }: { readonly id: string }) => {
  const { agents: texts } = useTexts()
  const archive = useAccountChange({
    request: () => ({ method: "DELETE", path: `v1/agents/${id}` }),
    changes: ["agents"],
    onSuccess: () => toast(texts.archivedDone)
  })
  return (
    <ConfirmButton
      label={texts.archive}
      title={texts.archiveTitle}
      confirmLabel={texts.archive}
      isDangerous
      onConfirm={() => archive.mutateAsync()}
    >
      {texts.archiveText}
    </ConfirmButton>
  )
}

/** The page of a new agent. Its id is chosen here, so that a repeated request creates no second one. */
export const NewAgent = () => {
  const { agents: texts } = useTexts()
  const [id] = useState(newId)
  return (
    <Page title={texts.new}>
      <AgentEditor id={id} saved={undefined} draft={undefined} onDraft={() => undefined} />
    </Page>
  )
}

/** A random UUID; `crypto.randomUUID` exists on https only. */
const newId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

type TabId = "edit" | "talk" | "rehearse" | "versions"

const AgentTabs = ({ agent }: { readonly agent: FullAgent }) => {
  const { agents: texts } = useTexts()
  const isOperator = useIsAllowed("operator")
  const isAdmin = useIsAllowed("admin")
  const [tab, setTab] = useState<TabId>("edit")
  // Undefined while it is as saved.
  const [draft, setDraft] = useState<AgentDraft>()
  const definition = draft === undefined ? undefined : definitionOf(draft)
  return (
    <Tabs className="tabs" selectedKey={tab} onSelectionChange={(key) => setTab(key as TabId)} /* the ids below */>
      <TabList aria-label={agent.name}>
        <Tab id="edit">{isAdmin ? texts.tabs.edit : texts.tabs.view}</Tab>
        {isOperator && <Tab id="talk">{texts.tabs.talk}</Tab>}
        {isOperator && <Tab id="rehearse">{texts.tabs.rehearse}</Tab>}
        {isAdmin && <Tab id="versions">{texts.tabs.versions}</Tab>}
      </TabList>
      <TabPanel id="edit">
        {isAdmin
          ? <SavedEditor agent={agent} draft={draft} onDraft={setDraft} />
          : <AgentFacts agent={agent} />}
      </TabPanel>
      <TabPanel id="talk">
        <TalkPanel agent={agent} definition={definition} />
      </TabPanel>
      <TabPanel id="rehearse">
        <RehearsePanel agent={agent} definition={definition} />
      </TabPanel>
      <TabPanel id="versions">
        <VersionsPanel
          agent={agent}
          onEdit={(content) => {
            setDraft(draftOf(content))
            setTab("edit")
          }}
        />
      </TabPanel>
      <LeaveGuard isActive={draft !== undefined} title={texts.leaveTitle} confirmLabel={texts.leave}>
        {texts.leaveText}
      </LeaveGuard>
    </Tabs>
  )
}

const AgentFacts = ({ agent }: { readonly agent: FullAgent }) => {
  const { agents: texts } = useTexts()
  return (
    <Card title={texts.tabs.view}>
      <Facts
        facts={[
          [texts.fields.name, <Foreign key="name" text={agent.name} />],
          [texts.version, agent.version],
          [texts.changed, <Time key="changed" at={agent.updated_at} />],
          [texts.variables.title, <Foreign key="variables" text={agent.variables.map(({ key }) => key).join(", ")} />],
          [texts.fields.dispositions, <Foreign key="dispositions" text={agent.dispositions.join(", ")} />],
          ["ID", <CopyId key="id" id={agent.id} label="ID" />]
        ]}
      />
      <p className="muted">{texts.textsHidden}</p>
    </Card>
  )
}

interface SavedEditorProps extends Pick<AgentEditorProps, "draft" | "onDraft"> {
  readonly agent: FullAgent
}

/** The content of the version as its owner wrote it: the agent itself also shows the defaults of what was not written. */
const SavedEditor = ({ agent: { id, version }, ...draft }: SavedEditorProps) => {
  const query = useAccountQuery<AgentVersion>("agents", `agents/${encodeURIComponent(id)}/versions/${version}`)
  return (
    <Loaded query={query} lines={8}>
      {({ content }) => <AgentEditor id={id} saved={{ content, version }} {...draft} />}
    </Loaded>
  )
}

interface Saved {
  readonly version: number
  readonly content: AgentContent
}

interface AgentEditorProps {
  readonly id: string
  /** Undefined for a new agent. */
  readonly saved: Saved | undefined
  /** What has changed; undefined when nothing has. A new agent keeps its own. */
  readonly draft: AgentDraft | undefined
  readonly onDraft: (draft: AgentDraft | undefined) => void
}

const AgentEditor = ({ draft, id, onDraft, saved }: AgentEditorProps) => {
  const account = useAccountId()
  const navigate = useNavigate()
  const { agents: texts, common } = useTexts()
  const [own, setOwn] = useState<AgentDraft>()
  const [failure, setFailure] = useState<{ readonly error: unknown; readonly sent: AgentDraft }>()
  // The version that the changes began with: another may be saved meanwhile.
  const [baseVersion, setBaseVersion] = useState(saved?.version)
  const isNew = saved === undefined
  const changed = isNew ? own : draft
  const setChanged = (next: AgentDraft | undefined) => {
    if (changed === undefined) setBaseVersion(saved?.version)
    if (isNew) setOwn(next)
    else onDraft(next)
  }
  const shown = changed ?? (isNew ? emptyDraft : draftOf(saved.content))
  const save = useAccountChange<FullAgent, AgentDraft>({
    request: (draft) => ({ method: "PUT", path: `v1/agents/${id}`, body: definitionOf(draft) }),
    changes: ["agents"],
    onSuccess: () => {
      toast(texts.saved)
      setFailure(undefined)
      setChanged(undefined)
    }
  })
  const submit = () =>
    save.mutate(shown, {
      onError: (error) => setFailure({ error, sent: shown }),
      onSuccess: () => {
        if (isNew) void navigate(`/${account}/agents/${id}`, { replace: true })
      }
    })
  return (
    <div className="stack long-form">
      {changed !== undefined && !isNew && baseVersion !== saved.version && (
        <Notice tone="warn">{texts.changedMeanwhile(saved.version)}</Notice>
      )}
      <AgentForm
        draft={shown}
        onChange={setChanged}
        onSave={submit}
        failure={failure}
        actions={
          <>
            <span className="save-state" role="status">{changed === undefined ? "" : texts.unsaved}</span>
            {!isNew && (
              <Button
                isDisabled={changed === undefined}
                onPress={() => {
                  setFailure(undefined)
                  setChanged(undefined)
                }}
              >
                {texts.discard}
              </Button>
            )}
            <Button type="submit" tone="primary" isDisabled={changed === undefined} isPending={save.isPending}>
              {common.save}
            </Button>
          </>
        }
      />
      {isNew && (
        <LeaveGuard
          isActive={changed !== undefined && !save.isSuccess}
          title={texts.leaveTitle}
          confirmLabel={texts.leave}
        >
          {texts.leaveText}
        </LeaveGuard>
      )}
    </div>
  )
}
