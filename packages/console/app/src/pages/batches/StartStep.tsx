/** Starts the good rows as batches, after a confirmation that says what will happen. An interrupted start continues where it stopped. */
import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo, useRef, useState } from "react"
import { Link } from "react-router"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { newIdempotencyKey, request } from "../../data/Api.ts"
import type { Agent, Batch } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ConfirmDialog } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Checkbox } from "../../ui/Form.tsx"
import { LeaveGuard } from "../../ui/LeaveGuard.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { ProgressBar } from "../../ui/ProgressBar.tsx"
import type { PlannedRow } from "./BatchRows.ts"
import { planBatches, type PlannedBatch, startBatches } from "./StartRows.ts"

export interface StartStepProps {
  readonly agent: Agent
  readonly rows: ReadonlyArray<PlannedRow>
  readonly onStarted: () => void
  readonly onRestart: () => void
}

export const StartStep = ({ agent, onRestart, onStarted, rows }: StartStepProps) => {
  const { batches: texts } = useTexts()
  const [isTest, setIsTest] = useState(false)
  const [isAsking, setIsAsking] = useState(false)
  const [plan, setPlan] = useState<ReadonlyArray<PlannedBatch>>()
  const parts = useMemo(() => planBatches(rows, newIdempotencyKey), [rows])
  if (plan !== undefined) {
    return <Starting agent={agent} isTest={isTest} initial={plan} onRestart={onRestart} />
  }
  return (
    <Card title={texts.start.title}>
      <div className="row apart">
        <Checkbox isSelected={isTest} onChange={setIsTest}>{texts.start.test}</Checkbox>
        <Button tone="primary" onPress={() => setIsAsking(true)}>{texts.start.button(rows.length)}</Button>
      </div>
      <ConfirmDialog
        title={texts.start.confirmTitle}
        confirmLabel={texts.start.button(rows.length)}
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={async () => {
          setPlan(parts)
          onStarted()
        }}
      >
        {isTest
          ? texts.start.confirmTestText(rows.length, agent.name)
          : texts.start.confirmText(rows.length, parts.length, agent.name)}
      </ConfirmDialog>
    </Card>
  )
}

interface StartingProps {
  readonly agent: Agent
  readonly isTest: boolean
  readonly initial: ReadonlyArray<PlannedBatch>
  readonly onRestart: () => void
}

const Starting = ({ agent, initial, isTest, onRestart }: StartingProps) => {
  const account = useAccountId()
  const queryClient = useQueryClient()
  const { batches: texts, calls } = useTexts()
  const [batches, setBatches] = useState(initial)
  const [isRunning, setIsRunning] = useState(false)
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)
  const start = async () => {
    const abort = new AbortController()
    running.current = abort
    setIsRunning(true)
    setError(undefined)
    try {
      await startBatches({
        batches,
        signal: abort.signal,
        onStarted: setBatches,
        send: ({ key, rows }) =>
          request<Batch>(accountPath(account, "v1/batches"), {
            method: "POST",
            headers: { "idempotency-key": key },
            // The same bytes each time, as the key demands.
            body: { agent_id: agent.id, calls: rows.map(({ body }) => body), ...(isTest && { test: true }) },
            signal: abort.signal
          })
      })
    } catch (error) {
      if (!abort.signal.aborted) setError(error)
    } finally {
      if (running.current === abort) setIsRunning(false)
      for (const topic of ["batches", "calls", "overview"]) {
        void queryClient.invalidateQueries({ queryKey: [account, topic] })
      }
    }
  }
  const latest = useRef(start)
  useEffect(() => {
    void latest.current()
    return () => running.current?.abort()
  }, [])
  const started = batches.flatMap(({ batch }) => batch ?? [])
  const isDone = started.length === batches.length
  const accepted = started.reduce((sum, { accepted_count }) => sum + accepted_count, 0)
  const refused = started.reduce((sum, { rejected_count }) => sum + rejected_count, 0)
  return (
    <Card title={texts.start.title}>
      <LeaveGuard isActive={!isDone} title={texts.start.leaveTitle} confirmLabel={texts.start.leaveConfirm}>
        {texts.start.leaveText}
      </LeaveGuard>
      {isDone
        ? <Notice tone={accepted > 0 ? "good" : "warn"}>{texts.start.done(accepted)}</Notice>
        : (
          <ProgressBar
            label={texts.start.progress}
            value={started.length}
            max={batches.length}
            text={texts.start.parts(started.length, batches.length)}
          />
        )}
      {error !== undefined && (
        <>
          <ErrorNotice error={error} />
          <Notice
            tone="warn"
            actions={
              <Button
                tone="primary"
                onPress={() => void start()}
              >
                {texts.start.continue}
              </Button>
            }
          >
            {texts.start.interrupted}
          </Notice>
        </>
      )}
      {refused > 0 && <Notice tone="warn">{texts.start.refused(refused)}</Notice>}
      {started.length > 0 && (
        <ul className="started-batches">
          {started.map(({ accepted_count, id }, index) => (
            <li key={id}>
              <Link to={`/${account}/batches/${id}`}>{texts.start.batch(index + 1)}</Link>
              <span className="muted">{calls.count(accepted_count)}</span>
            </li>
          ))}
        </ul>
      )}
      {isDone && !isRunning && (
        <div>
          <Button onPress={onRestart}>{texts.start.again}</Button>
        </div>
      )}
    </Card>
  )
}
