/** Chooses the file, drops it, or pastes its rows; shows how it was read, and lets that be corrected. */
import { useRef, useState } from "react"
import { DropZone, FileTrigger } from "react-aria-components"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { TextField } from "../../ui/Form.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { Select } from "../../ui/Select.tsx"
import {
  type CsvFile,
  type CsvOptions,
  type Delimiter,
  delimiters,
  type Encoding,
  encodings,
  largestFile,
  mostRows,
  readCsv
} from "./CsvFile.ts"

interface Source {
  readonly name: string
  readonly bytes: Uint8Array
  readonly isPasted: boolean
}

interface Reading {
  readonly source: Source
  readonly file: CsvFile
}

export const FileStep = ({ onFile }: { readonly onFile: (file: CsvFile | undefined) => void }) => {
  const { batches: texts } = useTexts()
  const [reading, setReading] = useState<Reading>()
  const [problem, setProblem] = useState<string>()
  // What was read before a newer choice is dropped.
  const latest = useRef(0)
  const fail = (text: string) => {
    setReading(undefined)
    setProblem(text)
    onFile(undefined)
  }
  const read = async (source: () => Promise<Source> | Source, options: CsvOptions) => {
    const turn = ++latest.current
    try {
      const given = await source()
      const file = await readCsv(given.bytes, options)
      if (turn !== latest.current) return
      const fault = problemOf(file)
      if (fault !== undefined && options.encoding === undefined && options.delimiter === undefined) return fail(fault)
      setReading({ source: given, file })
      setProblem(fault)
      onFile(fault === undefined ? file : undefined)
    } catch {
      if (turn === latest.current) fail(texts.file.unreadable)
    }
  }
  const problemOf = ({ openQuoteAt, rows }: CsvFile): string | undefined => {
    if (rows.length === 0) return texts.file.empty
    if (openQuoteAt !== undefined) return texts.file.openQuote(openQuoteAt)
    // The header is not a contact.
    return rows.length > mostRows + 1 ? texts.file.tooMany(rows.length, mostRows) : undefined
  }
  const choose = (file: File) =>
    file.size > largestFile ? fail(texts.file.tooLarge) : void read(async () => ({
      name: file.name,
      bytes: new Uint8Array(await file.arrayBuffer()),
      isPasted: false
    }), {})
  const paste = (text: string) =>
    void read(() => ({ name: texts.file.pasted, bytes: new TextEncoder().encode(text), isPasted: true }), {})
  return (
    <Card title={texts.file.title}>
      <DropZone
        className="drop-zone"
        aria-label={texts.file.title}
        onDrop={({ items }) => {
          const item = items.find((item) => item.kind === "file")
          if (item !== undefined) void item.getFile().then(choose)
        }}
      >
        <span>{texts.file.drop}</span>
        <FileTrigger
          acceptedFileTypes={[".csv", ".txt", ".tsv", "text/csv", "text/plain"]}
          onSelect={(files) => {
            const file = files?.[0]
            if (file !== undefined) choose(file)
          }}
        >
          <Button>{texts.file.choose}</Button>
        </FileTrigger>
      </DropZone>
      <Paste onUse={paste} />
      {problem !== undefined && <Notice tone="bad">{problem}</Notice>}
      {reading !== undefined && (
        <ReadAs
          reading={reading}
          onChange={(options) => void read(() => reading.source, options)}
        />
      )}
    </Card>
  )
}

const Paste = ({ onUse }: { readonly onUse: (text: string) => void }) => {
  const { batches: texts } = useTexts()
  const [isOpen, setIsOpen] = useState(false)
  const [text, setText] = useState("")
  if (!isOpen) {
    return (
      <div>
        <Button tone="quiet" isCompact onPress={() => setIsOpen(true)}>{texts.file.paste}</Button>
      </div>
    )
  }
  return (
    <div className="stack tight">
      <TextField label={texts.file.pasteLabel} rows={6} value={text} onChange={setText} autoFocus />
      <div>
        <Button isDisabled={text.trim() === ""} onPress={() => onUse(text)}>{texts.file.pasteUse}</Button>
      </div>
    </div>
  )
}

const ReadAs = (
  { onChange, reading: { file, source } }: {
    readonly reading: Reading
    readonly onChange: (options: CsvOptions) => void
  }
) => {
  const { batches: texts } = useTexts()
  const { delimiter, encoding, rows } = file
  return (
    <div className="file-read">
      <div>
        <strong>
          <Foreign text={source.name} />
        </strong>
        <div className="muted" role="status">{texts.file.rows(rows.length)}</div>
      </div>
      {!source.isPasted && (
        <Select<Encoding>
          label={texts.file.encoding}
          options={encodings.map((id) => ({ id, label: texts.file.encodings[id] }))}
          value={encoding}
          onChange={(encoding) => onChange({ encoding, delimiter })}
        />
      )}
      <Select<Delimiter>
        label={texts.file.delimiter}
        options={delimiters.map((id) => ({ id, label: texts.file.delimiters[id] }))}
        value={delimiter}
        onChange={(delimiter) => onChange({ encoding, delimiter })}
      />
    </div>
  )
}
