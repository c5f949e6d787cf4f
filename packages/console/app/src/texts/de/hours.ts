/** Die Texte der Seite der Anrufzeiten auf Deutsch. */
import type { Texts } from "../Language.tsx"

const count = (value: number, one: string, many: string): string =>
  `${new Intl.NumberFormat("de").format(value)} ${value === 1 ? one : many}`

export const hours: Texts["hours"] = {
  add: "Grenze hinzufügen",
  addWindow: (day) => `Zeitfenster am ${day} hinzufügen`,
  agentsHave: (agents) =>
    `${count(agents, "Agent hat", "Agenten haben")} eigene Regeln, die diese ersetzen. Sie bleiben, wie sie sind.`,
  anyTime: "Jederzeit: keine Anrufzeiten",
  clearDay: (day) => `${day} schließen`,
  closed: "Geschlossen",
  copyDay: (day) => `${day} auf alle Tage übertragen`,
  days: {
    mon: "Montag",
    tue: "Dienstag",
    wed: "Mittwoch",
    thu: "Donnerstag",
    fri: "Freitag",
    sat: "Samstag",
    sun: "Sonntag"
  },
  discard: "Änderungen verwerfen",
  effect: {
    examined: (examined, waiting) =>
      `Geschätzt aus ${examined} von ${count(waiting, "wartendem Anruf", "wartenden Anrufen")}.`,
    expire: "Laufen ab, bevor gewählt werden darf",
    later: "Werden für später gehalten",
    none: "Es warten keine Anrufe; die Änderung betrifft nur neue.",
    now: "Dürfen jetzt gewählt werden",
    title: "Wirkung auf wartende Anrufe"
  },
  explanation: {
    due: "Darf gewählt werden",
    rule: "Regel",
    says: "Ergebnis"
  },
  fields: {
    allowed_countries: "Nur diese Länder",
    calls_per_second: "Anrufe je Sekunde",
    daily_limit: "Anrufe je Tag",
    default_country: "Land von Nummern ohne Landesvorwahl",
    excluded_dates: "Tage ohne Anrufe",
    fallback_time_zone: "Zeitzone, wenn sie unbekannt ist",
    recall_gap_seconds: "Abstand zweier Anrufe an eine Nummer",
    require_valid_numbers: "Nummern ablehnen, deren Bereich nicht bekannt ist",
    time_zone: "Zeitzone des Kontos"
  },
  help: {
    allowed_countries: "Zwei Buchstaben je Land, etwa US, CA. Leer: alle.",
    calls_per_second: "Leer: einer je Leitung, höchstens zehn.",
    daily_limit: "Leer: unbegrenzt.",
    default_country: "Zwei Buchstaben, etwa DE. Leer: solche Nummern werden abgelehnt.",
    excluded_dates: "Eines je Zeile, etwa 2026-12-25, in der Zeitzone des Angerufenen.",
    fallback_time_zone: "Etwa Europe/Berlin. Leer: Anrufe an solche Nummern werden gehalten.",
    recall_gap_seconds: "Etwa 4 h, 90 min oder 1 d; 0 ist keiner.",
    time_zone: "Etwa Europe/Berlin. Ihre Tage zählen für die Grenze eines Tages."
  },
  intro: "Das Telefon klingelt nur in diesen Zeiten, in der Zeitzone des Angerufenen.",
  leave: "Ohne Speichern verlassen",
  leaveText: "Ihre Änderungen gehen verloren.",
  leaveTitle: "Ohne Speichern verlassen?",
  limit: {
    max: (place) => `Anrufe der Grenze ${place}`,
    remove: (place) => `Grenze ${place} entfernen`,
    title: "Anrufe an eine Nummer",
    help: "Alle Grenzen müssen einen Anruf erlauben. Ohne Grenze hält nur der Abstand Anrufe zurück.",
    window: (place) => `In einer Zeit von, Grenze ${place}`
  },
  limits: "Weitere Grenzen",
  nextDay: (time) => `${time} am nächsten Tag`,
  preset: {
    apply: "Zeiten und Grenzen übernehmen",
    applied: "Die Regeln sind eingetragen. Prüfen Sie sie und speichern Sie.",
    choose: "Land oder Staat",
    confidence: "Verlässlichkeit",
    confidences: { high: "Hoch", medium: "Mittel", low: "Gering", derived: "Aus anderen abgeleitet" },
    holidays: "Feiertage selbst ergänzen",
    notes: "Prüfen Sie selbst",
    placeholder: "Zum Vergleichen wählen",
    sources: (asOf) => `Quellen, Stand ${asOf}`,
    title: "Vorlagen"
  },
  preview: {
    check: "Vorschau",
    help: "Was Ihre Regeln, wie hier bearbeitet, jetzt zu dieser Nummer sagen.",
    number: "Telefonnummer",
    title: "Vorschau einer Nummer",
    zone: "Zeitzone"
  },
  readOnly: "Ihre Rolle darf die Regeln sehen, aber nicht ändern.",
  require: "Nummern",
  retention: {
    call_days: "Anrufe löschen nach Tagen",
    help: "30 bis 36.500. Leer: für immer aufbewahrt.",
    title: "Aufbewahrung",
    transcript_days: "Mitschriften und Aufnahmen löschen nach Tagen"
  },
  saved: "Die Regeln sind gespeichert und gelten ab jetzt",
  saveText: "Die Regeln gelten sofort für wartende Anrufe. Begonnene Gespräche gehen weiter.",
  saveTitle: "Diese Regeln speichern?",
  span: (start, end) => `${start}–${end}`,
  title: "Anrufzeiten",
  unreadable: "Die gespeicherten Regeln sind nicht lesbar, daher wird nichts gewählt. Speichern Sie neue.",
  unsaved: "Noch nicht gespeichert",
  useDefault: "Vorgegebene Zeiten verwenden",
  warnings: "Prüfenswert",
  week: "Woche",
  weekHelp:
    "Ziehen Sie an den Rändern eines Zeitfensters, oder ziehen Sie über einen freien Teil eines Tages für ein weiteres. Mit der Tastatur: Rand ansteuern; Pfeiltasten bewegen ihn um 15 Minuten, mit Umschalt um 1 Minute, Bild auf und ab um eine Stunde; Entfernen löscht das Zeitfenster.",
  window: (day, place) => `${day}, Zeitfenster ${place}`,
  windowEnd: (window) => `${window}: Ende`,
  windowStart: (window) => `${window}: Beginn`
}
