/** The calling rules of the account: its hours as a week, the other limits, what they do to waiting calls, and a preview of a number. */
import { useMemo, useState } from "react"
import { useSearchParams } from "react-router"
import { useAccountChange, useAccountQuery } from "../../data/Account.ts"
import { useAgents } from "../../data/Agents.ts"
import { ApiError } from "../../data/ApiError.ts"
import { useIsAllowed } from "../../data/Session.ts"
import type { AccountPolicy, PolicyEffect, PolicyWarning } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ConfirmDialog } from "../../ui/Dialog.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Checkbox, Form } from "../../ui/Form.tsx"
import { LeaveGuard } from "../../ui/LeaveGuard.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Select } from "../../ui/Select.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { AgentLimitFields, limitFieldNames, LimitFields } from "./LimitFields.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { NumberPreview } from "./NumberPreview.tsx"
import { warningText } from "./WarningText.ts"
import { agentsWithRules, type Document, rulesOfAgent, withAgentField, withField } from "./PolicyDraft.ts"
import { EffectFacts, usePreview } from "./PolicyEffect.tsx"
import { Presets } from "./Presets.tsx"
import type { CallingHours } from "./Week.ts"
import { WeekEditor } from "./WeekEditor.tsx"
import "./hours.css"

export const Component = () => {
  const { hours: texts } = useTexts()
  const query = useAccountQuery<AccountPolicy>("policy", "policy")
  return (
    <Page title={texts.title}>
      <Loaded query={query} lines={8}>{(stored) => <Rules stored={stored} />}</Loaded>
    </Page>
  )
}

const Rules = ({ stored }: { readonly stored: AccountPolicy }) => {
  const { common, hours: texts } = useTexts()
  const isAdmin = useIsAllowed("admin")
  const [query, setQuery] = useSearchParams()
  // Undefined while it is as stored.
  const [changed, setChanged] = useState<Document>()
  const [preset, setPreset] = useState<string>()
  const [isAsking, setIsAsking] = useState(false)
  const saved: Document = stored.policy ?? {}
  const document = changed ?? saved
  const { data: preview, isCurrent } = usePreview(document, preset)
  const problems = useMemo(
    () =>
      preview === undefined || preview.problems.length === 0 ? undefined : new ApiError(400, {
        code: "invalid_request",
        message: preview.problems.map(({ message, path }) => `${path.slice(1)}: ${message}`).join("\n"),
        errors: preview.problems.map(({ message, path }) => ({ param: path, message }))
      }),
    [preview]
  )
  const save = useAccountChange<AccountPolicy>({
    request: () => ({ method: "PUT", path: "policy", body: { policy: document } }),
    changes: ["policy", "calls", "overview"],
    onSuccess: () => {
      toast(texts.saved)
      setChanged(undefined)
    }
  })
  const agent = query.get("agent") ?? undefined
  // What is edited, and what holds where it says nothing.
  const own = agent === undefined ? document : rulesOfAgent(document, agent)
  const base = agent === undefined ? stored.defaults : { ...stored.defaults, ...document }
  const set = (field: string, value: unknown) =>
    setChanged(
      agent === undefined ? withField(document, field, value) : withAgentField(document, agent, field, value)
    )
  // As the server checks it.
  const hours = ("calling_hours" in own ? own["calling_hours"] : base.calling_hours) as CallingHours | null
  return (
    <>
      <LeaveGuard isActive={changed !== undefined} title={texts.leaveTitle} confirmLabel={texts.leave}>
        {texts.leaveText}
      </LeaveGuard>
      {!isAdmin && <Notice>{texts.readOnly}</Notice>}
      {stored.policy === null && <Notice tone="bad">{texts.unreadable} {isAdmin && texts.unreadableSave}</Notice>}
      <Whose
        agent={agent}
        document={document}
        onChange={(agent) => setQuery(agent === undefined ? {} : { agent }, { replace: true })}
      />
      <div className="long-form">
        <Form
          isLong
          onSubmit={() => {
            // The form shows what is wrong.
            if (problems === undefined) setIsAsking(true)
          }}
          error={problems}
          fields={limitFieldNames(agent)}
          actions={isAdmin && (
            <>
              <span className="save-state" role="status">{changed === undefined ? "" : texts.unsaved}</span>
              <Button isDisabled={changed === undefined} onPress={() => setChanged(undefined)}>{texts.discard}</Button>
              <Button type="submit" tone="primary" isDisabled={changed === undefined}>
                {common.save}
              </Button>
            </>
          )}
        >
          <Card title={texts.week}>
            <p className="muted">
              {agent === undefined ? texts.intro : "calling_hours" in own ? texts.agent.own : (
                <>
                  {texts.agent.inherited} {isAdmin && texts.agent.change}
                </>
              )}
            </p>
            {hours !== null && (
              <WeekEditor
                hours={hours ?? {}}
                onChange={isAdmin ? (next) => set("calling_hours", next) : undefined}
              />
            )}
            <div className="row">
              <Checkbox
                isSelected={hours === null}
                isDisabled={!isAdmin}
                onChange={(isAny) =>
                  set("calling_hours", isAny ? null : base.calling_hours ?? stored.defaults.calling_hours)}
              >
                {texts.anyTime}
              </Checkbox>
              {isAdmin && "calling_hours" in own && (
                <Button
                  isCompact
                  tone="quiet"
                  onPress={() => set("calling_hours", undefined)}
                >
                  {agent === undefined ? texts.useDefault : texts.agent.useAccount}
                </Button>
              )}
            </div>
          </Card>
          {preview !== undefined && preview.warnings.length > 0 && <Warnings warnings={preview.warnings} />}
          {preview?.effect !== undefined && preview.effect !== null && <Effect effect={preview.effect} />}
          {agent === undefined && (
            <Presets
              chosen={preset}
              onChoose={setPreset}
              document={document}
              defaults={stored.defaults}
              narrowed={isCurrent ? preview?.narrowed : undefined}
              onApply={isAdmin ? setChanged : undefined}
            />
          )}
          {agent === undefined
            ? <LimitFields document={document} defaults={stored.defaults} isReadOnly={!isAdmin} onChange={set} />
            : (
              <AgentLimitFields
                key={agent}
                agent={agent}
                document={own}
                defaults={base}
                isReadOnly={!isAdmin}
                onChange={set}
              />
            )}
        </Form>
      </div>
      <RoleGate role="operator">
        <NumberPreview key={agent} document={document} agent={agent} />
      </RoleGate>
      <ConfirmDialog
        title={texts.saveTitle}
        confirmLabel={common.save}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={() => save.mutateAsync()}
      >
        <p>{texts.saveText}</p>
        {preview?.effect !== undefined && preview.effect !== null && <EffectFacts effect={preview.effect} />}
      </ConfirmDialog>
    </>
  )
}

interface WhoseProps {
  readonly agent: string | undefined
  readonly document: Document
  readonly onChange: (agent: string | undefined) => void
}

const account = "account"

/** Whose rules are shown: those of the account, or of one agent. */
const Whose = ({ agent, document, onChange }: WhoseProps) => {
  const { hours: texts } = useTexts()
  const { data: agents = [] } = useAgents()
  const withRules = agentsWithRules(document)
  const named = agents.map(({ id, name }) => ({ id, name }))
  // An archived agent keeps its rules.
  const others = [...withRules, ...agent === undefined ? [] : [agent]]
    .filter((id, place, all) => all.indexOf(id) === place && !named.some((other) => other.id === id))
    .map((id) => ({ id, name: id }))
  return (
    <div className="whose">
      <Select
        label={texts.agent.whose}
        options={[
          { id: account, label: texts.agent.account },
          ...[...named, ...others].map(({ id, name }) => ({
            id,
            label: withRules.includes(id) ? texts.agent.withRules(name) : name
          }))
        ]}
        value={agent ?? account}
        onChange={(id) => onChange(id === account ? undefined : id)}
      />
      {agent === undefined && withRules.length > 0 && <p className="muted">{texts.agentsHave(withRules.length)}</p>}
    </div>
  )
}

const Warnings = ({ warnings }: { readonly warnings: ReadonlyArray<PolicyWarning> }) => {
  const texts = useTexts()
  return (
    <Notice tone="warn" title={texts.hours.warnings}>
      <ul className="warnings">
        {warnings.map((warning, place) => (
          <li key={place}>
            <Foreign text={warningText(warning, texts)} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

const Effect = ({ effect }: { readonly effect: PolicyEffect }) => {
  const { hours: texts } = useTexts()
  return (
    <Card title={texts.effect.title}>
      <div role="status">
        <EffectFacts effect={effect} />
      </div>
    </Card>
  )
}
