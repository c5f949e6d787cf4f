/** Has the server check all rows before anything starts, and shows the faulty ones. */
import { useEffect, useMemo, useRef, useState } from "react"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import { toCsv } from "../../data/Csv.ts"
import { downloadCsv } from "../../data/Download.ts"
import type { Agent, RejectedRow } from "../../data/Wire.ts"
import { type Texts, useTexts } from "../../texts/Language.tsx"
import { serverText } from "../../texts/ServerText.ts"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { PlainTable } from "../../ui/PlainTable.tsx"
import { ProgressBar } from "../../ui/ProgressBar.tsx"
import { type Fault, planRows } from "./BatchRows.ts"
import { bodyOf, type Column } from "./Columns.ts"
import type { CsvFile } from "./CsvFile.ts"
import { type Checked, checkRows } from "./StartRows.ts"

export interface CheckStepProps {
  readonly agent: Agent
  readonly file: CsvFile
  readonly hasHeader: boolean
  readonly columns: ReadonlyArray<Column>
  /** Undefined when a new check begins. */
  readonly onChecked: (checked: Checked | undefined) => void
}

type State =
  | { readonly name: "idle" }
  | { readonly name: "checking"; readonly checked: number; readonly all: number }
  | { readonly name: "failed"; readonly error: unknown }
  | { readonly name: "done"; readonly checked: Checked }

export const CheckStep = ({ agent, columns, file, hasHeader, onChecked }: CheckStepProps) => {
  const account = useAccountId()
  const { batches: texts } = useTexts()
  const [state, setState] = useState<State>({ name: "idle" })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const rows = bodyOf(file, hasHeader)
  const check = async () => {
    const abort = new AbortController()
    const { signal } = abort
    running.current = abort
    onChecked(undefined)
    setState({ name: "checking", checked: 0, all: rows.length })
    const { faults, planned } = planRows(rows, columns)
    try {
      const answer = await checkRows({
        rows: planned,
        columns,
        signal,
        onProgress: (checked) => {
          if (!signal.aborted) setState({ name: "checking", checked: checked + faults.length, all: rows.length })
        },
        send: (calls) =>
          request<{ readonly rejected: ReadonlyArray<RejectedRow> }>(accountPath(account, "batches/check"), {
            method: "POST",
            body: { agent_id: agent.id, calls },
            signal
          })
      })
      if (signal.aborted) return
      const checked = {
        good: answer.good,
        faults: [...faults, ...answer.faults].sort((one, other) => one.row.number - other.row.number)
      }
      setState({ name: "done", checked })
      onChecked(checked)
    } catch (error) {
      if (!signal.aborted) setState({ name: "failed", error })
    }
  }
  const stop = () => {
    running.current?.abort()
    setState({ name: "idle" })
  }
  return (
    <Card title={texts.check.title}>
      {state.name === "checking"
        ? (
          <div className="row apart">
            <ProgressBar
              label={texts.check.progress}
              value={state.checked}
              max={state.all}
              text={texts.check.checked(state.checked, state.all)}
            />
            <Button onPress={stop}>{texts.check.stop}</Button>
          </div>
        )
        : (
          <div className="row apart">
            <p className="muted">{texts.check.intro}</p>
            <Button
              tone={state.name === "done" ? "default" : "primary"}
              isDisabled={rows.length === 0 || !columns.some(({ target }) => target === "phone_number")}
              onPress={() => void check()}
            >
              {state.name === "done" ? texts.check.again : texts.check.start(rows.length)}
            </Button>
          </div>
        )}
      {state.name === "failed" && <ErrorNotice error={state.error} onRetry={() => void check()} />}
      {state.name === "done" && <Result checked={state.checked} columns={columns} />}
    </Card>
  )
}

const Result = (
  { checked: { faults, good }, columns }: { readonly checked: Checked; readonly columns: ReadonlyArray<Column> }
) => {
  const all = useTexts()
  const { batches: texts } = all
  const download = () => downloadCsv(texts.fileName.faulty, faultsCsv(faults, columns, all))
  return (
    <>
      {good.length > 0
        ? <Notice tone="good">{texts.check.good(good.length)}</Notice>
        : <Notice tone="bad">{texts.check.nothing}</Notice>}
      {faults.length > 0 && (
        <>
          <Notice tone="warn" actions={<Button isCompact onPress={download}>{texts.check.download}</Button>}>
            {texts.check.faulty(faults.length)}
            {faults.length > shownFaults && <div>{texts.check.firstShown(shownFaults)}</div>}
          </Notice>
          <FaultTable faults={faults} columns={columns} />
        </>
      )}
    </>
  )
}

type BatchTexts = Texts["batches"]

export const faultText = ({ code, message, otherRow }: Fault, all: Texts): string => {
  const texts = all.batches
  if (message !== undefined) return serverText(message, all)
  if (otherRow !== undefined) return texts.faults.duplicate_row(otherRow)
  return code === "extra_cells" ? texts.faults.extra_cells : texts.faults.row_too_long
}

const nameOf = ({ header, index }: Omit<Column, "target">, texts: BatchTexts): string =>
  header === "" ? texts.column.unnamed(index + 1) : header

/** The rows as they stand in the file, also beyond its columns, with their number and what is wrong, so that they can be corrected and uploaded again. */
const faultsCsv = (faults: ReadonlyArray<Fault>, columns: ReadonlyArray<Column>, all: Texts): string => {
  const texts = all.batches
  const width = faults.reduce((most, { row }) => Math.max(most, row.cells.length), columns.length)
  const names = Array.from({ length: width }, (_, index) => nameOf(columns[index] ?? { index, header: "" }, texts))
  return toCsv(
    [...names, texts.row, texts.reason],
    faults.map((fault) => [
      ...names.map((_, index) => fault.row.cells[index] ?? ""),
      fault.row.number,
      faultText(fault, all)
    ])
  )
}

/** The file that can be downloaded has all. */
const shownFaults = 500

const FaultTable = (
  { columns, faults }: { readonly faults: ReadonlyArray<Fault>; readonly columns: ReadonlyArray<Column> }
) => {
  const all = useTexts()
  const { batches: texts } = all
  const first = useMemo(() => faults.slice(0, shownFaults), [faults])
  const phone = columns.find(({ target }) => target === "phone_number")
  return (
    <PlainTable
      label={texts.check.faultyTable}
      isScrolled={first.length > 8}
      rows={first}
      keyOf={({ row }) => row.number}
      columns={[
        { id: "row", title: texts.row, isNarrow: true, cell: ({ row }) => row.number },
        {
          id: "number",
          title: texts.column.fields.phone_number,
          isRowHeader: true,
          cell: ({ row }) => <Foreign text={row.cells[phone?.index ?? -1] ?? ""} />
        },
        {
          id: "column",
          title: texts.column.column,
          cell: ({ column }) => column !== undefined && <Foreign text={nameOf(column, texts)} />
        },
        { id: "reason", title: texts.reason, cell: (fault) => <Foreign text={faultText(fault, all)} /> }
      ]}
    />
  )
}
