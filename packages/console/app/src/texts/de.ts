/** Alle Texte der Seite auf Deutsch. */
import type { en } from "./en.ts"

const number = (value: number): string => new Intl.NumberFormat("de").format(value)

const count = (value: number, one: string, many: string): string => `${number(value)} ${value === 1 ? one : many}`

export const de: typeof en = {
  agents: {
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
    discard: "Verwerfen",
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
      answersOf: (run) => `Antworten von Anruf ${run}`,
      speakers: { agent: "Agent", contact: "Kontakt" },
      duration: "Dauer (Median / längste)",
      expected: "Ergebnisse wie erwartet",
      failures: (failures) => count(failures, "Fehler", "Fehler"),
      intro:
        "Simulierte Kontakte sprechen mit dem Agenten wie in einem Anruf. Kein Telefon klingelt und nichts wird gespeichert; Sprachmodelle kosten wie in Anrufen, und Werkzeuge laufen wirklich.",
      introUnsaved:
        "Simulierte Kontakte sprechen mit dem Agenten samt Ihren ungespeicherten Änderungen. Sprachmodelle kosten wie in Anrufen, und Werkzeuge laufen wirklich.",
      latency: "Zeit bis zur Antwort (Median / 95 %)",
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
  },
  batches: {
    agent: "Agent",
    agentPlaceholder: "Agenten wählen",
    agents: {
      none: "Es gibt noch keinen Agenten",
      noneHelp: "Ein Stapel ruft mit einem Agenten an. Die Verwaltung kann einen anlegen."
    },
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
    leaveText: "Es wurde kein Anruf gestartet. Die Datei und die Wahl der Spalten gehen verloren.",
    leaveTitle: "Verlassen, ohne zu starten?",
    list: "Stapel",
    listEmpty: "Ein Stapel ruft viele Kontakte mit einem Agenten an.",
    listEmptyStart: "Laden Sie eine Datei mit Kontakten hoch, um einen zu starten.",
    listEmptyTitle: "Noch keine Stapel",
    new: "Neuer Stapel",
    newViewer: "Ihre Rolle darf Stapel ansehen, aber nicht starten.",
    progress: "Fortschritt",
    progressEmpty: "Keine Anrufe",
    reason: "Grund",
    position: "Stelle",
    positionHelp:
      "Die Stelle zählt die gesendeten Zeilen ab 1. Sie weicht von der Zeile einer Datei ab, wenn einige davon nicht angerufen werden konnten.",
    rejected: "Abgelehnte Zeilen",
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
        `${
          count(calls, "Testanruf", "Testanrufe")
        } von „${agent}“: Es klingelt kein Telefon, und nichts wird berechnet.`,
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
  },
  hours: {
    add: "Grenze hinzufügen",
    addWindow: (day) => `Zeitfenster am ${day} hinzufügen`,
    agent: {
      account: "Das Konto",
      change: "Ändern Sie sie hier, um ihm andere zu geben.",
      inherited: "Für diesen Agenten gelten die Zeiten des Kontos.",
      limits: "In einem leeren Feld gilt, was für das Konto gilt.",
      own: "Für diesen Agenten gelten andere Zeiten als für das Konto.",
      useAccount: "Zeiten des Kontos verwenden",
      whose: "Regeln für",
      withRules: (name) => `${name} (andere Regeln)`
    },
    agentsHave: (agents) =>
      `Für ${
        count(agents, "Agenten", "Agenten")
      } gelten andere Regeln, die diese ersetzen. Wählen Sie den Agenten, um sie zu sehen.`,
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
    discard: "Verwerfen",
    effect: {
      byRules: (calls) => `Allein nach den Regeln: ${calls}`,
      examined: (examined, waiting) =>
        `Geschätzt aus ${examined} von ${count(waiting, "wartendem Anruf", "wartenden Anrufen")}.`,
      expire: "Laufen ab, bevor gewählt werden darf",
      later: "Werden für später gehalten",
      none: "Es warten keine Anrufe; die Änderung betrifft nur neue.",
      now: "Dürfen jetzt gewählt werden",
      paused: "Angehalten",
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
      none: "Keine Grenze",
      text: (max, time) => `${max} in ${time}`,
      window: (place) => `In einer Zeit von, Grenze ${place}`
    },
    limits: "Weitere Grenzen",
    nextDay: (time) => `${time} am nächsten Tag`,
    preset: {
      agents: (agents) =>
        `Verschärfen ändert auch die Regeln von ${
          count(agents, "Agent", "Agenten")
        }; Ersetzen lässt sie, wie sie sind.`,
      applied: "Die Regeln sind eingetragen. Prüfen Sie sie und speichern Sie.",
      both: "Verschärft",
      choose: "Land oder Staat",
      confidence: "Verlässlichkeit",
      confidences: { high: "Hoch", medium: "Mittel", low: "Gering", derived: "Aus anderen abgeleitet" },
      effect: "Wartende Anrufe nach dem Verschärfen",
      fields: {
        calling_hours: "Anrufzeiten",
        number_limits: "Anrufe an eine Nummer",
        recall_gap_seconds: "Abstand zweier Anrufe"
      },
      holidays: "Feiertage selbst ergänzen",
      its: "Vorlage",
      narrow: "Meine Regeln verschärfen",
      notes: "Prüfen Sie selbst",
      placeholder: "Zum Vergleichen wählen",
      replace: "Meine Regeln ersetzen",
      rule: "Regel",
      sources: (asOf) => `Quellen, Stand ${asOf}`,
      title: "Vorlagen",
      what:
        "Verschärfen behält von beiden die strengere Regel. Ersetzen übernimmt die Regeln der Vorlage und lässt Ihre, wo sie keine hat. Beides füllt diese Seite aus; vor dem Speichern ändert sich nichts.",
      yours: "Jetzt"
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
      transcript_days: "Transkripte und Aufnahmen löschen nach Tagen"
    },
    rings: {
      anyTime: "Das Telefon darf jederzeit klingeln",
      at: (times) => `Das Telefon darf klingeln am ${times}`,
      byDefault: (times) => `Ohne eigene Zeiten darf das Telefon klingeln am ${times}`
    },
    saved: "Die Regeln sind gespeichert und gelten ab jetzt",
    saveText: "Die Regeln gelten sofort für wartende Anrufe. Begonnene Gespräche gehen weiter.",
    saveTitle: "Diese Regeln speichern?",
    span: (start, end) => `${start}–${end}`,
    title: "Anrufzeiten",
    unreadable: "Die gespeicherten Regeln sind nicht lesbar, daher wird nichts gewählt.",
    unreadableSave: "Speichern Sie neue.",
    unsaved: "Noch nicht gespeichert",
    useDefault: "Vorgegebene Zeiten verwenden",
    warnings: "Bitte prüfen",
    warningTexts: {
      calling_hours_wider: ({ rings }) =>
        `${rings}; die Vorlage erlaubt das nicht. Lassen Sie es weg, oder verschärfen Sie Ihre Regeln durch die Vorlage.`,
      excluded_dates_missing: ({ calendar }) =>
        `Die Vorlage schließt an Feiertagen (Kalender ${calendar}), und kein Tag ist ausgenommen. Tragen Sie die Feiertage bei den Tagen ohne Anrufe ein.`,
      never_open: () =>
        "Kein Wochentag hat ein Zeitfenster, daher wird nie gewählt. Geben Sie mindestens einem Wochentag ein Zeitfenster.",
      no_fallback_time_zone: () =>
        "Anrufe an Nummern, deren Zeitzone nicht bekannt ist, werden gehalten. Geben Sie für sie eine Zeitzone an, damit nach deren Zeiten gewählt wird.",
      no_number_limits: () =>
        "Eine Nummer darf beliebig oft gewählt werden. Fügen Sie eine Grenze für Anrufe an eine Nummer hinzu, etwa 3 in 1 d.",
      no_recall_gap: () =>
        "Eine Nummer darf sofort wieder gewählt werden. Geben Sie einen Abstand zweier Anrufe an, etwa 4 h.",
      number_limit_looser: ({ gap, max }) =>
        `Keine Grenze beschränkt eine Nummer auf ${max} Anrufe in ${gap}, wie es die Vorlage tut. Fügen Sie diese Grenze für Anrufe an eine Nummer hinzu.`,
      open_at_night: ({ rings }) =>
        `${rings}, also auch nachts. Bleiben Sie zwischen 07:00 und 22:00 Uhr beim Angerufenen, außer er hat darum gebeten.`,
      recall_gap_shorter: ({ gap, least }) =>
        `Der Abstand zweier Anrufe an eine Nummer ist ${gap}, der der Vorlage ${least}. Machen Sie ihn mindestens ${least} groß.`
    },
    week: "Woche",
    weekHelp:
      "Ziehen Sie an den Rändern eines Zeitfensters, oder ziehen Sie über einen freien Teil eines Tages für ein weiteres. Mit der Tastatur: Rand ansteuern; Pfeiltasten bewegen ihn um 15 Minuten, mit Umschalt um 1 Minute, Bild auf und ab um eine Stunde; Entfernen löscht das Zeitfenster.",
    window: (day, place) => `${day}, Zeitfenster ${place}`,
    windowEnd: (window) => `${window}: Ende`,
    windowStart: (window) => `${window}: Beginn`
  },
  common: {
    actions: "Aktionen",
    cancel: "Abbrechen",
    close: "Schließen",
    copied: (what) => `${what} kopiert`,
    copy: (what) => `${what} kopieren`,
    dismiss: "Ausblenden",
    download: "Herunterladen",
    loading: "Wird geladen …",
    messages: "Meldungen",
    no: "Nein",
    none: "Keine",
    notCopied: "Der Browser hat das Kopieren nicht erlaubt. Markieren Sie stattdessen den Text.",
    optional: "freiwillig",
    reload: "Seite neu laden",
    retry: "Erneut versuchen",
    save: "Speichern",
    search: "Suchen",
    test: "Test",
    working: "In Arbeit …",
    yes: "Ja",
    yourTime: "Ihre Zeit"
  },
  errors: {
    faults: (fields) => count(fields, "Feld ist falsch", "Felder sind falsch"),
    connection: "Der Server hat nicht geantwortet. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
    forbidden: "Ihre Rolle erlaubt das nicht. Bitten Sie die Verwaltung um einen Link mit einer anderen Rolle.",
    notFound: "Das gibt es nicht, oder nicht in diesem Konto.",
    requestId: "Anfrage",
    title: "Das hat nicht geklappt",
    unexpected: "In dieser Seite ist etwas Unerwartetes passiert. Laden Sie sie neu und versuchen Sie es erneut."
  },
  shell: {
    account: "Konto",
    accountStopped: "Dieses Konto ist angehalten: Es geht kein Anruf hinaus.",
    allStopped: "Not-Halt: In keinem Konto geht ein Anruf hinaus.",
    colours: "Farben",
    failed: "Diese Seite hat einen Fehler",
    failedHelp: "Laden Sie sie neu. Wurde sie gerade aktualisiert, lädt das die neue Fassung.",
    groups: { calling: "Anrufen", rules: "Regeln", integration: "Anbindung", administration: "Verwaltung" },
    liveLost:
      "Die Live-Verbindung ist unterbrochen. Die Seite liest alle 15 Sekunden neu und verbindet sich selbst wieder.",
    language: "Sprache",
    live: { connecting: "Verbindet …", live: "Live", lost: "Nicht live: verbindet erneut" },
    navigation: "Seiten",
    noAccounts: "Es gibt noch kein Konto",
    notFound: "Seite nicht gefunden",
    notFoundHelp: "Keine Seite hat diese Adresse. Wählen Sie eine aus der Navigation.",
    offline: "Dieses Gerät ist offline. Was Sie sehen, kann veraltet sein.",
    openMenu: "Navigation öffnen",
    pages: {
      now: "Jetzt",
      calls: "Anrufe",
      batches: "Stapel",
      agents: "Agenten",
      hours: "Anrufzeiten",
      do_not_call: "Sperrliste",
      webhook: "Webhook",
      keys: "API-Schlüssel",
      usage: "Nutzung",
      accounts: "Konten",
      sessions: "Sitzungen",
      audit: "Änderungsprotokoll"
    },
    partMissing: "Diese Seite lässt sich gerade nicht öffnen",
    partMissingHelp: "Der Server antwortet nicht. Die Seite öffnet sich von selbst, sobald er es tut.",
    toNow: "Zur Seite Jetzt",
    resumeOnNow: "Auf der Seite Jetzt fortsetzen",
    roles: { viewer: "Nur lesen", operator: "Betrieb", admin: "Verwaltung" },
    serverLost:
      "Der Server antwortet nicht. Was Sie sehen, kann veraltet sein; die Seite verbindet sich selbst wieder.",
    signOut: "Abmelden",
    skip: "Zum Inhalt springen",
    times: "Zeiten",
    zones: { local: "Zeiten in meiner Zeitzone", utc: "Zeiten in UTC" },
    themes: { system: "Farben wie im System", light: "Helle Farben", dark: "Dunkle Farben" },
    unknownAccount: "Sie können dieses Konto nicht öffnen",
    version: (version) => `Version ${version}`
  },
  doNotCall: {
    actions: "Aktionen",
    add: "Nummern hinzufügen",
    addCount: (numbers) => `${count(numbers, "Nummer", "Nummern")} hinzufügen`,
    added: "Hinzugefügt",
    addedNow: (added, canceled) =>
      `${count(added, "Nummer", "Nummern")} hinzugefügt, ${
        count(canceled, "wartender Anruf", "wartende Anrufe")
      } abgebrochen`,
    chooseFile: "Datei wählen",
    downloadRejected: "Diese Zeilen herunterladen",
    empty: "Keine Nummer steht auf der Liste",
    emptyHelp: "Angerufene, die keine Anrufe wünschen, werden hier automatisch eingetragen.",
    forOperators: "Betrieb und Verwaltung sehen die Liste.",
    found: "steht auf der Liste seit",
    help: "Nummern auf dieser Liste werden nie angerufen. Wer im Gespräch widerspricht, wird eingetragen.",
    import: "Datei einlesen",
    imported: (read, added, canceled) =>
      `${count(read, "Nummer", "Nummern")} gelesen, ${added} neu auf der Liste, ${
        count(canceled, "wartender Anruf", "wartende Anrufe")
      } abgebrochen.`,
    importHelp:
      "Eine Nummer je Zeile, oder eine CSV-Datei mit der Nummer in der ersten Spalte. Richtige Zeilen werden auch dann eingetragen, wenn andere falsch sind.",
    line: (line) => `Zeile ${line}:`,
    lookUp: "Steht eine Nummer auf der Liste?",
    notFound: (number) => `${number} steht nicht auf der Liste.`,
    number: "Nummer",
    numbers: "Nummern",
    numbersHelp: "Eine je Zeile, bis zu 1.000. Sie werden alle eingetragen, oder keine, wenn eine falsch ist.",
    rejected: (lines) => `${count(lines, "Zeile hat", "Zeilen haben")} keine gültige Nummer`,
    remove: "Entfernen",
    removed: "Die Nummer steht nicht mehr auf der Liste",
    removeHelp: "Diese Nummer darf wieder angerufen werden. Abgebrochene Anrufe bleiben abgebrochen.",
    removeTitle: "Nummer von der Liste entfernen?",
    source: "Eingetragen durch",
    sources: { api: "Anfrage", import: "Datei", call: "Angerufene, im Gespräch" }
  },
  webhook: {
    allStates: "Alle Zustände",
    answer: "Antwort",
    answered: (status) => `Der Empfänger antwortete ${status}.`,
    at: "Zeit",
    attempts: "Versuche",
    call: "Anruf",
    cause: "Anlass",
    causes: { schedule: "Zeitplan", probe: "Probe", redeliver: "Erneut gesendet", recover: "Wiederherstellung" },
    deliveries: "Zustellungen",
    details: "Details",
    disable: "Abschalten",
    disabled: "Abgeschaltet",
    disabledBecause: {
      gone: "Der Empfänger antwortete 410: Es gibt ihn nicht mehr",
      failing: "Der Empfänger war tagelang nicht erreichbar"
    },
    disabledByYou: "Der Webhook ist abgeschaltet",
    disableHelp:
      "Bis er wieder eingeschaltet wird, wird kein Ereignis gesendet. Ereignisse werden zurückgehalten und dann gesendet.",
    duration: "Dauer",
    edit: "Bearbeiten",
    enable: "Einschalten",
    enabled: "Eingeschaltet",
    endpoint: "Empfänger",
    event: "Ereignis",
    events: "Ereignisse",
    forOperators: "Betrieb und Verwaltung sehen den Webhook.",
    help:
      "Outdial sendet die Ereignisse Ihrer Anrufe an diese Adresse, signiert mit einem Geheimnis, das einmal gezeigt wird.",
    heldHelp: "Ereignisse werden zurückgehalten und gesendet, wenn er wieder eingeschaltet ist.",
    kinds: {
      "call.completed": "ein Gespräch ist beendet, mit Ergebnis",
      "call.not_connected": "es kam kein Gespräch zustande",
      "call.dialing": "ein Telefon klingelt",
      "call.in_progress": "ein Anruf wurde angenommen",
      "call.outcome_updated": "ein Ergebnis hat sich geändert",
      "batch.completed": "alle Anrufe eines Stapels sind beendet"
    },
    lastDay: "Die letzten 24 Stunden",
    lastHour: "Die letzte Stunde",
    lastMonth: "Die letzten 30 Tage",
    newSecret: "Das Signaturgeheimnis, nur jetzt zu sehen",
    newSecretHelp: "Geben Sie es dem Empfänger, der damit die Signatur jedes Ereignisses prüft.",
    nextAttempt: "Nächster Versuch",
    noAttempts: "Es wurde noch nicht gesendet.",
    noDeliveries: "Keine Zustellungen",
    none: "Kein Webhook ist eingerichtet. Bitten Sie die Verwaltung darum.",
    previousSecret: "Voriges Geheimnis endet",
    recover: "Fehlgeschlagene erneut senden",
    recovered: (events) => `${count(events, "Ereignis wird", "Ereignisse werden")} erneut gesendet`,
    recoverHelp:
      "Sendet jedes in dieser Zeit nicht zugestellte Ereignis mit seiner ursprünglichen ID. Empfänger übergehen eine ID, die sie kennen.",
    redeliver: "Erneut senden",
    redelivered: "Das Ereignis wird erneut gesendet",
    remove: "Entfernen",
    removeHelp:
      "Es wird kein Ereignis mehr gesendet, und ausstehende Zustellungen entfallen. Die Anrufe bleiben lesbar. Ein neuer Empfänger bekommt ein neues Geheimnis.",
    rotate: "Geheimnis wechseln",
    rotateHelp:
      "Ein neues Geheimnis wird einmal gezeigt. 24 Stunden lang gelten beide, damit der Empfänger umstellen kann.",
    saved: "Der Webhook ist gespeichert",
    secret: "Signaturgeheimnis",
    since: "Seit",
    state: "Zustand",
    states: {
      pending: "Ausstehend",
      sending: "Wird gesendet",
      delivered: "Zugestellt",
      exhausted: "Fehlgeschlagen",
      held: "Zurückgehalten",
      dropped: "Entfallen"
    },
    test: "Testereignis senden",
    testDelivered: (status, ms) => `Der Empfänger antwortete ${status} nach ${ms} ms.`,
    testFailed: "Das Testereignis wurde nicht zugestellt",
    url: "Adresse",
    urlHelp: "Eine https-Adresse, die aus dem Internet erreichbar ist."
  },
  keys: {
    create: "Schlüssel erstellen",
    created: "Erstellt",
    days: (days) => count(days, "Tag", "Tagen"),
    empty: "Noch keine Schlüssel",
    emptyHelp: "Ein Programm, das über die API Anrufe startet, braucht einen.",
    expired: "Abgelaufen",
    expires: "Läuft ab nach",
    forAdmins: "Die Verwaltung verwaltet die Schlüssel.",
    help:
      "Programme rufen die API mit einem Schlüssel auf. Ein Schlüssel gehört auf einen Server, nie in einen Browser oder eine App.",
    key: "API-Schlüssel",
    lastUsed: "Zuletzt benutzt",
    name: "Name",
    nameHelp: "Sagt, wofür der Schlüssel ist.",
    never: "Nie",
    once: "Nur jetzt ist der Schlüssel zu sehen",
    onceHelp: "Kopieren Sie ihn jetzt. Gespeichert ist nur sein Hash.",
    revoke: "Widerrufen",
    revoked: "Widerrufen",
    revokedNow: "Der Schlüssel ist widerrufen",
    revokeHelp:
      "Anfragen mit diesem Schlüssel werden ab jetzt abgewiesen. Das lässt sich nicht rückgängig machen; erstellen Sie dann einen neuen.",
    revokeTitle: "Schlüssel widerrufen?",
    scopeNames: {
      "calls:write": "Anrufe starten und abbrechen",
      "calls:read": "Anrufe lesen",
      "webhooks:manage": "Webhook verwalten, Ereignisse lesen",
      "do_not_call:manage": "Sperrliste verwalten",
      "agents:manage": "Agenten verwalten"
    },
    scopes: "Rechte",
    state: "Zustand",
    until: "bis",
    usable: "Aktiv"
  },
  usage: {
    calls: "Gewählte Anrufe",
    callsPerDay: "Anrufe und Minuten je Tag",
    cost: "Kosten",
    day: "Tag",
    days: "Tabelle der Tage",
    download: "Als CSV herunterladen",
    lastDays: (days) => `Letzte ${days} Tage`,
    minutes: "Gesprächsminuten",
    noCost: "Nicht gemeldet",
    perDay: "Je Tag",
    range: "Zeitraum",
    talked: "Gesprächszeit",
    zone: (zone) =>
      `Tage in ${zone}. Ein Anruf zählt an dem Tag, an dem er gewählt wurde; Kosten, soweit Anbieter sie gemeldet haben.`
  },
  audit: {
    action: "Aktion",
    actions: {
      "accounts.change": "Konto geändert",
      "accounts.change.paused": "Konto angehalten",
      "accounts.change.resumed": "Konto fortgesetzt",
      "accounts.create": "Konto angelegt",
      "agents.archive": "Agent archiviert",
      "agents.create": "Agent angelegt",
      "agents.put": "Agent geändert",
      "batches.cancel": "Stapel abgebrochen",
      "batches.start": "Stapel gestartet",
      "calls.cancel": "Anruf abgebrochen",
      "calls.hangUp": "Anruf aufgelegt",
      "calls.start": "Anruf gestartet",
      "console.link": "Link auf der Kommandozeile erstellt",
      "deliveries.recover": "Ereignisse ab einem Zeitpunkt erneut gesendet",
      "doNotCall.add": "Nummern auf die Sperrliste gesetzt",
      "doNotCall.import": "Sperrliste importiert",
      "doNotCall.remove": "Nummer von der Sperrliste entfernt",
      "events.recover": "Ereignisse ab einem Zeitpunkt erneut gesendet",
      "events.redeliver": "Ereignis erneut gesendet",
      "keys.create": "API-Schlüssel erstellt",
      "keys.revoke": "API-Schlüssel widerrufen",
      "links.create": "Link erstellt",
      "links.revoke": "Link zurückgezogen",
      "policy.put": "Anrufregeln geändert",
      "rehearsals.rehearse": "Agent geprobt",
      "session.end": "Abgemeldet",
      "session.open": "Mit einem Link angemeldet",
      "session.revoke": "Sitzung beendet",
      "switches.pause": "Konto angehalten oder fortgesetzt",
      "switches.pause.paused": "Konto angehalten",
      "switches.pause.resumed": "Konto fortgesetzt",
      "switches.pauseAll": "Alle Konten angehalten oder fortgesetzt",
      "switches.pauseAll.paused": "Not-Halt aller Konten",
      "switches.pauseAll.resumed": "Alle Konten fortgesetzt",
      "switches.pauseCarrier": "Carrier angehalten",
      "switches.resumeCarrier": "Carrier fortgesetzt",
      "talks.end": "Gespräch über die Tastatur beendet",
      "talks.start": "Gespräch über die Tastatur begonnen",
      "webhook.remove": "Webhook entfernt",
      "webhook.rotateSecret": "Neues Geheimnis für den Webhook erzeugt",
      "webhook.set": "Webhook geändert",
      "webhook.test": "Webhook geprüft"
    },
    actor: "Wer",
    allAccounts: "Alle",
    at: "Wann",
    done: "Erledigt",
    empty: "In der Konsole wurde noch nichts geändert",
    forAdmins: "Die Verwaltung sieht das Protokoll.",
    help: "Jede Änderung in der Konsole, neueste zuerst. 400 Tage aufbewahrt.",
    refused: (status) => `Abgewiesen (${status})`,
    result: "Ergebnis",
    role: "Rolle",
    target: "Was",
    unknown: "Unbekannt"
  },
  server: {
    sentences: {
      // Problems of fields.
      "is required": "ist erforderlich",
      "is not valid": "ist nicht gültig",
      "must be text": "muss Text sein",
      "must be a number": "muss eine Zahl sein",
      "must be a number or null": "muss eine Zahl oder null sein",
      "must be a whole number": "muss eine ganze Zahl sein",
      "must be a finite number": "muss eine endliche Zahl sein",
      "must be true or false": "muss true oder false sein",
      "must be a list": "muss eine Liste sein",
      "must be an object": "muss ein Objekt sein",
      "must be an object or null": "muss ein Objekt oder null sein",
      "must be a JSON value": "muss ein JSON-Wert sein",
      "must be text, a number, true or false": "muss Text, eine Zahl, true oder false sein",
      "must be one of {0}": "muss eines von {0} sein",
      "must not be empty": "darf nicht leer sein",
      "must not repeat an entry": "darf keinen Eintrag wiederholen",
      "must not repeat a kind": "darf keine Art wiederholen",
      "repeats a name": "wiederholt einen Namen",
      "must not repeat a name": "darf keinen Namen wiederholen",
      "must not repeat a scope": "darf kein Recht wiederholen",
      "must be in lower case": "muss klein geschrieben sein",
      "must have at most {#0} characters": "darf höchstens {0} Zeichen haben",
      "must have at most {#0} entries": "darf höchstens {0} Einträge haben",
      "must have at most {#0} windows": "darf höchstens {0} Zeitfenster haben",
      "must have at most {#0} dates": "darf höchstens {0} Tage haben",
      "must have at most {#0} limits": "darf höchstens {0} Grenzen haben",
      "must have at least one row": "muss mindestens eine Zeile haben",
      "must have no control characters": "darf keine Steuerzeichen enthalten",
      "must have no white space and no control characters": "darf weder Leerraum noch Steuerzeichen enthalten",
      "must have a letter or a digit": "muss einen Buchstaben oder eine Ziffer enthalten",
      "must have 1 to 64 letters, digits, _ and -": "muss aus 1 bis 64 Buchstaben, Ziffern, _ und - bestehen",
      "must name at least one country": "muss mindestens ein Land nennen",
      "must name at least one disposition": "muss mindestens ein Ergebnis nennen",
      "must name at least one kind of event": "muss mindestens eine Art von Ereignis nennen",
      "must name at least one scope": "muss mindestens ein Recht nennen",
      "must be a time of day from {0} to {1}, such as {2}": "muss eine Uhrzeit von {0} bis {1} sein, etwa {2}",
      "must be a date such as {0}": "muss ein Datum wie {0} sein",
      "must be {#0} to {#1}, or null": "muss zwischen {0} und {1} liegen oder null sein",
      "must be {#0} to {#1} seconds": "muss zwischen {0} und {1} Sekunden liegen",
      "must be {#0} to {#1} days": "muss zwischen {0} und {1} Tagen liegen",
      "must be {#0} to {#1} words": "muss zwischen {0} und {1} Wörtern liegen",
      "must be {#0} to {#1} printable ASCII characters": "muss aus {0} bis {1} druckbaren ASCII-Zeichen bestehen",
      "must be {#0} to {#1}": "muss zwischen {0} und {1} liegen",
      "must be a whole number of seconds from {#0} to {#1}":
        "muss eine ganze Zahl von Sekunden zwischen {0} und {1} sein",
      "must be the name of a time zone, such as {0}": "muss der Name einer Zeitzone sein, etwa {0}",
      "{0} is not a known time zone; use a name such as {1}": "{0} ist keine bekannte Zeitzone; ein Name ist etwa {1}",
      "must be a country code of two letters, such as {0}":
        "muss ein Ländercode aus zwei Großbuchstaben sein, etwa {0}",
      "{0} is not a country that has telephone numbers; use an ISO 3166 code such as {1}":
        "{0} ist kein Land mit Telefonnummern; ein Code nach ISO 3166 ist etwa {1}",
      "is not a known {0}; did you mean {1}?": "ist nicht bekannt; ist {1} gemeint?",
      "is not a known {0}; known are {1}": "ist nicht bekannt; bekannt sind {1}",
      "is not known to this deployment; known are {0}": "ist hier nicht bekannt; bekannt sind {0}",
      "needs a voicemail message to leave": "braucht eine Nachricht, die hinterlassen werden kann",
      "must be a variable key: a letter, then letters, digits, _ or spaces, at most 40 characters":
        "muss ein Schlüssel sein: ein Buchstabe, dann Buchstaben, Ziffern, _ oder Leerzeichen, höchstens 40 Zeichen",
      "has the placeholder {0}, which no call can fill: a key starts with a letter, then letters, digits, _ or spaces, at most 40 characters; contact.name, contact.email and contact.external_id are built in":
        "hat den Platzhalter {0}, den kein Anruf füllen kann: Ein Schlüssel beginnt mit einem Buchstaben und besteht aus Buchstaben, Ziffern, _ oder Leerzeichen, höchstens 40 Zeichen; contact.name, contact.email und contact.external_id sind eingebaut",
      "must be an absolute https address": "muss eine vollständige https-Adresse sein",
      "must begin with https://": "muss mit https:// beginnen",
      "must not carry a user name or password": "darf weder Benutzernamen noch Passwort enthalten",
      "may have at most {#0} characters": "darf höchstens {0} Zeichen haben",
      "may have port 443 or 8443 only": "darf nur Port 443 oder 8443 haben",
      "must name its host; IP addresses are not allowed": "muss einen Namen nennen; IP-Adressen sind nicht erlaubt",
      "must have a full host name, such as hooks.example.com":
        "muss einen vollständigen Namen haben, etwa hooks.example.com",
      "must have a host name of letters, digits and hyphens":
        "muss einen Namen aus Buchstaben, Ziffern und Bindestrichen haben",
      "must have a public host name": "muss einen öffentlichen Namen haben",
      "must be written as it is requested: {0}": "muss so geschrieben sein, wie sie abgerufen wird: {0}",
      "must be an e-mail address": "muss eine E-Mail-Adresse sein",
      "must be at most {#0} bytes of JSON, and is {#1}": "darf höchstens {0} Bytes JSON haben, und hat {1}",
      "must be a UUID": "muss eine UUID sein",
      "must be later than {0}": "muss später als {0} sein",
      "must be in the future": "muss in der Zukunft liegen",
      "must be within {#0} days": "muss innerhalb von {0} Tagen liegen",
      "must not lie before since": "darf nicht vor since liegen",
      "must be names of personas that speak the agent's language":
        "müssen Namen von Personen sein, die die Sprache des Agenten sprechen",
      "took longer than {0} seconds; ask for fewer, or use outdial rehearse":
        "haben länger als {0} Sekunden gedauert; wählen Sie weniger, oder verwenden Sie outdial rehearse",
      "is required, because the batch names no agent for all rows":
        "ist erforderlich, weil der Stapel keinen Agenten für alle Zeilen nennt",
      // Telephone numbers.
      "must be a telephone number in E.164 form: \"+\", then 7 to 15 digits of which the first is not 0, such as {0}":
        "muss eine Telefonnummer in der Form E.164 sein: „+“, dann 7 bis 15 Ziffern, deren erste nicht 0 ist, etwa {0}",
      "is not a telephone number in {0}, your default country; give it in E.164 form, such as {1}":
        "ist keine Telefonnummer in {0}, Ihrem vorgegebenen Land; schreiben Sie sie in der Form E.164, etwa {1}",
      "is not a telephone number that its country can have": "ist keine Telefonnummer, die es in ihrem Land geben kann",
      "is a premium-rate number, which is never called": "ist eine Mehrwertnummer; solche werden nie angerufen",
      "could not be called at any time within a year; your policy leaves none ({0})":
        "könnte innerhalb eines Jahres nie angerufen werden; Ihre Regeln lassen keine Zeit ({0})",
      "is on your do-not-call list and will not be called": "steht auf Ihrer Sperrliste und wird nicht angerufen",
      "lines hold no telephone number: give one on each line, such as {0}, or a CSV with the number in the first column":
        "Keine Zeile enthält eine Telefonnummer: Geben Sie auf jeder Zeile eine an, etwa {0}, oder eine CSV-Datei mit der Nummer in der ersten Spalte",
      "lines hold no telephone number: give one on each line, such as {0}, or a CSV with the number in the first column; line {1} has {2}":
        "Keine Zeile enthält eine Telefonnummer: Geben Sie auf jeder Zeile eine an, etwa {0}, oder eine CSV-Datei mit der Nummer in der ersten Spalte; Zeile {1} ist {2}",
      "The number is a premium-rate number, which is never called":
        "Die Nummer ist eine Mehrwertnummer; solche werden nie angerufen",
      "The number could not be called at any time within a year; your policy leaves none ({0})":
        "Die Nummer könnte innerhalb eines Jahres nie angerufen werden; Ihre Regeln lassen keine Zeit ({0})",
      "The number is on your do-not-call list and will not be called":
        "Die Nummer steht auf Ihrer Sperrliste und wird nicht angerufen",
      // Errors of requests.
      "calls has more than {0} rows; send several batches": "Ein Stapel hat höchstens {0} Zeilen; starten Sie mehrere",
      "agent_id {0} is not one of your agents; GET /v1/agents lists them": "{0} ist keiner Ihrer Agenten",
      "The agent needs values for {0}; add them to variables":
        "Der Agent braucht Werte für {0}; geben Sie sie als Variablen an",
      "This number has been called as often as your limits allow for now; try again at {0}":
        "Diese Nummer wurde so oft angerufen, wie Ihre Grenzen es zurzeit erlauben; wieder möglich ab {0}",
      "A call to this number is already waiting: {0}. Let it ring, or cancel it first":
        "Ein Anruf an diese Nummer wartet schon: {0}. Warten Sie ihn ab, oder brechen Sie ihn zuerst ab",
      "This Idempotency-Key was used with another request, which made {0}. Use a new key for a new request":
        "Dieser Idempotency-Key gehört zu einer anderen Anfrage, aus der {0} entstanden ist. Für eine neue Anfrage ist ein neuer nötig: Laden Sie die Seite neu",
      "A request with this Idempotency-Key is still in progress; try again in a second":
        "Die gleiche Anfrage wird noch bearbeitet; versuchen Sie es in einer Sekunde wieder",
      "{0} is {1}; only a call that is queued can be canceled":
        "Der Anruf {0} wartet nicht mehr; nur ein Anruf, der wartet, kann abgebrochen werden",
      "{0} is queued and has not been dialed; cancel it instead":
        "{0} wartet und wurde noch nicht gewählt; brechen Sie ihn ab",
      "The maximum number of previous secrets is still valid, the oldest until {0}. Wait, or send grace_period_seconds 0, which ends them all at once":
        "So viele frühere Geheimnisse, wie es geben darf, gelten noch, das älteste bis {0}. Warten Sie, oder beenden Sie alle sofort",
      "The webhook is disabled and its events are held; PUT /v1/webhook with enabled true sends them":
        "Der Webhook ist abgeschaltet, und seine Ereignisse werden gehalten; schalten Sie ihn ein, um sie zu senden",
      "The {0} is no longer kept; GET /v1/calls/{id} shows how the call ended":
        "Das Ereignis wird nicht mehr aufbewahrt; die Seite des Anrufs zeigt, wie er endete",
      "More than {0} requests in a minute; try again in {1} seconds":
        "Mehr als {0} Anfragen in einer Minute; versuchen Sie es in {1} Sekunden wieder",
      "You already follow {0} transcripts; close one of the streams first":
        "Sie verfolgen schon {0} Mitschriften; schließen Sie zuerst eine davon",
      "This session has {0} pages open already; close one of them":
        "Diese Sitzung hat schon {0} offene Seiten; schließen Sie eine davon",
      "You can hold {0} conversations at a time; try again when one is over":
        "Sie können {0} Gespräche zugleich führen; versuchen Sie es wieder, wenn eines zu Ende ist",
      "You can run one rehearsal, and all accounts together {0}, at a time; try again when one is over":
        "Zugleich läuft eine Probe je Konto, und höchstens {0} in allen; versuchen Sie es wieder, wenn eine zu Ende ist",
      "The application that has this console signs its users in itself, so a link opens nothing here":
        "Die Anwendung, zu der diese Konsole gehört, meldet ihre Benutzer selbst an; ein Link öffnet hier nichts",
      "This link is not valid: each works once, for ten minutes. Ask an administrator of the console for another, or run: outdial console link":
        "Dieser Link gilt nicht: Jeder öffnet einmal, in den ersten zehn Minuten. Bitten Sie einen Administrator der Konsole um einen neuen, oder starten Sie: outdial console link",
      "Something went wrong on our side; quote the request id when you report it":
        "Auf dem Server ist etwas schiefgegangen; geben Sie die Nummer der Anfrage an, wenn Sie es melden",
      "The service is stopping; try again in a few seconds":
        "Der Dienst wird beendet; versuchen Sie es in einigen Sekunden wieder",
      "The service is unavailable, and nothing was done; try again in a few seconds":
        "Der Dienst ist nicht verfügbar, und es wurde nichts getan; versuchen Sie es in einigen Sekunden wieder",
      // Failures of rehearsals.
      "The contact said {0}, and the number is not on the do-not-call list.":
        "Der Kontakt sagte {0}, und die Nummer steht nicht auf der Sperrliste.",
      "The call took {0}; at most {1} are allowed.": "Der Anruf dauerte {0}; erlaubt sind höchstens {1}.",
      "Neither side spoke for {0}; at most {1} are allowed.":
        "Keine Seite sprach {0} lang; erlaubt sind höchstens {1}.",
      "The agent said {0} characters at once; at most {1} are allowed.":
        "Der Agent sagte {0} Zeichen auf einmal; erlaubt sind höchstens {1}.",
      "The agent said {0} before the disclosure was heard.": "Der Agent sagte {0}, bevor der Hinweis gehört wurde.",
      // Presets of calling rules.
      "Not legal advice. Opt-in data, compiled 2026-11-21 from the sources listed, many of them secondary. Rules change; check them before calling anyone.":
        "Keine Rechtsberatung. Zusammengestellt am 21.11.2026 aus den genannten Quellen, viele davon aus zweiter Hand. Regeln ändern sich; prüfen Sie sie, bevor Sie jemanden anrufen.",
      "US federal (TCPA / TSR) telemarketing": "USA, Bundesrecht für Telefonwerbung (TCPA / TSR)",
      "US debt collection (12 CFR 1006, Regulation F)": "USA, Inkasso (12 CFR 1006, Regulation F)",
      "US, one window for every state above": "USA, ein Zeitfenster für alle genannten Staaten",
      "Texas (Bus. & Com. Code 301.051; SB 140 from 2025-09-01)":
        "Texas (Bus. & Com. Code 301.051; SB 140, ab 01.09.2025)",
      "DE + state": "DE und Bundesland",
      "ES + region": "ES und Region",
      "AU national": "AU, landesweit",
      "Maine (automated calls)": "Maine (automatische Anrufe)",
      "Canada (CRTC Unsolicited Telecommunications Rules)": "Kanada (CRTC Unsolicited Telecommunications Rules)",
      "United Kingdom": "Vereinigtes Königreich",
      "Germany (UWG 7, 7a; CCV/DDV code)": "Deutschland (UWG §§ 7, 7a; Kodex von CCV/DDV)",
      "France (Code conso D.223-9; loi 2025-594 from 2026-08-11)":
        "Frankreich (Code conso D.223-9; loi 2025-594, ab 11.08.2026)",
      "Italy (Codice di condotta telemarketing, from 2024-09-28)":
        "Italien (Codice di condotta telemarketing, ab 28.09.2024)",
      "Spain (TRLGDCU art. 96.2, LGTel art. 66, Orden TDF/149/2025)":
        "Spanien (TRLGDCU art. 96.2, LGTel art. 66, Orden TDF/149/2025)",
      "India (TRAI TCCCPR 2018, amended 2025)": "Indien (TRAI TCCCPR 2018, geändert 2025)",
      "Australia (Telemarketing and Research Calls Industry Standard 2017)":
        "Australien (Telemarketing and Research Calls Industry Standard 2017)",
      "Consent: AI voice = \"artificial voice\": prior express consent; written for marketing. Caller identity at the start; opt-out that works in the call.":
        "Einwilligung: Eine KI-Stimme ist eine „artificial voice“: vorherige ausdrückliche Einwilligung, für Werbung schriftlich. Name des Anrufers zu Beginn; ein Widerspruch, der im Anruf wirkt.",
      "Ring at least 15 s or 4 rings before giving up on a telemarketing call.":
        "Mindestens 15 s oder 4-mal klingeln lassen, bevor ein Werbeanruf aufgegeben wird.",
      "Abandoned <= 3 % of answered calls per 30 days and campaign.":
        "Aufgegebene Anrufe: höchstens 3 % der angenommenen in 30 Tagen je Kampagne.",
      "Exempted (no consent) artificial-voice calls to residences: 3 in 30 days.":
        "Von der Einwilligung ausgenommene Anrufe mit künstlicher Stimme an Privatanschlüsse: 3 in 30 Tagen.",
      "After a call with the result completed: 7 days until the next. A policy has one gap for all results.":
        "Nach einem Anruf mit dem Ergebnis completed: 7 Tage bis zum nächsten. Regeln haben einen Abstand für alle Ergebnisse.",
      "The limit of 7 in 7 days counts only calls with the results completed and no_answer. A policy counts others too, which is stricter.":
        "Die Grenze von 7 in 7 Tagen zählt nur Anrufe mit den Ergebnissen completed und no_answer. Ihre Regeln zählen auch andere, was strenger ist.",
      "Busy signal or number not in service does not count (comment 14(b)(3)(ii)-1); ringing unanswered counts.":
        "Besetztzeichen und nicht vergebene Nummern zählen nicht (Kommentar 14(b)(3)(ii)-1); Klingeln ohne Antwort zählt.",
      "Gap of 7 consecutive days after a conversation; the day of the conversation is day 1.":
        "7 Tage Abstand nach einem Gespräch; der Tag des Gesprächs ist der erste.",
      "Unclear location: the time must be convenient in ALL candidate locations (comment 6(b)(1)-2).":
        "Unklarer Ort: Die Zeit muss an ALLEN möglichen Orten passen (Kommentar 6(b)(1)-2).",
      "Two unanswered calls within 5 minutes, or 7 in one day, can rebut compliance: add a recall gap.":
        "Zwei unbeantwortete Anrufe in 5 Minuten, oder 7 an einem Tag, können die Vermutung der Einhaltung widerlegen: Geben Sie einen Abstand an.",
      "Consent: Prior express written consent for automated selection or dialing / recorded message.":
        "Einwilligung: vorherige ausdrückliche schriftliche Einwilligung für automatische Auswahl oder Wahl der Nummer und für Bandansagen.",
      "3 per 24 h on the same subject, whatever number it is called from.":
        "3 in 24 h zum gleichen Anliegen, gleich von welcher Nummer aus.",
      "Area code presumes residence.": "Die Vorwahl gilt als Wohnort.",
      "Forbids intentionally altering the voice of the caller (vicidial note, check).":
        "Verbietet, die Stimme des Anrufers absichtlich zu verändern (Hinweis von vicidial, prüfen).",
      "After a call with the result opted_out: 365 days until the next. A policy has one gap for all results.":
        "Nach einem Anruf mit dem Ergebnis opted_out: 365 Tage bis zum nächsten. Regeln haben einen Abstand für alle Ergebnisse.",
      "Identify yourself, company and purpose within 30 s.": "Name, Firma und Zweck innerhalb von 30 s nennen.",
      "End the call within 10 s of being asked.": "Den Anruf innerhalb von 10 s beenden, wenn darum gebeten wird.",
      "No call for at least a year after opt-out (treat as permanent).":
        "Mindestens ein Jahr kein Anruf nach einem Widerspruch (als dauerhaft behandeln).",
      "Consent: Registration of sellers and 10,000 USD security unless exempt.":
        "Einwilligung: Anmeldung der Verkäufer und 10.000 USD Sicherheit, außer bei Ausnahmen.",
      "3 per 24 h from memory of the Act: check.": "3 in 24 h, aus dem Gedächtnis: prüfen.",
      "Enacted text of SB 992 not seen: verify hours.": "Der verkündete Text von SB 992 lag nicht vor: Zeiten prüfen.",
      "Kentucky opens 10:00, Maine (automated) closes 17:00 and closes weekends.":
        "Kentucky beginnt um 10:00, Maine (automatische Anrufe) endet um 17:00 und schließt am Wochenende.",
      "Without Maine and Pennsylvania: Mon-Sat 10:00-20:00, Sunday closed.":
        "Ohne Maine und Pennsylvania: Mo–Sa 10:00–20:00, sonntags geschlossen.",
      "Secondary sources disagree (9-21 or 9-20); the stricter is used.":
        "Quellen aus zweiter Hand widersprechen sich (9–21 oder 9–20); die strengere gilt hier.",
      "Consent: A synthesized voice is an ADAD: express consent for telemarketing, even with an existing relationship.":
        "Einwilligung: Eine synthetische Stimme ist ein ADAD: ausdrückliche Einwilligung für Werbung, auch bei bestehender Beziehung.",
      "Internal do-not-call: add within 14 days, keep 3 years and 14 days. National list no older than 31 days.":
        "Eigene Sperrliste: innerhalb von 14 Tagen eintragen, 3 Jahre und 14 Tage aufbewahren. Nationale Liste nicht älter als 31 Tage.",
      "British Columbia and Manitoba license telemarketers; BC also restricts holidays.":
        "British Columbia und Manitoba lizenzieren Telefonwerber; BC beschränkt auch Feiertage.",
      "Consent: Regulation 19: automated marketing calls that are not live speech need prior consent. Whether a conversing AI counts was not settled by any source found: treat as automated.":
        "Einwilligung: Regulation 19: Automatische Werbeanrufe, die keine Live-Sprache sind, brauchen vorherige Einwilligung. Ob eine sprechende KI dazu zählt, klärte keine gefundene Quelle: als automatisch behandeln.",
      "After a call with the result abandoned: 3 days until the next. A policy has one gap for all results.":
        "Nach einem Anruf mit dem Ergebnis abandoned: 3 Tage bis zum nächsten. Regeln haben einen Abstand für alle Ergebnisse.",
      "No statutory hours; 08:00-21:00 is industry practice, not verified here.":
        "Keine gesetzlichen Zeiten; 08:00–21:00 ist Branchenpraxis, hier nicht geprüft.",
      "72 h before redialling an abandoned call unless a live operator is guaranteed; abandoned <= 3 % of live calls per 24 h.":
        "72 h bis zur Wiederwahl nach einem aufgegebenen Anruf, außer ein Mensch ist sicher am Apparat; aufgegebene höchstens 3 % der von Menschen angenommenen Anrufe in 24 h.",
      "Screen TPS/CTPS and own list; CLI must be shown.":
        "Mit TPS/CTPS und eigener Liste abgleichen; die Rufnummer muss angezeigt werden.",
      "Consent: Prior express consent for every consumer call; keep proof 5 years from consent and from each use (7a UWG).":
        "Einwilligung: vorherige ausdrückliche Einwilligung für jeden Anruf bei Verbrauchern; Nachweis 5 Jahre ab Einwilligung und ab jeder Verwendung aufbewahren (§ 7a UWG).",
      "No statutory hours: the window is the industry code. Ring 15-40 s. At most 30 attempts a campaign.":
        "Keine gesetzlichen Zeiten: Das Zeitfenster ist das des Branchenkodex. 15–40 s klingeln. Höchstens 30 Versuche je Kampagne.",
      "Consent: Since 2026-08-11 opt-in only (or a running contract). Renovation and home adaptation: forbidden.":
        "Einwilligung: Seit 11.08.2026 nur mit Einwilligung (oder laufendem Vertrag). Renovierung und Wohnungsanpassung: verboten.",
      "After a call with the result refused: 60 days until the next. A policy has one gap for all results.":
        "Nach einem Anruf mit dem Ergebnis refused: 60 Tage bis zum nächsten. Regeln haben einen Abstand für alle Ergebnisse.",
      "Hours are in the consumer time zone (DOM-TOM differ).":
        "Die Zeiten gelten in der Zeitzone des Verbrauchers (DOM-TOM weichen ab).",
      "Under the 2022 decree express consent lifted the hours; whether the new decree keeps that was not found.":
        "Nach dem Dekret von 2022 hob ausdrückliche Einwilligung die Zeiten auf; ob das neue Dekret das beibehält, wurde nicht gefunden.",
      "French public holidays (L.3133-1).": "Französische Feiertage (L.3133-1).",
      "Days before a holiday use the Saturday hours 10-19.":
        "An Tagen vor einem Feiertag gelten die Samstagszeiten 10–19.",
      "Binding on members; Registro delle opposizioni applies to all.":
        "Verbindlich für Mitglieder; das Registro delle opposizioni gilt für alle.",
      "Consent: Art. 66.1.a: automatic calls without human intervention need prior consent.":
        "Einwilligung: Art. 66.1.a: Automatische Anrufe ohne menschliches Zutun brauchen vorherige Einwilligung.",
      "No commercial calls from mobile numbers since 2025-06-07; prefix 400 planned (Feb 2026).":
        "Seit 07.06.2025 keine Werbeanrufe von Mobilnummern; Vorwahl 400 geplant (Feb. 2026).",
      "Consent: Auto-dialer and robo calls are a mode a subscriber can block; use 140 (promotional) or 1600 (service) numbers, not 10-digit mobiles.":
        "Einwilligung: Automatische Anrufe kann ein Teilnehmer sperren lassen; Nummern mit 140 (Werbung) oder 1600 (Dienste) verwenden, keine zehnstelligen Mobilnummern.",
      "Subscribers may choose their own time bands and day types.":
        "Teilnehmer dürfen eigene Zeiten und Arten von Tagen wählen.",
      "Research calls: weekdays to 20:30, Saturday and Sunday 9-17.":
        "Umfragen: werktags bis 20:30, samstags und sonntags 9–17.",
      "End the call at once when asked. CLI on.":
        "Den Anruf sofort beenden, wenn darum gebeten wird. Rufnummernanzeige an.",
      "intersection of the us-* entries of this table": "Schnittmenge der Einträge us-* dieser Tabelle"
    }
  },
  sessions: {
    allAccounts: "Alle Konten",
    create: "Link erzeugen",
    created: "Erzeugt",
    current: "Dieser Browser",
    empty: "Kein Link hat eine Sitzung geöffnet",
    expires: "Endet",
    forAdmins: "Die Verwaltung sieht die Sitzungen.",
    help:
      "Ein Link lässt eine Person ein. Er gilt einmal, zehn Minuten lang, und wird in ihrem Browser zu einer Sitzung von 12 Stunden.",
    hostHelp:
      "Ihre Anwendung meldet ihre Benutzer selbst an. Sitzungen von Links, die anderswo geöffnet wurden, stehen auch hier.",
    lastUsed: "Zuletzt benutzt",
    link: "Link",
    name: "Name",
    nameHelp: "Wer den Link bekommt. So steht die Person im Änderungsprotokoll.",
    once: "Der Link wird nur dieses eine Mal gezeigt",
    onceHelp: "Senden Sie ihn nur dieser Person: Wer ihn zuerst öffnet, ist angemeldet.",
    revoke: "Beenden",
    revokeHelp: "Dieser Browser wird sofort abgemeldet. Er braucht einen neuen Link.",
    revokeTitle: "Sitzung beenden?",
    role: "Rolle",
    roleHelp: {
      viewer: "Sieht Anrufe und Ergebnisse, mit verdeckten Nummern. Ändert nichts.",
      operator: "Startet Anrufe, bricht sie ab und hält sie an, und sieht Telefonnummern.",
      admin: "Darf alles, auch Links erzeugen."
    },
    unused: "Noch nicht geöffnete Links",
    withdraw: "Zurückziehen",
    withdrawHelp: "Der Link funktioniert dann nicht mehr.",
    withdrawTitle: "Link zurückziehen?",
    worksUntil: "Gilt bis"
  },
  accounts: {
    calling: "Ruft an",
    create: "Konto anlegen",
    created: "Angelegt",
    edit: "Bearbeiten",
    forAdmins: "Die Verwaltung verwaltet die Konten.",
    lines: "Leitungen",
    linesHelp: "Wie viele Anrufe das Konto zugleich führt.",
    name: "Name",
    oneOnly: "Ihre Sitzung gilt für ein Konto.",
    pause: "Anhalten",
    paused: "Angehalten",
    pauseHelp:
      "Ab jetzt wird kein Anruf dieses Kontos gewählt. Laufende Gespräche gehen weiter, wartende Anrufe warten.",
    resume: "Fortsetzen",
    resumeHelp: "Wartende Anrufe dieses Kontos werden wieder gewählt, wie die Regeln es erlauben.",
    state: "Zustand"
  },
  link: {
    continue: "Mit der Sitzung dieses Browsers weitermachen",
    ended:
      "Sitzungen dauern 12 Stunden und können widerrufen werden. Bitten Sie die Verwaltung um einen Link, oder führen Sie dies dort aus, wo die Datenbank des Servers ist:",
    endedTitle: "Ihre Sitzung ist beendet",
    host: "Wenn Sie aus einer Anwendung kommen, melden Sie sich dort erneut an.",
    intro: "Dieser Link gilt einmal. Er meldet diesen Browser für 12 Stunden an.",
    invalid:
      "Er wurde benutzt oder zurückgezogen, oder er ist älter als zehn Minuten. Bitten Sie die Verwaltung um einen neuen, oder führen Sie dies dort aus, wo die Datenbank des Servers ist:",
    invalidTitle: "Dieser Link gilt nicht mehr",
    open: "Konsole öffnen",
    title: "Outdial-Konsole"
  },
  now: {
    allResumed: "In allen Konten gehen wieder Anrufe hinaus",
    allStopped: "Not-Halt: Kein neuer Anruf wird gewählt",
    asOf: "Stand",
    answerRate: "Heute angenommen",
    busyToday: "Heute besetzt",
    callingNow: (live, waiting) =>
      `${count(live, "Anruf läuft", "Anrufe laufen")}, ${
        waiting === 0 ? "keiner wartet" : count(waiting, "wartet", "warten")
      }.`,
    callsColumn: "Anrufe",
    carrierResumed: (name) => `${name} wählt wieder`,
    carrierStopped: (name, reason) => `${name} ist angehalten${reason === "" ? "" : `: ${reason}`}. Die Anrufe warten.`,
    carriers: "Netzanbieter",
    completionRate: "Heute abgeschlossen",
    consequences: [
      "Wartende Anrufe bleiben in der Warteschlange. Wer inzwischen abläuft, wird nicht angerufen.",
      "Begonnene Gespräche gehen bis zu ihrem Ende weiter.",
      "Sie können jederzeit auf dieser Seite fortsetzen."
    ],
    day: (zone) => zone === undefined ? "seit Mitternacht" : `seit Mitternacht, ${zone}`,
    demoStart: "Demo-Kampagne starten",
    demoStarted: (calls) => `${count(calls, "Anruf", "Anrufe")} in der Warteschlange`,
    demoText:
      "Der Demo-Agent ruft zwanzig simulierte Menschen an. Kein echtes Telefon klingelt. Verfolgen Sie ein Gespräch, während es gesprochen wird, und hören Sie die Aufnahme.",
    demoTitle: "Ihre ersten Anrufe",
    dialing: "Wählt",
    dialingDetail: "klingelt",
    dials: "Wählt",
    estimate: "Nicht jeder wartende Anruf wurde geprüft; die Anteile sind geschätzt.",
    failedToday: "Heute fehlgeschlagen",
    firstDue: "Zuerst fällig",
    heldBy: (calls, reason) => `${count(calls, "Anruf wartet", "Anrufe warten")}: ${reason}.`,
    heldByColumn: "Gehalten durch",
    help: {
      storage:
        "Die Datenbank antwortet nicht. Begonnene Anrufe gehen weiter; bis sie wieder da ist, wird nichts Neues gewählt.",
      all_paused:
        "Der Not-Halt ist an. Wartende Anrufe bleiben in der Warteschlange, begonnene Gespräche gehen weiter.",
      paused:
        "Dieses Konto ist angehalten. Wartende Anrufe bleiben in der Warteschlange, begonnene Gespräche gehen weiter.",
      no_worker: "Kein Prozess wählt. Starten Sie einen mit der Rolle worker, siehe „outdial serve --help“.",
      idle: "Neue Anrufe werden gewählt, sobald die Regeln es erlauben.",
      starting: "Wartende Anrufe werden gleich gewählt."
    },
    inProgress: "Im Gespräch",
    inProgressDetail: "spricht",
    lines: "Belegte Leitungen",
    nextDue: "Als Nächstes fällig:",
    noAnswerToday: "Heute keine Antwort",
    noneWaiting: "Es wartet kein Anruf.",
    ofLines: (limit) => `von ${new Intl.NumberFormat("de").format(limit)}`,
    oldestDue: "Älteste fällig",
    openDeliveries: "Offene Zustellungen",
    outOf: (part, whole) =>
      `${new Intl.NumberFormat("de").format(part)} von ${new Intl.NumberFormat("de").format(whole)}`,
    pause: "Dieses Konto anhalten",
    pauseText: "Kein neuer Anruf dieses Kontos wird gewählt. Andere Konten machen weiter.",
    pauseTitle: "Dieses Konto anhalten?",
    paused: "Das Konto ist angehalten",
    pausedByFault: "Durch einen Fehler angehalten",
    pausedByOperator: "Von Hand angehalten",
    placedToday: "Heute gewählt",
    recentCalls: "Neueste Anrufe",
    resume: "Dieses Konto fortsetzen",
    resumeAll: "Alle Konten fortsetzen",
    resumeAllText:
      "Wartende Anrufe werden wieder gewählt, wie die Regeln es erlauben. Einzeln angehaltene Konten bleiben angehalten.",
    resumeAllTitle: "In allen Konten wieder anrufen?",
    resumeCarrier: "Fortsetzen",
    resumeCarrierText: "Wartende Anrufe werden wieder darüber gewählt. Besteht der Fehler noch, hält er wieder an.",
    resumeCarrierTitle: (name) => `Wieder über ${name} wählen?`,
    resumeText: "Wartende Anrufe werden wieder gewählt, wie die Regeln es erlauben.",
    resumeTitle: "Dieses Konto fortsetzen?",
    resumed: "Das Konto ruft wieder an",
    since: "Seit",
    standing: "Stand der Anrufe",
    standings: {
      storage: "Die Datenbank ist nicht bereit",
      all_paused: "Not-Halt: Es gehen keine Anrufe hinaus",
      paused: "Angehalten: Es gehen keine Anrufe hinaus",
      no_worker: "Es gehen keine Anrufe hinaus",
      carriers: "Der Netzanbieter ist angehalten",
      calling: "Anrufe gehen hinaus",
      starting: "Gleich gehen Anrufe hinaus",
      held: "Alle Anrufe werden gehalten",
      idle: "Bereit: Es warten keine Anrufe"
    },
    stopAll: "Not-Halt",
    stopAllConfirm: "Alle Anrufe anhalten",
    stopAllText: "In keinem Konto und über keinen Netzanbieter wird ein neuer Anruf gewählt, bis Sie fortsetzen.",
    stopAllTitle: "In allen Konten aufhören anzurufen?",
    waiting: "Wartend",
    waitingCalls: "Wartende Anrufe",
    waitingDetail: "in der Warteschlange",
    webhook: "Webhook",
    webhookDisabled: "Abgeschaltet",
    webhookFailing: "Empfänger antwortet nicht",
    webhookMissing: "Nicht gesetzt",
    webhookMissingText:
      "Es ist keine Adresse gesetzt, daher gehen Ereignisse nirgendwohin. Sie werden 30 Tage aufbewahrt.",
    webhookWorks: "Stellt zu",
    workers: "Wählende Prozesse"
  },
  call: {
    answeredBy: { human: "Ein Mensch", voicemail: "Anrufbeantworter", unknown: "Unbekannt, gilt als Mensch" },
    answeredByName: "Angenommen von",
    asSpoken: "Während gesprochen wird",
    attempt: (number, cause) => `Versuch ${number} (${cause})`,
    callId: "Anruf-Kennung",
    callback: "Rückruf",
    callsOfBatch: "Anrufe des Stapels",
    cancel: "Anruf abbrechen",
    cancelText:
      "Das Telefon wird nicht klingeln. Ein abgebrochener Anruf kann nicht fortgesetzt werden; Sie starten dann einen neuen.",
    cancelTitle: "Diesen Anruf abbrechen?",
    canceled: "Der Anruf ist abgebrochen",
    causes: { schedule: "nach Plan", probe: "Probe", redeliver: "erneut gesendet", recover: "nachgeholt" },
    cost: "Kosten",
    deliveryStates: {
      pending: "Wartet",
      sending: "Wird gesendet",
      delivered: "Zugestellt",
      exhausted: "Aufgegeben",
      held: "Gehalten: Webhook abgeschaltet",
      dropped: "Verworfen: Webhook entfernt"
    },
    details: "Details",
    dialed: "Gewählt",
    doNotCall: "Sperrliste",
    doNotCallText: "Will nicht mehr angerufen werden",
    email: "E-Mail",
    ended: "Beendet",
    eventId: "Ereignis-Kennung",
    events: "Ereignisse und Zustellungen",
    followUp: "Folgeanruf",
    hangUp: "Auflegen",
    hangUpText: "Das Gespräch endet sofort, mitten im Satz. Was gesagt wurde, bleibt erhalten.",
    hangUpTitle: "Diesen Anruf auflegen?",
    hungUp: "Der Anruf wird aufgelegt",
    interrupted: "(unterbrochen)",
    leadRating: "Bewertung",
    loadingRecording: "Die Aufnahme wird geladen …",
    meeting: "Termin",
    metadata: "Metadaten",
    models: "Sprachmodelle",
    next: {
      queued: "Wartet: wird gewählt, sobald eine Leitung frei ist",
      held: "Gehalten",
      dialing: "Das Telefon klingelt",
      in_progress: "Sie sprechen gerade",
      completed: "Das Gespräch hat stattgefunden",
      outcomePending: "Das Gespräch ist zu Ende. Sein Ergebnis entsteht, meist binnen einer Minute.",
      no_answer: "Es kam kein Gespräch zustande",
      busy: "Es war besetzt",
      failed: "Der Anruf ist fehlgeschlagen",
      canceled: "Der Anruf wurde abgebrochen",
      expired: "Der Anruf lief ab, bevor er gewählt werden konnte",
      carrierSays: "Der Netzanbieter sagt:",
      due: "Fällig:"
    },
    noAnswer: "Keine Antwort",
    noDelivery: "Nicht zugestellt: Für diese Art von Ereignis war kein Webhook gesetzt.",
    noEvents: "Noch keine Ereignisse.",
    noWorker: "Zurzeit wählt kein Prozess.",
    nothingSaid: "Es wurde nichts gesagt, oder das Transkript wurde gelöscht.",
    nothingSaidYet: "Es wurde noch nichts gesagt. Die Worte erscheinen hier, während sie gesprochen werden.",
    ofTen: (rating) => `${rating} von 10`,
    outcome: "Ergebnis",
    pauseRecording: "Aufnahme anhalten",
    playFrom: (at) => `Ab ${at} abspielen`,
    playRecording: "Aufnahme abspielen",
    position: "Stelle in der Aufnahme",
    positionOf: (at, length) => `${at} von ${length}`,
    recording: "Aufnahme",
    recordingBroken: "Dieser Browser kann die Aufnahme nicht abspielen.",
    redeliver: "Erneut senden",
    redelivered: "Das Ereignis wird erneut gesendet",
    requested: "Gewünscht",
    restsOn: "Beruht auf:",
    asOf: "Wie sie angewandt wurden um",
    noRuleDecided:
      "Keine Regel hat entschieden: Der Anruf wurde auf Wunsch abgebrochen. Der Verlauf zeigt, was ihn gehalten hatte.",
    rules: "Anrufregeln jetzt",
    rulesAtDial: "Anrufregeln bei der Wahl",
    rulesAtEnd: "Anrufregeln am Ende",
    rulesNotKept: "Was die Regeln über diesen Anruf entschieden haben, wurde nicht aufbewahrt.",
    speakers: { agent: "Agent", contact: "Kontakt" },
    steps: {
      created: "Angenommen",
      held: "Gehalten",
      heldNow: "Wird jetzt gehalten",
      omitted: (count) =>
        count === 1
          ? "Ein weiteres Halten davor ist nicht gespeichert"
          : `${count} weitere Haltezeiten davor sind nicht gespeichert`,
      dialed: "Gewählt",
      answered: "Abgehoben",
      machines: {
        voicemail: "Ein Anrufbeantworter ging dran",
        ivr: "Ein Telefonmenü ging dran",
        fax: "Ein Fax ging dran"
      },
      ended: {
        queued: "Wartet",
        dialing: "Wählt",
        in_progress: "Im Gespräch",
        completed: "Abgeschlossen",
        no_answer: "Ohne Antwort beendet",
        busy: "Besetzt",
        failed: "Fehlgeschlagen",
        canceled: "Abgebrochen",
        expired: "Abgelaufen"
      },
      recording: "Aufnahme gespeichert",
      noRecording: "Aufnahme erwartet",
      outcome: "Ergebnis liegt vor",
      noOutcome: "Es konnte kein Ergebnis erzeugt werden",
      alone: "Einzelner Anruf",
      inBatch: "Als Teil eines Stapels",
      over: (carrier) => `Über ${carrier}`,
      until: "bis"
    },
    summary: "Zusammenfassung",
    timeZone: "Zeitzone",
    timeline: "Verlauf",
    title: "Anruf",
    titleOf: (name) => `Anruf bei \u2068${name}\u2069`,
    toNewest: "Zu den neuesten Worten",
    tokens: (requests, read, written) =>
      `${count(requests, "Anfrage", "Anfragen")}, ${count(read, "Token", "Token")} gelesen, ${
        count(written, "Token", "Token")
      } geschrieben`,
    traceId: "Trace-Kennung",
    transcript: "Transkript",
    unsupported: "Keine Worte des Kontakts belegen eine Antwort.",
    variables: "Variablen",
    zones: "Der Angerufene kann sein in:"
  },
  calls: {
    columns: {
      agent: "Agent",
      batch: "Stapel",
      contact: "Kontakt",
      created: "Angelegt",
      duration: "Dauer",
      externalId: "Externe Kennung",
      number: "Nummer",
      result: "Ergebnis",
      status: "Status"
    },
    anyAgent: "Alle Agenten",
    anyBatch: "Alle Stapel",
    anyKind: "Alle Arten",
    anyStatus: "Jeder Status",
    anyTime: "Jederzeit",
    clearFilters: "Filter löschen",
    createdFilter: "Angelegt",
    from: "Von",
    kind: "Art",
    newest: "Neueste Anrufe",
    older: "Ältere Anrufe",
    shown: (calls) => `${count(calls, "Anruf", "Anrufe")} gezeigt`,
    noneFound: "Kein Anruf passt",
    noneFoundHelp: "Nummern, externe Kennungen und Anruf-Kennungen werden gefunden, wenn sie ganz eingegeben sind.",
    noneFoundHelpMasked: "Externe Kennungen und Anruf-Kennungen werden gefunden, wenn sie ganz eingegeben sind.",
    noneYet: "Noch keine Anrufe",
    noneYetHelp: "Anrufe, die hier, über die API oder in Stapeln gestartet werden, erscheinen in dieser Liste.",
    realOnly: "Echte Anrufe",
    search: "Suche",
    searchHint: "Nummer, externe Kennung oder Anruf-Kennung",
    searchHintMasked: "Externe Kennung oder Anruf-Kennung",
    noNumberSearch:
      "Ihre Rolle sieht Nummern verdeckt. Sie kann nicht nach einer Nummer suchen, und nicht nach einer externen Kennung, die eine sein kann.",
    spans: {
      hour: "Letzte Stunde",
      day: "Letzte 24 Stunden",
      week: "Letzte 7 Tage",
      month: "Letzte 30 Tage",
      custom: "Von … bis …"
    },
    start: {
      back: "Zurück",
      check: "Regeln prüfen",
      externalIdHelp: "Ihre eigene Kennung des Kontakts, über die Sie den Anruf finden.",
      name: "Name des Kontakts",
      noAgent: "Es gibt noch keinen Agenten",
      noAgentHelp: "Ein Agent bestimmt, was in einem Anruf gesagt wird. Die Verwaltung kann einen anlegen.",
      numberHelp: "Mit Land, zum Beispiel +49 30 1234567.",
      open: "Anruf starten",
      queue: "Anruf einreihen",
      start: "Anruf starten",
      started: "Der Anruf ist eingereiht",
      test: "Testanruf: Kein Telefon klingelt, und er endet sofort mit einem Beispielergebnis",
      title: "Anruf starten"
    },
    testOnly: "Testanrufe",
    to: "Bis",
    ready: "Nichts: wird gewählt, sobald eine Leitung frei ist",
    showAll: "Alle zeigen",
    count: (calls) => count(calls, "Anruf", "Anrufe"),
    status: {
      queued: "Wartet",
      dialing: "Wählt",
      in_progress: "Im Gespräch",
      completed: "Abgeschlossen",
      no_answer: "Keine Antwort",
      busy: "Besetzt",
      failed: "Fehlgeschlagen",
      canceled: "Abgebrochen",
      expired: "Abgelaufen"
    },
    reason: {
      outside_calling_hours: "Außerhalb der Anrufzeiten beim Angerufenen",
      recall_gap: "Nummer wurde vor Kurzem angerufen",
      number_limit: "Nummer wurde so oft angerufen wie erlaubt",
      daily_limit: "Alle Anrufe des Tages sind getätigt",
      not_before: "Für später bestellt",
      calls_per_second: "Grenze der Anrufe je Sekunde",
      lines_busy: "Alle Leitungen sind belegt",
      number_busy: "Ein anderer Anruf an diese Nummer läuft",
      account_paused: "Konto ist angehalten",
      carrier_missing: "Kein Prozess mit diesem Netzanbieter läuft",
      carrier_paused: "Netzanbieter ist angehalten",
      unknown_time_zone: "Zeitzone des Angerufenen ist unbekannt",
      number_not_allowed: "Die Regeln erlauben diese Nummer nicht",
      expires_before_allowed: "Läuft ab, bevor gewählt werden darf",
      policy_unreadable: "Die Regeln sind nicht lesbar",
      rule_failed: "Eine Regel ist fehlgeschlagen",
      carrier_unavailable: "Netzanbieter war nicht erreichbar",
      superseded: "Durch einen neueren Anruf an diese Nummer ersetzt",
      voicemail: "Anrufbeantworter",
      no_speech: "Angenommen, aber nichts gesagt",
      carrier_refused: "Netzanbieter hat den Anruf abgelehnt",
      carrier_lost: "Netzanbieter hat den Anruf verloren",
      queue_expired: "Vor dem Ablauf nicht gewählt",
      canceled_by_client: "Auf Wunsch abgebrochen",
      do_not_call: "Auf der Sperrliste"
    }
  },
  rules: {
    allowedFrom: "Erlaubt ab",
    allowed: "Erlaubte",
    allows: "Erlaubt",
    data: "Beruht auf",
    decisions: {
      dial: "Das Telefon würde jetzt klingeln",
      wait: "Der Anruf würde warten",
      refuse: "Der Anruf würde abgelehnt",
      none: "Der Anruf wartet nicht mehr"
    },
    from: "Erlaubt ab",
    held: "Hielt",
    holds: "Hält",
    names: {
      outside_calling_hours: "Anrufzeiten",
      recall_gap: "Abstand zwischen Anrufen an eine Nummer",
      number_limit: "Anrufe an eine Nummer",
      daily_limit: "Anrufe am Tag",
      not_before: "Gewünschte Zeit",
      calls_per_second: "Anrufe je Sekunde",
      lines_busy: "Leitungen",
      number_busy: "Ein Anruf an eine Nummer zugleich",
      account_paused: "Konto angehalten",
      carrier_paused: "Netzanbieter angehalten",
      carrier_missing: "Ein Prozess für den Netzanbieter",
      policy_unreadable: "Regeln lesbar",
      queue_expired: "Ablauf",
      unknown_time_zone: "Zeitzone des Angerufenen",
      number_not_allowed: "Länder und Nummern",
      expires_before_allowed: "Ablauf, bevor es erlaubt ist",
      do_not_call: "Sperrliste"
    },
    dataNames: {
      account_paused: "Konto angehalten",
      agent_policy: "Regeln des Agenten",
      allowed_countries: "Nur diese Länder",
      busy: "Ein anderer Anruf an die Nummer läuft",
      calling_hours: "Anrufzeiten",
      calls_per_second: "Anrufe je Sekunde",
      country: "Land der Nummer",
      daily_limit: "Anrufe je Tag",
      deployment_paused: "Alle Konten angehalten",
      dials: "Zuletzt gewählt",
      excluded_dates: "Tage ohne Anrufe",
      expires_at: "Läuft ab",
      fallback_time_zone: "Zeitzone, wenn sie unbekannt ist",
      is_valid: "Der Bereich der Nummer ist bekannt",
      last_dial_at: "Zuletzt gewählt",
      lines: "Leitungen",
      lines_in_use: "Belegte Leitungen",
      listed: "Auf der Liste",
      not_before: "Nicht vor",
      number_limits: "Grenzen",
      open_until: "Offen bis",
      placed_last_second: "In der letzten Sekunde gewählt",
      placed_today: "Heute gewählt",
      recall_gap_seconds: "Abstand",
      require_valid_numbers: "Nummern ablehnen, deren Bereich nicht bekannt ist",
      time_zone: "Zeitzone",
      time_zones: "Zeitzonen"
    },
    limit: (max, time) => `${max} in ${time}`,
    noWorker: "Zurzeit wählt kein Prozess.",
    rule: "Regel",
    verdict: "Urteil"
  }
}
