/** Alle Texte der Seite auf Deutsch. */
import type { Texts } from "./Language.tsx"

const count = (value: number, one: string, many: string): string =>
  `${new Intl.NumberFormat("de").format(value)} ${value === 1 ? one : many}`

export const de: Texts = {
  common: {
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
      calls: "Anrufe"
    },
    resumeOnNow: "Auf der Seite Jetzt fortsetzen",
    roles: { viewer: "Nur lesen", operator: "Betrieb", admin: "Verwaltung" },
    serverLost:
      "Der Server antwortet nicht. Was Sie sehen, kann veraltet sein; die Seite verbindet sich selbst wieder.",
    signOut: "Abmelden",
    skip: "Zum Inhalt springen",
    themes: { system: "Farben wie im System", light: "Helle Farben", dark: "Dunkle Farben" },
    unknownAccount: "Sie können dieses Konto nicht öffnen",
    version: (version) => `Version ${version}`
  },
  link: {
    continue: "Mit der Sitzung dieses Browsers weitermachen",
    ended:
      "Sitzungen dauern 12 Stunden und können widerrufen werden. Führen Sie dies dort aus, wo der Server läuft, und öffnen Sie den Link, den es ausgibt:",
    endedTitle: "Ihre Sitzung ist beendet",
    host: "Wenn Sie aus einer Anwendung kommen, melden Sie sich dort erneut an.",
    intro: "Dieser Link gilt einmal. Er meldet diesen Browser für 12 Stunden an.",
    invalid: "Er wurde benutzt oder ist älter als zehn Minuten. Erzeugen Sie dort einen neuen, wo der Server läuft:",
    invalidTitle: "Dieser Link gilt nicht mehr",
    open: "Konsole öffnen",
    title: "Outdial-Konsole"
  },
  now: {
    allResumed: "In allen Konten gehen wieder Anrufe hinaus",
    allStopped: "Not-Halt: Kein neuer Anruf wird gewählt",
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
    noneYet: "Noch keine Anrufe.",
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
  }
}
