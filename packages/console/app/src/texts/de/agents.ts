/** Die Texte der Seiten der Agenten auf Deutsch. */
import type { Texts } from "../Language.tsx"

const count = (value: number, one: string, many: string): string =>
  `${new Intl.NumberFormat("de").format(value)} ${value === 1 ? one : many}`

export const agents: Texts["agents"] = {
  add: {
    questions: "Frage hinzufügen",
    dispositions: "Ergebnis hinzufügen",
    end_phrases: "Schlusswort hinzufügen",
    tools: "Werkzeug hinzufügen",
    transfers: "Nummer hinzufügen"
  },
  archive: "Archivieren",
  archiveText:
    "Mit ihm lässt sich kein Anruf mehr starten. Wartende Anrufe werden getätigt. Erneutes Speichern holt ihn zurück.",
  archiveTitle: "Diesen Agenten archivieren?",
  archived: "Archiviert",
  archivedDone: "Der Agent ist archiviert",
  changed: "Geändert",
  changedMeanwhile: (version) =>
    `Inzwischen wurde anderswo Version ${version} gespeichert. Speichern ersetzt sie durch das, was Sie sehen; verwerfen Sie Ihre Änderungen, um sie zu sehen.`,
  discard: "Änderungen verwerfen",
  empty: "Ein Agent ist, wer anruft: sein Skript, seine Fragen und sein Verhalten.",
  emptyTitle: "Noch keine Agenten",
  entries: {
    questions: (place) => `Frage ${place}`,
    dispositions: (place) => `Ergebnis ${place}`,
    end_phrases: (place) => `Schlusswort ${place}`,
    tools: (place) => `Werkzeug ${place}`
  },
  fields: {
    caller_id: "Absendernummer",
    disclosure: "Hinweis zu Beginn",
    dispositions: "Ergebnisse",
    end_phrases: "Schlussworte",
    first_message: "Erste Worte",
    interruptible: "Hört auf zu sprechen, wenn der Kontakt spricht",
    language: "Sprache",
    max_duration_seconds: "Längster Anruf, in Sekunden",
    model: "Sprachmodell",
    name: "Name",
    questions: "Fragen",
    script: "Skript",
    silence_seconds: "Längste Stille, in Sekunden",
    tools: "Werkzeuge",
    voice: "Stimme",
    voicemail: "Wenn ein Anrufbeantworter abnimmt",
    voicemail_message: "Nachricht für den Anrufbeantworter"
  },
  help: {
    caller_id: "Die Nummer, von der er anruft, etwa +14155550199. Leer: die des Netzanbieters.",
    disclosure: "Was der Kontakt vor allem anderen hört. Es lässt sich nicht unterbrechen.",
    dispositions: "Die möglichen Ergebnisse eines Gesprächs. Mindestens eines.",
    end_phrases: "Der Anruf endet höflich, wenn der Kontakt eines davon sagt.",
    first_message: "Was er zuerst sagt. Leer: der erste Absatz des Skripts.",
    language: "Etwa en, de oder es-MX. Leer: Englisch.",
    max_duration_seconds: "10 bis 14.400. Dann verabschiedet er sich. Leer: 600.",
    model: "Mit dem Namen, den Ihre Installation ihm gibt. Leer: die Vorgabe.",
    name: "",
    questions: "Was er fragt, in dieser Reihenfolge.",
    script:
      "Was er sagt; für ein Sprachmodell auch, wie er sich verhält. {{name}} ist ein Platzhalter, den jeder Anruf füllt.",
    silence_seconds: "3 bis 120. Dann fragt er, ob der Kontakt noch da ist. Leer: 10.",
    tools: "Werkzeuge Ihrer Anwendung, die er benutzen darf, mit Namen.",
    voice: "Mit ihrem Namen beim Netzanbieter. Leer: die Vorgabe.",
    voicemail_message: "Was er auf den Anrufbeantworter spricht."
  },
  leave: "Ohne Speichern verlassen",
  leaveText: "Ihre Änderungen gehen verloren.",
  leaveTitle: "Ohne Speichern verlassen?",
  list: "Agenten",
  new: "Neuer Agent",
  newDenied: "Ihre Rolle darf keine Agenten anlegen.",
  no: "Nein",
  parts: {
    behaviour: "Verhalten",
    conversation: "Gespräch",
    result: "Fragen und Ergebnisse",
    technical: "Telefon, Modell und Werkzeuge",
    voicemail: "Anrufbeantworter"
  },
  rehearse: {
    answers: (verdict) => `Antworten: ${verdict}`,
    speakers: { agent: "Agent", contact: "Kontakt" },
    duration: "Dauer (Median / längste)",
    expected: "Ergebnisse wie erwartet",
    failures: (failures) => count(failures, "Fehler", "Fehler"),
    intro:
      "Simulierte Kontakte sprechen mit dem Agenten wie in einem Anruf. Kein Telefon klingelt und nichts wird gespeichert; Sprachmodelle kosten wie in Anrufen, und Werkzeuge laufen wirklich.",
    introUnsaved:
      "Simulierte Kontakte sprechen mit dem Agenten samt Ihren ungespeicherten Änderungen. Sprachmodelle kosten wie in Anrufen, und Werkzeuge laufen wirklich.",
    latency: "Zeit bis zur Antwort (Hälfte / 95 %)",
    musts: {
      agent: "Arbeitet ohne Fehler",
      disclosure: "Sagt den Hinweis zuerst",
      duration: "Endet rechtzeitig",
      monologue: "Lässt den Kontakt zu Wort kommen",
      opt_outs: "Achtet Widersprüche",
      silence: "Kommt mit Stille zurecht"
    },
    notPassed: "Nicht bestanden",
    of: (part, all) => `${part} von ${all}`,
    passed: "Bestanden",
    personas: "Kontakte",
    question: "Frage",
    recorded: "Aufgezeichnet",
    report: "Bericht",
    running: "Die Kontakte sprechen. Das kann einige Minuten dauern.",
    runs: "Anrufe",
    runsHelp: "1 bis 100. Leer: einer je Kontakt.",
    said: "Gesagt",
    seed: "Startwert",
    start: "Proben",
    title: "Probe",
    turns: "Wortwechsel (Median / meiste)",
    verdict: "Urteil",
    verdicts: { right: "Richtig", wrong: "Falsch", missing: "Fehlt", not_given: "Nicht gegeben" }
  },
  remove: (entry) => `Entfernen: ${entry}`,
  required: "Braucht Werte für",
  saved: "Der Agent ist gespeichert. Neue Anrufe benutzen ihn; wartende behalten ihre Version.",
  tabs: { edit: "Bearbeiten", rehearse: "Proben", talk: "Sprechen", versions: "Versionen", view: "Agent" },
  talk: {
    again: "Erneut sprechen",
    answering: "Der Agent antwortet …",
    contactName: "Name des Kontakts",
    end: "Auflegen",
    failed: "Das Gespräch ist fehlgeschlagen",
    intro:
      "Sprechen Sie schriftlich mit dem Agenten, wie es ein Kontakt täte. Kein Telefon klingelt und nichts wird gespeichert; Werkzeuge laufen wirklich.",
    introUnsaved:
      "Sprechen Sie schriftlich mit dem Agenten samt Ihren ungespeicherten Änderungen. Kein Telefon klingelt und nichts wird gespeichert; Werkzeuge laufen wirklich.",
    log: "Gespräch",
    notes: {
      answer: "Als Antwort notiert",
      callback: "Notiert: Rückruf",
      meeting: "Notiert: Termin",
      opt_out: "Notiert: keine Anrufe mehr",
      transfer: "Notiert: Weiterleitung"
    },
    over: "Das Gespräch ist zu Ende",
    say: "Ihre Antwort",
    sayHelp: "Ziffern allein werden als Tasten gedrückt.",
    send: "Sagen",
    speakers: { agent: "Agent", contact: "Sie" },
    start: "Gespräch beginnen",
    title: "Gespräch über die Tastatur",
    tool: (name) => `Werkzeug ${name}`
  },
  textsHidden: "Skripte und Fragen sieht nur die Verwaltung.",
  transfers: {
    help: "Wohin er einen Anruf weiterleiten darf. Der Agent kennt nur die Namen.",
    name: (place) => `Name ${place}`,
    number: (place) => `Nummer ${place}`,
    title: "Nummern für Weiterleitungen"
  },
  unsaved: "Noch nicht gespeichert",
  variables: {
    default: (key) => `Wert von ${key} für Anrufe ohne eigenen`,
    help: "In Ihren Texten gefunden. Ohne Wert wird ein Anruf abgelehnt, außer der Platzhalter ist freiwillig.",
    optional: "Freiwillig",
    title: "Platzhalter"
  },
  version: "Version",
  versions: {
    added: "Hinzugefügt: ",
    edit: (version) => `Mit Version ${version} weitermachen`,
    left: "Frühere Version",
    number: (version) => `Version ${version}`,
    onlyOne: "Es gibt nur eine Version. Jede gespeicherte Änderung macht eine weitere.",
    removed: "Entfernt: ",
    right: "Spätere Version",
    same: "Die beiden Versionen sind gleich.",
    title: "Versionen vergleichen",
    unchanged: "Unveränderte Zeilen"
  },
  voicemail: {
    default: "Nachricht hinterlassen, wenn es eine gibt",
    hang_up: "Auflegen",
    leave_message: "Nachricht hinterlassen"
  },
  yes: "Ja"
}
