import { assert, describe, it } from "@effect/vitest"
import { Agent, Errors, PolicyWire, StatusCode } from "@outdial/core"
import * as CallingPresets from "@outdial/core/presets"
import { ApiErrors } from "@outdial/http"
import { Cause, DateTime, Effect } from "effect"
import * as Fixture from "../api/Fixture.ts"

/** Every language but that of the server. */
const languages = ["de"]

/** What the tests read of a language's texts. They are read without their types, which are those of a browser's program. */
interface Texts {
  readonly rules: { readonly dataNames: Readonly<Record<string, string>> }
  readonly calls: { readonly reason: Readonly<Record<string, string>> }
  readonly hours: { readonly warningTexts: Readonly<Record<string, unknown>> }
}

const textsOf = async (language: string): Promise<Texts> =>
  (await import(`../../app/src/texts/${language}.ts`))[language]

interface ServerText {
  readonly serverText: (text: string, texts: Texts) => string
}
interface WarningText {
  readonly warningText: (warning: unknown, texts: Texts) => string
}

interface RuleData {
  readonly ruleDataText: (data: unknown, words: { readonly texts: Texts; readonly format: unknown }) => string
}

const load = {
  ruleData: async (): Promise<RuleData> => import(`../../app/src/ui/${"RuleData"}.ts`),
  serverText: async (): Promise<ServerText> => import(`../../app/src/texts/${"ServerText"}.ts`),
  warningText: async (): Promise<WarningText> => import(`../../app/src/pages/hours/${"WarningText"}.ts`)
}

/** The sentences that a page in the language shows as the server wrote them. */
const untranslated = async (sentences: Iterable<string>, language: string) => {
  const { serverText } = await load.serverText()
  const texts = await textsOf(language)
  return [...new Set(sentences)].filter((sentence) => serverText(sentence, texts) === sentence)
}

/** All messages that are written in a schema. */
const messagesIn = (value: unknown, seen = new Set<unknown>()): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null || seen.has(value)) return []
  seen.add(value)
  return Object.entries(value).flatMap(([key, part]) =>
    key === "message" && typeof part === "string" ? [part] : messagesIn(part, seen)
  )
}

describe.each(languages)("a page in %s", (language) => {
  it("has each warning of the lint and each reason of a hold in its own words", async () => {
    const [texts, english] = [await textsOf(language), await textsOf("en")]
    assert.sameMembers(Object.keys(texts.hours.warningTexts), [...CallingPresets.findingCodes])
    assert.sameMembers(Object.keys(english.hours.warningTexts), [...CallingPresets.findingCodes])
    assert.sameMembers(Object.keys(texts.calls.reason), [...StatusCode.StatusCode.literals])
    assert.sameMembers(Object.keys(english.calls.reason), [...StatusCode.StatusCode.literals])
  })

  it("shows no English sentence of presets", async () => {
    const presets = CallingPresets.list()
    assert.isAtLeast(presets.length, 20)
    const notes = presets.flatMap(({ notes }) => notes)
    const calendars = presets.flatMap(({ holidays = "" }) => / [a-z]/.test(holidays) ? [holidays] : [])
    assert.deepStrictEqual(await untranslated([CallingPresets.disclaimer, ...notes, ...calendars], language), [])
  })

  it("shows no English problem of a policy or an agent that a schema names", async () => {
    const messages = [...messagesIn(PolicyWire.PolicyWire.ast), ...messagesIn(Agent.AgentDefinition.ast)]
    assert.isAtLeast(new Set(messages).size, 20)
    assert.deepStrictEqual(await untranslated(messages, language), [])
  })

  it.effect("shows no English problem of what its forms send", () =>
    Effect.gen(function*() {
      const found = new Set<string>()
      const add = (problems: ReadonlyArray<{ readonly message: string }>) => {
        assert.isAtLeast(problems.length, 1)
        for (const { message } of problems) found.add(message)
      }
      for (const policy of wrongPolicies) {
        add((yield* Fixture.inAccount("/policy/preview", { body: { policy } })).body["problems"])
      }
      for (const definition of wrongAgents) {
        add((yield* Fixture.inAccount("/agents/check", { body: { definition } })).body["problems"])
      }
      const { body } = yield* Fixture.inAccount("/batches/check", { body: { calls: wrongRows } })
      assert.strictEqual(body["rejected"].length, wrongRows.length)
      add(body["rejected"])
      add(
        (yield* Fixture.inAccount("/do-not-call/import", { body: { text: "+14155550100\nabc\n12" } })).body["rejected"]
      )
      assert.deepStrictEqual(yield* Effect.promise(() => untranslated(found, language)), [])
    }).pipe(Effect.provide(Fixture.layer())))

  it("shows no English error of a request that its buttons send", async () => {
    const messages = errors.map((error) => ApiErrors.from(error).message)
    const others = [ApiErrors.internalError, ApiErrors.unavailable, ApiErrors.linkInvalid, ApiErrors.linksUnused]
    assert.deepStrictEqual(
      await untranslated([...messages, ...others.map(({ message }) => message)], language),
      []
    )
  })
})

it.effect("what verdicts of rules are based on has a name in each language, and its values are those of the page", () =>
  Effect.gen(function*() {
    const { ruleDataText } = yield* Effect.promise(load.ruleData)
    const policy = {
      calling_hours: { mon: [{ start: "09:00", end: "20:00" }], tue: [{ start: "09:00", end: "20:00" }] },
      excluded_dates: ["2026-12-25"],
      fallback_time_zone: "Europe/Paris",
      daily_limit: 10_000,
      number_limits: [{ max: 3, window_seconds: 86_400 }],
      allowed_countries: ["US"],
      require_valid_numbers: true
    }
    const body = { policy, phone_number: "+14155550100" }
    const { body: { explanation } } = yield* Fixture.inAccount("/policy/preview", { role: "operator", body })
    const data: Readonly<Record<string, unknown>> = Object.assign(
      {},
      ...explanation.rules.map(({ data }: { readonly data: object }) => data)
    )
    for (const language of ["en", ...languages]) {
      const { rules } = yield* Effect.promise(() => textsOf(language))
      assert.deepStrictEqual(Object.keys(data).filter((name) => !Object.hasOwn(rules.dataNames, name)), [])
    }
    const texts = yield* Effect.promise(() => textsOf("de"))
    const format = { number: (value: number) => value.toLocaleString("de"), dateTime: (at: Date) => at.toJSON() }
    const shown = { ...data, expires_at: "1970-01-02T00:00:00.000Z", new_fact: "x" }
    const lines = ruleDataText(shown, { texts, format }).split("\n")
    for (
      const line of [
        "Anrufzeiten: Montag, Dienstag 09:00–20:00",
        "Anrufe je Tag: 10.000",
        "Grenzen: 3 in 1 d",
        "Konto angehalten: Nein",
        "Läuft ab: 1970-01-02T00:00:00.000Z",
        "new fact: x"
      ]
    ) assert.include(lines, line)
  }).pipe(Effect.provide(Fixture.layer())))

it("a warning has the values of the rules in it, and one of a newer server is shown as it says", async () => {
  const { warningText } = await load.warningText()
  const german = await textsOf("de")
  const fri = [{ start: "18:00", end: "01:00" }]
  const [preset] = CallingPresets.list().filter(({ id }) => id === "de")
  assert.isDefined(preset)
  const policy = { callingHours: { fri }, recallGapSeconds: 0, numberLimits: [], excludedDates: [] }
  const findings = preset === undefined ? [] : [
    ...CallingPresets.lintGeneral(policy),
    ...CallingPresets.lint(policy, preset),
    ...CallingPresets.lintGeneral({ callingHours: null, fallbackTimeZone: "Europe/Paris" })
  ]
  assert.deepStrictEqual(findings.map((finding) => warningText(finding, german)), [
    "Das Telefon darf klingeln am Freitag 22:00–24:00, Samstag 00:00–01:00, also auch nachts. Bleiben Sie zwischen 07:00 und 22:00 Uhr beim Angerufenen, außer er hat darum gebeten.",
    "Eine Nummer darf sofort wieder gewählt werden. Geben Sie einen Abstand zweier Anrufe an, etwa 4 h.",
    "Eine Nummer darf beliebig oft gewählt werden. Fügen Sie eine Grenze für Anrufe an eine Nummer hinzu, etwa 3 in 1 d.",
    "Anrufe an Nummern, deren Zeitzone nicht bekannt ist, werden gehalten. Geben Sie für sie eine Zeitzone an, damit nach deren Zeiten gewählt wird.",
    "Das Telefon darf klingeln am Freitag 20:00–24:00, Samstag 00:00–01:00; die Vorlage erlaubt das nicht. Lassen Sie es weg, oder verschärfen Sie Ihre Regeln durch die Vorlage.",
    "Die Vorlage schließt an Feiertagen (Kalender DE und Bundesland), und kein Tag ist ausgenommen. Tragen Sie die Feiertage bei den Tagen ohne Anrufe ein.",
    "Keine Grenze beschränkt eine Nummer auf 3 Anrufe in 1 d, wie es die Vorlage tut. Fügen Sie diese Grenze für Anrufe an eine Nummer hinzu.",
    "Keine Grenze beschränkt eine Nummer auf 15 Anrufe in 7 d, wie es die Vorlage tut. Fügen Sie diese Grenze für Anrufe an eine Nummer hinzu.",
    "Das Telefon darf jederzeit klingeln, also auch nachts. Bleiben Sie zwischen 07:00 und 22:00 Uhr beim Angerufenen, außer er hat darum gebeten."
  ])
  const newer = { code: "full_moon", severity: "info", path: "", message: "The moon is full", data: {} }
  assert.strictEqual(warningText(newer, german), "The moon is full")
})

it("a sentence keeps its values, and the field with which it begins", async () => {
  const { serverText } = await load.serverText()
  const german = await textsOf("de")
  const shown = (text: string) => serverText(text, german)
  assert.strictEqual(shown("must be 30 to 36500 days"), "muss zwischen 30 und 36500 Tagen liegen")
  assert.strictEqual(
    shown("calling_hours/mon/0/end: must be a time of day from 00:00 to 24:00, such as 09:00\ntime_zone: is required"),
    "calling_hours/mon/0/end: muss eine Uhrzeit von 00:00 bis 24:00 sein, etwa 09:00\ntime_zone: ist erforderlich"
  )
  assert.strictEqual(shown("phone_number is required"), "phone_number ist erforderlich")
  assert.strictEqual(shown("must be 0 to 200 words"), "muss zwischen 0 und 200 Wörtern liegen")
  // A number stands for no words of a sentence that is not known.
  assert.strictEqual(shown("must be 0 to 200 apples"), "must be 0 to 200 apples")
  // Not the shorter sentence `must be {0} to {1}`.
  assert.match(
    shown(
      "must be a telephone number in E.164 form: \"+\", then 7 to 15 digits of which the first is not 0, such as +14155550100"
    ),
    /^muss eine Telefonnummer/
  )
  for (const foreign of ["", "constructor", "__proto__", "{0}", "is required {0}", "x is y", "$& $1"]) {
    assert.strictEqual(shown(foreign), foreign)
  }
  assert.strictEqual(
    shown("The agent needs values for $&; add them to variables"),
    "Der Agent braucht Werte für $&; geben Sie sie als Variablen an"
  )
})

const wrongPolicies: ReadonlyArray<unknown> = [
  null,
  7,
  { calling_hours: 5, recall_gap_seconds: "x", number_limits: {}, time_zone: "Mars/Olympus", default_country: "XX" },
  { calling_hours: { mon: [{ start: "9", end: "25:00" }], moon: [] }, excluded_dates: ["2026-02-30"] },
  { calling_hours: { mon: Array.from({ length: 50 }, () => ({ start: "09:00", end: "10:00" })), tue: [{}] } },
  { recall_gap_seconds: 1.5, daily_limit: -1, calls_per_second: 0, fallback_time_zone: "", allowed_countries: [] },
  { recall_gap_seconds: -1, daily_limit: "x", require_valid_numbers: "yes", allowed_countries: ["us"] },
  { number_limits: [{ max: 2000, window_seconds: 0 }, {}], retention: { call_days: 1, transcript_days: "x" } },
  { number_limits: Array.from({ length: 50 }, () => ({ max: 1, window_seconds: 60 })), agents: { X: {} } },
  { excluded_dates: Array.from({ length: 1_000 }, () => "2026-12-25"), agents: [] }
]

const wrongAgents: ReadonlyArray<unknown> = [
  null,
  {},
  { name: "", script: "", questions: "x", dispositions: [], voicemail: "sing" },
  { name: "x".repeat(10_000), script: 5, dispositions: ["a", "a"], end_phrases: ["!"], max_duration_seconds: 1 },
  { name: "A", script: "Hi", dispositions: ["a"], voicemail: "leave_message", silence_seconds: 1.5 },
  { name: "A", script: "Hi {{a b c !}}", dispositions: ["a"], interruptible: "no", caller_id: "12", language: "?" },
  { name: "A", script: "Hi", dispositions: ["a"], tools: ["a b"], transfer_numbers: [{ name: "", number: "x" }] }
]

const wrongRows: ReadonlyArray<unknown> = [
  5,
  {},
  { phone_number: "abc" },
  { phone_number: "+14155550100" },
  { phone_number: "+14155550100", agent_id: "x" },
  { phone_number: "+14155550100", agent_id: "5b5bdb0d-6f0e-4d5f-9a43-0c9f2f1f9d11" },
  { phone_number: "+14155550100", contact: { email: "x", time_zone: "Mars/Olympus" } },
  { phone_number: "+14155550100", variables: { "1": "x" }, metadata: 5, not_before: "x" }
]

const at = DateTime.makeUnsafe(0)
const call = { callId: "call_1" as Errors.CallNotLive["callId"] }
const errors = [
  new Errors.BatchTooLarge({ maxRows: 1000 }),
  new Errors.MissingVariables({ missing: ["day"] }),
  new Errors.NumberDoNotCall(),
  new Errors.NumberLimitReached({ retryAt: at }),
  new Errors.CallAlreadyQueued(call),
  new Errors.CallNotCancelable({ ...call, callStatus: "completed" }),
  new Errors.CallNotLive(call),
  new Errors.IdempotencyKeyInUse(),
  new Errors.IdempotencyKeyReused(call),
  new Errors.RotationLimitReached({ retryAt: at }),
  new Errors.WebhookDisabled(),
  new Errors.EventExpired({ what: "event evt_1" }),
  new Errors.RateLimited({ limit: 300, retryAfter: 5 }),
  new Errors.TooManyStreams({ limit: 5 }),
  new Errors.Unavailable({ cause: Cause.empty })
]
