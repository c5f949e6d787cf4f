/** The do-not-call list: look a number up, add numbers, import a file, remove one. */
import "./do-not-call.css"
import { useState } from "react"
import { useAccountChange } from "../../data/Account.ts"
import { useAccountPages } from "../../data/Pages.ts"
import type { DoNotCallEntry } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { type DataColumn, DataTable } from "../../ui/DataTable.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { PhoneNumber } from "../../ui/PhoneNumber.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { Time } from "../../ui/Time.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { AddNumbers } from "./AddNumbers.tsx"
import { ImportNumbers } from "./ImportNumbers.tsx"
import { LookUp } from "./LookUp.tsx"

export const Component = () => {
  const { doNotCall, shell } = useTexts()
  const [opened, setOpened] = useState<"add" | "import">()
  const close = () => setOpened(undefined)
  return (
    <Page
      title={shell.pages.do_not_call}
      isFilled
      actions={
        <RoleGate role="operator">
          <Button onPress={() => setOpened("import")}>{doNotCall.import}</Button>
          <Button tone="primary" onPress={() => setOpened("add")}>{doNotCall.add}</Button>
        </RoleGate>
      }
    >
      <p className="muted">{doNotCall.help}</p>
      <RoleGate role="operator" fallback={<p>{doNotCall.forOperators}</p>}>
        <LookUp />
        <Entries />
      </RoleGate>
      <AddNumbers isOpen={opened === "add"} onClose={close} />
      <ImportNumbers isOpen={opened === "import"} onClose={close} />
    </Page>
  )
}

const Entries = () => {
  const { doNotCall, shell } = useTexts()
  const { error, refetch, ...list } = useAccountPages<DoNotCallEntry>("do_not_call", "v1/do_not_call")
  const remove = useAccountChange<unknown, string>({
    request: (number) => ({ path: `v1/do_not_call/${encodeURIComponent(number)}`, method: "DELETE" }),
    changes: ["do_not_call"],
    onSuccess: () => toast(doNotCall.removed)
  })
  if (error !== null && list.rows.length === 0) return <ErrorNotice error={error} onRetry={refetch} />
  const columns: ReadonlyArray<DataColumn<DoNotCallEntry>> = [
    {
      id: "number",
      title: doNotCall.number,
      isRowHeader: true,
      width: "2fr",
      cell: ({ phone_number }) => <PhoneNumber number={phone_number} />
    },
    { id: "source", title: doNotCall.source, isSecondLine: true, cell: ({ source }) => doNotCall.sources[source] },
    { id: "added", title: doNotCall.added, isSecondLine: true, cell: ({ created_at }) => <Time at={created_at} /> },
    {
      id: "remove",
      title: doNotCall.actions,
      width: 130,
      isEnd: true,
      cell: ({ phone_number }) => (
        <ConfirmButton
          label={doNotCall.remove}
          isCompact
          isDangerous
          title={doNotCall.removeTitle}
          confirmLabel={doNotCall.remove}
          onConfirm={() => remove.mutateAsync(phone_number)}
        >
          <p>{doNotCall.removeHelp}</p>
          <PhoneNumber number={phone_number} />
        </ConfirmButton>
      )
    }
  ]
  return (
    <DataTable
      label={shell.pages.do_not_call}
      columns={columns}
      keyOf={({ phone_number }) => phone_number}
      empty={<EmptyState title={doNotCall.empty}>{doNotCall.emptyHelp}</EmptyState>}
      {...list}
    />
  )
}
