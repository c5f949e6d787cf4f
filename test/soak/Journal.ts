/** Lines of JSON in a file, written before anything else happens, so that the record of a killed process is complete. */
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Journal<Entry> {
  readonly append: (entry: Entry) => void
  /** All that was ever written; a line that a kill cut off is none. */
  readonly read: () => ReadonlyArray<Entry>
}

export const open = <Entry>(folder: string, name: string): Journal<Entry> => {
  const file = join(folder, `${name}.jsonl`)
  return {
    append: (entry) => appendFileSync(file, JSON.stringify(entry) + "\n"),
    read: () =>
      existsSync(file)
        ? readFileSync(file, "utf8").split("\n").slice(0, -1).map((line): Entry => JSON.parse(line))
        : []
  }
}

/** The file that says that all faults are over: from then on everybody behaves. */
export const calm = (folder: string): string => join(folder, "calm")
