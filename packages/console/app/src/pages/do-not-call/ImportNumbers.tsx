/** Imports a file as the command line does: one number on each line, or a CSV with the number in the first column. Wrong lines are listed. */
import { useState } from "react"
import { FileTrigger } from "react-aria-components"
import { useAccountChange } from "../../data/Account.ts"
import { toCsv } from "../../data/Csv.ts"
import { downloadCsv } from "../../data/Download.ts"
import type { Imported } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { useServerText } from "../../texts/ServerText.ts"
import { Button } from "../../ui/Button.tsx"
import { Dialog, DialogActions } from "../../ui/Dialog.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Notice } from "../../ui/Notice.tsx"
import type { Opened } from "./AddNumbers.tsx"

export const ImportNumbers = ({ isOpen, onClose }: Opened) => {
  const { common, doNotCall } = useTexts()
  const [file, setFile] = useState<File>()
  const run = useAccountChange<Imported, string>({
    request: (text) => ({ path: "do-not-call/import", body: { text } }),
    changes: ["do_not_call"]
  })
  const close = () => {
    setFile(undefined)
    run.reset()
    onClose()
  }
  const choose = (files: FileList | null) => {
    run.reset()
    setFile(files?.[0])
  }
  return (
    <Dialog title={doNotCall.import} isOpen={isOpen} onClose={close}>
      <p className="muted">{doNotCall.importHelp}</p>
      <div className="row">
        <FileTrigger acceptedFileTypes={[".csv", ".txt", "text/csv", "text/plain"]} onSelect={choose}>
          <Button>{doNotCall.chooseFile}</Button>
        </FileTrigger>
        {file !== undefined && <Foreign text={file.name} />}
      </div>
      {run.error !== null && <ErrorNotice error={run.error} />}
      {run.data !== undefined && <Result imported={run.data} />}
      <DialogActions>
        <Button onPress={close}>{run.data === undefined ? common.cancel : common.close}</Button>
        <Button
          tone="primary"
          isDisabled={file === undefined || run.data !== undefined}
          isPending={run.isPending}
          onPress={() => void file?.text().then((text) => run.mutate(text))}
        >
          {doNotCall.import}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

const Result = ({ imported }: { readonly imported: Imported }) => {
  const { doNotCall } = useTexts()
  const translated = useServerText()
  const { added, canceled, read, rejected, rejected_count } = imported
  const download = () =>
    downloadCsv(
      "do-not-call-rejected.csv",
      toCsv(["line", "text", "message"], rejected.map(({ line, message, text }) => [line, text, message]))
    )
  return (
    <>
      <Notice tone="good">{doNotCall.imported(read, added, canceled)}</Notice>
      {rejected_count > 0 && (
        <Notice
          tone="warn"
          title={doNotCall.rejected(rejected_count)}
          actions={<Button isCompact onPress={download}>{doNotCall.downloadRejected}</Button>}
        >
          <ul>
            {rejected.slice(0, 5).map(({ line, message, text }) => (
              <li key={line}>
                {doNotCall.line(line)} <Foreign text={`${text}: ${translated(message)}`} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}
