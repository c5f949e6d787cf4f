/** Federal rules of the United States, and rules of the states whose own texts or summaries were read. */
import { everyDay, mondayToFriday, mondayToSaturday, type Preset } from "./Preset.ts"

const day = 24 * 60 * 60
const asOf = "2026-11-21"

export const presets: ReadonlyArray<Preset> = [
  {
    id: "us-federal",
    title: "US federal (TCPA / TSR) telemarketing",
    policy: { callingHours: everyDay(["08:00", "21:00"]) },
    notes: [
      "Consent: AI voice = \"artificial voice\": prior express consent; written for marketing. Caller identity at the start; opt-out that works in the call.",
      "Ring at least 15 s or 4 rings before giving up on a telemarketing call.",
      "Abandoned <= 3 % of answered calls per 30 days and campaign.",
      "Exempted (no consent) artificial-voice calls to residences: 3 in 30 days."
    ],
    confidence: "high",
    sources: [
      "47 CFR 64.1200(c)(1) and 16 CFR 310.4(c), summarised at https://www.dnc.com/ and https://telemarketingrules.com/curfew%2Fabandonment",
      "https://natlawreview.com/article/telephone-and-texting-compliance-news-regulatory-update-fcc-confirms-tcpa-bars-ai (FCC 24-17)",
      "http://federal.elaws.us/citation/88-FR-3677 (3 per 30 days for exempted artificial-voice calls to residences)",
      "https://dnc.com/faq//there-call-abandonment-safe-harbor (15 s / 4 rings, 3 % abandonment)"
    ],
    asOf
  },
  {
    id: "us-reg-f",
    title: "US debt collection (12 CFR 1006, Regulation F)",
    policy: { callingHours: everyDay(["08:00", "21:00"]), numberLimits: [{ max: 7, windowSeconds: 7 * day }] },
    notes: [
      "After a call with the result completed: 7 days until the next. A policy has one gap for all results.",
      "The limit of 7 in 7 days counts only calls with the results completed and no_answer. A policy counts others too, which is stricter.",
      "Busy signal or number not in service does not count (comment 14(b)(3)(ii)-1); ringing unanswered counts.",
      "Gap of 7 consecutive days after a conversation; the day of the conversation is day 1.",
      "Unclear location: the time must be convenient in ALL candidate locations (comment 6(b)(1)-2).",
      "Two unanswered calls within 5 minutes, or 7 in one day, can rebut compliance: add a recall gap."
    ],
    confidence: "high",
    sources: [
      "https://github.com/cfpb/reg-text/blob/main/ecfr/1006.txt 1006.6(b)(1), comment 6(b)(1)-2, 1006.14(b)(2)-(3) and comments (snapshot 993ba602, 2026-03-09)"
    ],
    asOf
  },
  {
    id: "us-fl",
    title: "Florida (FTSA, Fla. Stat. 501.616(6))",
    policy: { callingHours: everyDay(["08:00", "20:00"]), numberLimits: [{ max: 3, windowSeconds: day }] },
    notes: [
      "Consent: Prior express written consent for automated selection or dialing / recorded message.",
      "3 per 24 h on the same subject, whatever number it is called from.",
      "Area code presumes residence."
    ],
    confidence: "high",
    sources: [
      "https://flsenate.gov/Session/Bill/2021/1120/BillText/er/HTML",
      "http://www.lawserver.com/law/state/florida/statutes/florida_statutes_501-616"
    ],
    asOf
  },
  {
    id: "us-ok",
    title: "Oklahoma (OTSA 2022, 15 O.S. 775C)",
    policy: { callingHours: everyDay(["08:00", "20:00"]), numberLimits: [{ max: 3, windowSeconds: day }] },
    notes: ["Forbids intentionally altering the voice of the caller (vicidial note, check)."],
    confidence: "medium",
    sources: [
      "https://www.dnc.com/news/compliance-refresher-calling-florida-and-oklahoma",
      "https://kleinmoynihan.com/trend-continues-more-state-tcpa-laws-introduced-telemarketing-lawyer/"
    ],
    asOf
  },
  {
    id: "us-wa",
    title: "Washington (RCW 19.158.040, 80.36.390)",
    policy: { callingHours: everyDay(["08:00", "20:00"]) },
    notes: [
      "After a call with the result opted_out: 365 days until the next. A policy has one gap for all results.",
      "Identify yourself, company and purpose within 30 s.",
      "End the call within 10 s of being asked.",
      "No call for at least a year after opt-out (treat as permanent)."
    ],
    confidence: "high",
    sources: [
      "https://app.leg.wa.gov/RCW/default.aspx?cite=19.158.040",
      "https://instalawyer.io/laws/revised-code-of-washington/8036390-telephone-solicitation"
    ],
    asOf
  },
  {
    id: "us-tx",
    title: "Texas (Bus. & Com. Code 301.051; SB 140 from 2025-09-01)",
    policy: { callingHours: { ...mondayToSaturday(["09:00", "21:00"]), sun: [{ start: "12:00", end: "21:00" }] } },
    notes: ["Consent: Registration of sellers and 10,000 USD security unless exempt."],
    confidence: "high",
    sources: [
      "https://colemanbusinesslaw.com/business-law-updates/texas-sms-marketing-law",
      "https://www.cloudcommunications.com/news/texas-senate-bill-140?hs_amp=true"
    ],
    asOf
  },
  {
    id: "us-md",
    title: "Maryland (Stop the Spam Calls Act)",
    policy: { callingHours: everyDay(["08:00", "20:00"]), numberLimits: [{ max: 3, windowSeconds: day }] },
    notes: ["3 per 24 h from memory of the Act: check."],
    confidence: "medium",
    sources: [
      "https://www.dropcowboy.com/state-compliance",
      "https://www.leadgen-economy.com/blog/state-mini-tcpa-laws-ftsa-otsa"
    ],
    asOf
  },
  {
    id: "us-pa",
    title: "Pennsylvania (Telemarketer Registration Act, SB 992)",
    policy: { callingHours: mondayToSaturday(["09:00", "19:00"]) },
    holidays: "US-PA",
    notes: ["Enacted text of SB 992 not seen: verify hours."],
    confidence: "low",
    sources: [
      "https://www.pasenategop.com/news/brooks-bill-to-strengthen-protections-against-telemarketers-passes-senate (bill: no calls 7pm-9am, none on Sunday)",
      "https://glama.ai/mcp/connectors/com.modernmustardseed/call-desk/tools/can_i_call_now (says Sunday ban from 2026-10-18)",
      "https://mslawgroup.com/regulatory-alert-pennsylvania-amends-telemarketing-registration-act/ (legal holidays)"
    ],
    asOf
  },
  {
    id: "us-conservative",
    title: "US, one window for every state above",
    policy: {
      callingHours: mondayToFriday(["10:00", "17:00"]),
      numberLimits: [{ max: 3, windowSeconds: day }, { max: 7, windowSeconds: 7 * day }]
    },
    holidays: "US",
    notes: [
      "The limit of 7 in 7 days counts only calls with the results completed and no_answer. A policy counts others too, which is stricter.",
      "Kentucky opens 10:00, Maine (automated) closes 17:00 and closes weekends.",
      "Without Maine and Pennsylvania: Mon-Sat 10:00-20:00, Sunday closed."
    ],
    confidence: "derived",
    sources: ["intersection of the us-* entries of this table"],
    asOf
  }
]
