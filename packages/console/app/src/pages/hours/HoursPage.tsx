/** The calling rules of the account: its hours as a week, the other limits, what they do to waiting calls, and a preview of a number. */
import { useQuery } from "@tanstack/react-query"
import { useMemo, useState } from "react"
import { accountPath, useAccountChange, useAccountId, useAccountQuery } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import { ApiError } from "../../data/ApiError.ts"
import { useIsAllowed } from "../../data/Session.ts"
import { useSettled } from "../../data/Settled.ts"
import type { AccountPolicy, PolicyEffect, PolicyPreview, PolicyWarning } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { ConfirmDialog } from "../../ui/Dialog.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Checkbox, Form } from "../../ui/Form.tsx"
import { LeaveGuard } from "../../ui/LeaveGuard.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { limitFieldNames, LimitFields } from "./LimitFields.tsx"
import { NumberPreview } from "./NumberPreview.tsx"
import { type Document, withField } from "./PolicyDraft.ts"
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

const previewDelay = 500

/** What the server says of the document while it is edited. */
const usePreview = (document: Document, preset: string | undefined): PolicyPreview | undefined => {
  const account = useAccountId()
  const settled = useSettled(document, previewDelay)
  return useQuery({
    queryKey: [account, "policy", "preview", settled, preset],
    queryFn: ({ signal }) =>
      request<PolicyPreview>(accountPath(account, "policy/preview"), {
        method: "POST",
        body: { policy: settled, ...(preset !== undefined && { preset }) },
        signal
      }),
    staleTime: 30_000,
    gcTime: 60_000,
    placeholderData: (last) => last
  }).data
}

const Rules = ({ stored }: { readonly stored: AccountPolicy }) => {
  const { common, hours: texts } = useTexts()
  const isAdmin = useIsAllowed("admin")
  // Undefined while it is as stored.
  const [changed, setChanged] = useState<Document>()
  const [preset, setPreset] = useState<string>()
  const [isAsking, setIsAsking] = useState(false)
  const saved: Document = stored.policy ?? {}
  const document = changed ?? saved
  const preview = usePreview(document, preset)
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
  const effective = (field: string): unknown =>
    field in document ? document[field] : (stored.defaults as Document)[field]
  const set = (field: string, value: unknown) => setChanged(withField(document, field, value))
  const hours = effective("calling_hours") as CallingHours | null // as the server checks it
  const agents = Object.keys((document["agents"] ?? {}) as object).length // likewise
  return (
    <>
      <LeaveGuard isActive={changed !== undefined} title={texts.leaveTitle} confirmLabel={texts.leave}>
        {texts.leaveText}
      </LeaveGuard>
      {!isAdmin && <Notice>{texts.readOnly}</Notice>}
      {stored.policy === null && <Notice tone="bad">{texts.unreadable}</Notice>}
      {agents > 0 && <Notice>{texts.agentsHave(agents)}</Notice>}
      <div className="long-form">
        <Form
          onSubmit={() => setIsAsking(true)}
          error={problems}
          fields={limitFieldNames}
          actions={isAdmin && (
            <>
              <span className="save-state" role="status">{changed === undefined ? "" : texts.unsaved}</span>
              <Button isDisabled={changed === undefined} onPress={() => setChanged(undefined)}>{texts.discard}</Button>
              <Button type="submit" tone="primary" isDisabled={changed === undefined || problems !== undefined}>
                {common.save}
              </Button>
            </>
          )}
        >
          <Card title={texts.week}>
            <p className="muted">{texts.intro}</p>
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
                onChange={(isAny) => set("calling_hours", isAny ? null : stored.defaults.calling_hours)}
              >
                {texts.anyTime}
              </Checkbox>
              {isAdmin && "calling_hours" in document && (
                <Button
                  isCompact
                  tone="quiet"
                  onPress={() => set("calling_hours", undefined)}
                >
                  {texts.useDefault}
                </Button>
              )}
            </div>
          </Card>
          {preview !== undefined && preview.warnings.length > 0 && <Warnings warnings={preview.warnings} />}
          <div className="hours-columns">
            {preview?.effect !== undefined && preview.effect !== null && <Effect effect={preview.effect} />}
            <Presets
              chosen={preset}
              onChoose={setPreset}
              document={document}
              onApply={isAdmin ? setChanged : undefined}
            />
          </div>
          <LimitFields document={document} defaults={stored.defaults} isReadOnly={!isAdmin} onChange={set} />
        </Form>
      </div>
      <NumberPreview document={document} />
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

const Warnings = ({ warnings }: { readonly warnings: ReadonlyArray<PolicyWarning> }) => {
  const { hours: texts } = useTexts()
  return (
    <Notice tone="warn" title={texts.warnings}>
      <ul className="warnings">
        {warnings.map(({ code, message, path }) => (
          <li key={`${code} ${path}`}>
            <Foreign text={message} />
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

const EffectFacts = ({ effect }: { readonly effect: PolicyEffect }) => {
  const { hours: texts } = useTexts()
  const format = useFormat()
  const { expire, later, now_callable, waiting_calls, waiting_calls_examined } = effect
  if (waiting_calls === 0) return <p className="muted">{texts.effect.none}</p>
  return (
    <>
      <Facts
        facts={[
          [texts.effect.now, format.number(now_callable)],
          [texts.effect.later, format.number(later)],
          [texts.effect.expire, format.number(expire)]
        ]}
      />
      {waiting_calls_examined < waiting_calls && (
        <p className="small muted">{texts.effect.examined(waiting_calls_examined, waiting_calls)}</p>
      )}
    </>
  )
}
