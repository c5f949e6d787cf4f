/** The texts of the pages of batches in English. */

const number = (value: number): string => new Intl.NumberFormat("en").format(value)

const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`

export const batches = {
  agent: "Agent",
  agentPlaceholder: "Choose an agent",
  agents: { none: "There is no agent yet. Create one first." },
  calls: "Calls of this batch",
  cancel: "Cancel waiting calls",
  cancelText: (waiting: number) =>
    `${
      count(waiting, "waiting call", "waiting calls")
    } will not be made. Conversations that have begun continue. This cannot be undone; you can start another batch.`,
  cancelTitle: "Cancel the waiting calls of this batch?",
  canceled: "The waiting calls are canceled",
  check: {
    again: "Check again",
    checked: (checked: number, all: number) => `${number(checked)} of ${number(all)} rows checked`,
    download: "Download the faulty rows",
    faulty: (rows: number) => `${count(rows, "row", "rows")} cannot be called`,
    faultyTable: "Faulty rows",
    firstShown: (rows: number) => `The first ${number(rows)} are shown; the file has all.`,
    good: (rows: number) => `${count(rows, "row", "rows")} can be called`,
    intro:
      "All rows are checked on the server before anything starts: numbers, variables, the do-not-call list and the limits of your policy.",
    nothing: "No row can be called. Correct the file or the columns, then check again.",
    progress: "Rows checked",
    start: (rows: number) => `Check ${count(rows, "row", "rows")}`,
    stop: "Stop",
    title: "Check"
  },
  column: {
    column: "Column",
    examples: "Examples",
    fields: {
      phone_number: "Phone number",
      name: "Contact’s name",
      time_zone: "Time zone",
      external_id: "External id",
      email: "E-mail address",
      metadata: "Metadata",
      skip: "Leave out"
    },
    meaning: "Use as",
    meaningOf: (column: string) => `Use column ${column} as`,
    missingPhone: "Choose the column of the phone numbers.",
    missingVariables: (variables: string) => `The agent needs values that no column gives: ${variables}`,
    title: "Columns",
    unnamed: (index: number) => `Column ${index}`,
    variable: (key: string) => `Variable “${key}”`
  },
  ended: "Ended",
  endedOf: (ended: number, all: number) => `${number(ended)} of ${number(all)}`,
  faults: {
    duplicate_row: (row: number) => `The same number as in row ${row}.`,
    extra_cells: "It has more cells than the file has columns. A comma or quotation mark may be missing.",
    row_too_long: "It is too long."
  },
  fileName: { faulty: "faulty-rows.csv", results: (id: string) => `${id}.csv` },
  file: {
    choose: "Choose a CSV file",
    delimiter: "Separator",
    delimiters: { ",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Vertical bar" },
    drop: "Drop a CSV file here, or",
    empty: "The file has no rows.",
    encoding: "Characters",
    encodings: {
      "utf-8": "Unicode (UTF-8)",
      "windows-1252": "Western European (Windows-1252)",
      "utf-16le": "Unicode (UTF-16 LE)",
      "utf-16be": "Unicode (UTF-16 BE)",
      "windows-1250": "Central European (Windows-1250)",
      "windows-1251": "Cyrillic (Windows-1251)",
      "shift_jis": "Japanese (Shift JIS)"
    },
    hasHeader: "The first row names the columns",
    openQuote: (row: number) =>
      `The quotation mark in row ${row} is never closed, so that the rest of the file cannot be read. Correct it, then choose the file again.`,
    paste: "Paste rows instead",
    pasteLabel: "Rows, one per line",
    pasteUse: "Use these rows",
    pasted: "Pasted rows",
    rows: (rows: number) => count(rows, "row", "rows"),
    title: "Contacts",
    tooLarge: "The file is larger than 50 MB. Split it.",
    tooMany: (rows: number, most: number) =>
      `The file has ${number(rows)} rows, and at most ${number(most)} are possible. Split it.`,
    unreadable: "The file could not be read."
  },
  list: "Batches",
  listEmpty: "A batch calls many contacts with one agent. Upload a file of contacts to start one.",
  listEmptyTitle: "No batches yet",
  new: "New batch",
  newViewer: "Your role may look at batches, but not start them.",
  progress: "Progress",
  progressEmpty: "No calls",
  reason: "Reason",
  rejected: "Refused rows",
  rejectedRow: "Row",
  results: "Download results",
  resultsFailed: "The results could not be read",
  row: "Row",
  share: (text: string, value: number) => `${text}: ${number(value)}`,
  start: {
    again: "Start another batch",
    batch: (index: number) => `Batch ${index}`,
    button: (calls: number) => `Start ${count(calls, "call", "calls")}`,
    confirmText: (calls: number, batches: number, agent: string) =>
      `${count(calls, "contact", "contacts")} will be called by “${agent}”${
        batches > 1 ? `, in ${number(batches)} batches` : ""
      }, as soon as lines are free and the rules allow. You can cancel waiting calls on the page of a batch.`,
    confirmTestText: (calls: number, agent: string) =>
      `${count(calls, "test call", "test calls")} of “${agent}” are simulated: no phone rings, and nothing is billed.`,
    confirmTitle: "Start calling?",
    continue: "Continue",
    done: (calls: number) => `${count(calls, "call", "calls")} queued`,
    interrupted: "Not all batches were started. Continue to start the others; nothing is started twice.",
    leaveConfirm: "Leave",
    leaveText: "Batches that are not started yet will not be started.",
    leaveTitle: "Leave while batches are being started?",
    parts: (started: number, all: number) => `${number(started)} of ${count(all, "batch", "batches")} started`,
    progress: "Batches started",
    refused: (rows: number) => `${count(rows, "row was", "rows were")} refused meanwhile`,
    test: "Test: simulate the calls, no phone rings",
    title: "Start"
  },
  started: "Started",
  status: { in_progress: "In progress", completed: "Completed" },
  statusColumn: "Status",
  test: "Test",
  title: (agent: string) => `Batch of ${agent}`,
  unknownAgents: "Several agents"
}
