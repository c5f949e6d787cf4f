/** Rules of countries other than the United States. */
import { everyDay, mondayToFriday, type Preset } from "./Preset.ts"

const day = 24 * 60 * 60
const asOf = "2026-11-21"

export const presets: ReadonlyArray<Preset> = [
  {
    id: "ca",
    title: "Canada (CRTC Unsolicited Telecommunications Rules)",
    policy: {
      callingHours: {
        ...mondayToFriday(["09:00", "21:30"]),
        sat: [{ start: "10:00", end: "18:00" }],
        sun: [{ start: "10:00", end: "18:00" }]
      }
    },
    notes: [
      "Consent: A synthesized voice is an ADAD: express consent for telemarketing, even with an existing relationship.",
      "Internal do-not-call: add within 14 days, keep 3 years and 14 days. National list no older than 31 days.",
      "British Columbia and Manitoba license telemarketers; BC also restricts holidays."
    ],
    confidence: "high",
    sources: [
      "https://crtc.gc.ca/eng/phone/telemarketing/tobligations/rules-regles.htm",
      "http://www.crtc.gc.ca/eng/trules-reglest.htm (ADAD = pre-recorded or synthesized voice)",
      "https://crtc.gc.ca/eng/archive/2014/2014-155.htm (no business-relationship exemption for ADAD)"
    ],
    asOf
  },
  {
    id: "gb",
    title: "United Kingdom",
    policy: { callingHours: everyDay(["08:00", "21:00"]) },
    notes: [
      "Consent: Regulation 19: automated marketing calls that are not live speech need prior consent. Whether a conversing AI counts was not settled by any source found: treat as automated.",
      "After a call with the result abandoned: 3 days until the next. A policy has one gap for all results.",
      "No statutory hours; 08:00-21:00 is industry practice, not verified here.",
      "72 h before redialling an abandoned call unless a live operator is guaranteed; abandoned <= 3 % of live calls per 24 h.",
      "Screen TPS/CTPS and own list; CLI must be shown."
    ],
    confidence: "low",
    sources: [
      "http://qqq.informationcommissioner.gov.uk/for_organisations/privacy_and_electronic_communications/the_guide/automated_calls.aspx (PECR reg. 19)",
      "https://www.thisismoney.co.uk/money/bills/article-1594442/Crackdown-on-nuisance-calls.html (3 % in 24 h; 72 h)",
      "https://filitastica.com/gdpr-policy/ (copy of the Ofcom 2016 statement)"
    ],
    asOf
  },
  {
    id: "de",
    title: "Germany (UWG 7, 7a; CCV/DDV code)",
    policy: {
      callingHours: { ...mondayToFriday(["08:00", "20:00"]), sat: [{ start: "09:00", end: "18:00" }] },
      numberLimits: [{ max: 3, windowSeconds: day }, { max: 15, windowSeconds: 7 * day }]
    },
    holidays: "DE + state",
    notes: [
      "Consent: Prior express consent for every consumer call; keep proof 5 years from consent and from each use (7a UWG).",
      "No statutory hours: the window is the industry code. Ring 15-40 s. At most 30 attempts a campaign."
    ],
    confidence: "medium",
    sources: [
      "https://www.general-anzeiger-bonn.de/news/wirtschaft/regional/was-unternehmen-fuer-telefonmarketing-duerfen_aid-42205421",
      "https://tariftip.de/News/45526/Verhaltensregeln-fuer-Telefonwerbung.html",
      "https://datenbank.nwb.de/Dokument/83058_7a (7a UWG)"
    ],
    asOf
  },
  {
    id: "fr",
    title: "France (Code conso D.223-9; loi 2025-594 from 2026-08-11)",
    policy: {
      callingHours: mondayToFriday(["10:00", "13:00"], ["14:00", "20:00"]),
      numberLimits: [{ max: 4, windowSeconds: 30 * day }]
    },
    holidays: "FR",
    notes: [
      "Consent: Since 2026-08-11 opt-in only (or a running contract). Renovation and home adaptation: forbidden.",
      "After a call with the result refused: 60 days until the next. A policy has one gap for all results.",
      "Hours are in the consumer time zone (DOM-TOM differ).",
      "Under the 2022 decree express consent lifted the hours; whether the new decree keeps that was not found.",
      "French public holidays (L.3133-1)."
    ],
    confidence: "high",
    sources: [
      "https://www.lexbase.fr/index/source/88904522-decret-n-20221313-du-13-octobre-2022-relatif-a-lencadrement-des-jours-horaires-et-frequence-des-appe",
      "https://antipub.org/fin-du-demarchage-telephonique-non-consenti-prevue-le-11-aout-2026/"
    ],
    asOf
  },
  {
    id: "it",
    title: "Italy (Codice di condotta telemarketing, from 2024-09-28)",
    policy: { callingHours: { ...mondayToFriday(["09:00", "20:00"]), sat: [{ start: "10:00", end: "19:00" }] } },
    holidays: "IT",
    notes: [
      "Days before a holiday use the Saturday hours 10-19.",
      "Binding on members; Registro delle opposizioni applies to all."
    ],
    confidence: "medium",
    sources: [
      "https://www.pmi.it/impresa/pubblicita-e-marketing/453002/telemarketing-le-nuove-regole-e-le-fasce-orarie-permesse.html",
      "https://www.money.it/call-center-nuove-regole-divieto-telefonate-per-giorni-e-orari"
    ],
    asOf
  },
  {
    id: "es",
    title: "Spain (TRLGDCU art. 96.2, LGTel art. 66, Orden TDF/149/2025)",
    policy: { callingHours: mondayToFriday(["09:00", "21:00"]) },
    holidays: "ES + region",
    notes: [
      "Consent: Art. 66.1.a: automatic calls without human intervention need prior consent.",
      "No commercial calls from mobile numbers since 2025-06-07; prefix 400 planned (Feb 2026)."
    ],
    confidence: "high",
    sources: [
      "https://www.genbeta.com/actualidad/llamadas-comerciales-ilegales-a-partir-hora-asi-puedes-actuar-recibes",
      "https://ramonycajalabogados.com/es/comentario-de-la-circular-12023-de-la-agencia-espanola-de-proteccion-de-datos",
      "https://acountaxmadrid.es/nuevas-restricciones-a-las-llamadas-comerciales-que-implica-la-orden-tdf-149-2025/"
    ],
    asOf
  },
  {
    id: "in",
    title: "India (TRAI TCCCPR 2018, amended 2025)",
    policy: { callingHours: everyDay(["10:00", "21:00"]) },
    notes: [
      "Consent: Auto-dialer and robo calls are a mode a subscriber can block; use 140 (promotional) or 1600 (service) numbers, not 10-digit mobiles.",
      "Subscribers may choose their own time bands and day types."
    ],
    confidence: "medium",
    sources: [
      "https://www.bloombergquint.com/business/more-than-326-lakh-unsolicited-telemarketing-call-complaints-during-july-september",
      "https://trai.gov.in/preference-registration",
      "https://businesstimes.co/index.php/2025/02/13/big-relief-from-spam-calls-trai-bans-10-digit-numbers-for-telemarketing"
    ],
    asOf
  },
  {
    id: "au",
    title: "Australia (Telemarketing and Research Calls Industry Standard 2017)",
    policy: { callingHours: { ...mondayToFriday(["09:00", "20:00"]), sat: [{ start: "09:00", end: "17:00" }] } },
    holidays: "AU national",
    notes: [
      "Research calls: weekdays to 20:30, Saturday and Sunday 9-17.",
      "End the call at once when asked. CLI on."
    ],
    confidence: "high",
    sources: [
      "https://www.donotcall.gov.au/consumers/consumer-overview/industry-standards/",
      "https://packleader.net.au/topic/calling-times/"
    ],
    asOf
  }
]
