/** Die Texte der Seiten der Stapel auf Deutsch. */
import type { Texts } from "../Language.tsx"

const number = (value: number): string => new Intl.NumberFormat("de").format(value)

const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`

export const batches: Texts["batches"] = {
  agent: "Agent",
  agentPlaceholder: "Agenten wählen",
  agents: { none: "Es gibt noch keinen Agenten. Legen Sie zuerst einen an." },
  calls: "Anrufe dieses Stapels",
  cancel: "Wartende Anrufe abbrechen",
  cancelText: (waiting) =>
    `${
      count(waiting, "wartender Anruf wird", "wartende Anrufe werden")
    } nicht getätigt. Begonnene Gespräche gehen weiter. Das lässt sich nicht rückgängig machen; Sie können einen neuen Stapel starten.`,
  cancelTitle: "Wartende Anrufe dieses Stapels abbrechen?",
  canceled: "Die wartenden Anrufe sind abgebrochen",
  check: {
    again: "Erneut prüfen",
    checked: (checked, all) => `${number(checked)} von ${number(all)} Zeilen geprüft`,
    download: "Fehlerhafte Zeilen herunterladen",
    faulty: (rows) => `${count(rows, "Zeile kann", "Zeilen können")} nicht angerufen werden`,
    faultyTable: "Fehlerhafte Zeilen",
    firstShown: (rows) => `Gezeigt werden die ersten ${number(rows)}; die Datei hat alle.`,
    good: (rows) => `${count(rows, "Zeile kann", "Zeilen können")} angerufen werden`,
    intro:
      "Der Server prüft alle Zeilen, bevor etwas startet: Nummern, Variablen, Sperrliste und die Grenzen Ihrer Regeln.",
    nothing: "Keine Zeile kann angerufen werden. Berichtigen Sie die Datei oder die Spalten und prüfen Sie erneut.",
    progress: "Geprüfte Zeilen",
    start: (rows) => `${count(rows, "Zeile", "Zeilen")} prüfen`,
    stop: "Anhalten",
    title: "Prüfen"
  },
  column: {
    column: "Spalte",
    examples: "Beispiele",
    fields: {
      phone_number: "Telefonnummer",
      name: "Name des Kontakts",
      time_zone: "Zeitzone",
      external_id: "Externe Kennung",
      email: "E-Mail-Adresse",
      metadata: "Metadaten",
      skip: "Weglassen"
    },
    meaning: "Verwenden als",
    meaningOf: (column) => `Spalte ${column} verwenden als`,
    missingPhone: "Wählen Sie die Spalte der Telefonnummern.",
    missingVariables: (variables) => `Der Agent braucht Werte, die keine Spalte liefert: ${variables}`,
    title: "Spalten",
    unnamed: (index) => `Spalte ${index}`,
    variable: (key) => `Variable „${key}“`
  },
  ended: "Beendet",
  endedOf: (ended, all) => `${number(ended)} von ${number(all)}`,
  faults: {
    duplicate_row: (row) => `Dieselbe Nummer wie in Zeile ${row}.`,
    extra_cells: "Sie hat mehr Zellen als die Datei Spalten. Vielleicht fehlt ein Komma oder ein Anführungszeichen.",
    row_too_long: "Sie ist zu lang."
  },
  fileName: { faulty: "fehlerhafte-zeilen.csv", results: (id) => `${id}.csv` },
  file: {
    choose: "CSV-Datei wählen",
    delimiter: "Trennzeichen",
    delimiters: { ",": "Komma", ";": "Semikolon", "\t": "Tabulator", "|": "Senkrechter Strich" },
    drop: "CSV-Datei hier ablegen, oder",
    empty: "Die Datei hat keine Zeilen.",
    encoding: "Zeichensatz",
    encodings: {
      "utf-8": "Unicode (UTF-8)",
      "windows-1252": "Westeuropäisch (Windows-1252)",
      "utf-16le": "Unicode (UTF-16 LE)",
      "utf-16be": "Unicode (UTF-16 BE)",
      "windows-1250": "Mitteleuropäisch (Windows-1250)",
      "windows-1251": "Kyrillisch (Windows-1251)",
      "shift_jis": "Japanisch (Shift JIS)"
    },
    hasHeader: "Die erste Zeile benennt die Spalten",
    openQuote: (row) =>
      `Das Anführungszeichen in Zeile ${row} wird nie geschlossen, der Rest der Datei ist so nicht lesbar. Berichtigen Sie es und wählen Sie die Datei erneut.`,
    paste: "Stattdessen Zeilen einfügen",
    pasteLabel: "Zeilen, ein Kontakt je Zeile",
    pasteUse: "Diese Zeilen verwenden",
    pasted: "Eingefügte Zeilen",
    rows: (rows) => count(rows, "Zeile", "Zeilen"),
    title: "Kontakte",
    tooLarge: "Die Datei ist größer als 50 MB. Teilen Sie sie auf.",
    tooMany: (rows, most) =>
      `Die Datei hat ${number(rows)} Zeilen, möglich sind höchstens ${number(most)}. Teilen Sie sie auf.`,
    unreadable: "Die Datei konnte nicht gelesen werden."
  },
  list: "Stapel",
  listEmpty:
    "Ein Stapel ruft viele Kontakte mit einem Agenten an. Laden Sie eine Datei mit Kontakten hoch, um einen zu starten.",
  listEmptyTitle: "Noch keine Stapel",
  new: "Neuer Stapel",
  newViewer: "Ihre Rolle darf Stapel ansehen, aber nicht starten.",
  progress: "Fortschritt",
  progressEmpty: "Keine Anrufe",
  reason: "Grund",
  rejected: "Abgelehnte Zeilen",
  rejectedRow: "Zeile",
  results: "Ergebnisse herunterladen",
  resultsFailed: "Die Ergebnisse konnten nicht gelesen werden",
  row: "Zeile",
  share: (text, value) => `${text}: ${number(value)}`,
  start: {
    again: "Weiteren Stapel starten",
    batch: (index) => `Stapel ${index}`,
    button: (calls) => `${count(calls, "Anruf", "Anrufe")} starten`,
    confirmText: (calls, batches, agent) =>
      `„${agent}“ ruft ${count(calls, "Kontakt", "Kontakte")} an${
        batches > 1 ? `, in ${number(batches)} Stapeln` : ""
      }, sobald Leitungen frei sind und die Regeln es erlauben. Wartende Anrufe können Sie auf der Seite des Stapels abbrechen.`,
    confirmTestText: (calls, agent) =>
      `${count(calls, "Testanruf", "Testanrufe")} von „${agent}“: Es klingelt kein Telefon, und nichts wird berechnet.`,
    confirmTitle: "Anrufe starten?",
    continue: "Weitermachen",
    done: (calls) => `${count(calls, "Anruf wartet", "Anrufe warten")}`,
    interrupted:
      "Nicht alle Stapel wurden gestartet. Machen Sie weiter, um die übrigen zu starten; nichts startet doppelt.",
    leaveConfirm: "Verlassen",
    leaveText: "Stapel, die noch nicht gestartet sind, werden nicht gestartet.",
    leaveTitle: "Verlassen, während Stapel gestartet werden?",
    parts: (started, all) => `${number(started)} von ${count(all, "Stapel", "Stapeln")} gestartet`,
    progress: "Gestartete Stapel",
    refused: (rows) => `${count(rows, "Zeile wurde", "Zeilen wurden")} inzwischen abgelehnt`,
    test: "Test: Anrufe nur simulieren, kein Telefon klingelt",
    title: "Starten"
  },
  started: "Gestartet",
  status: { in_progress: "Läuft", completed: "Abgeschlossen" },
  statusColumn: "Status",
  test: "Test",
  title: (agent) => `Stapel von ${agent}`,
  unknownAgents: "Mehrere Agenten"
}
