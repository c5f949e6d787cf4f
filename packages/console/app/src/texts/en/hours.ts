/** The texts of the page of calling hours in English. */

const count = (value: number, one: string, many: string): string =>
  `${new Intl.NumberFormat("en").format(value)} ${value === 1 ? one : many}`

export const hours = {
  add: "Add a limit",
  addWindow: (day: string) => `Add a window on ${day}`,
  agentsHave: (agents: number) =>
    `${count(agents, "agent has", "agents have")} rules of their own, which replace these. They stay as they are.`,
  anyTime: "Any time: no calling hours",
  clearDay: (day: string) => `Close ${day}`,
  closed: "Closed",
  copyDay: (day: string) => `Copy ${day} to all days`,
  days: {
    mon: "Monday",
    tue: "Tuesday",
    wed: "Wednesday",
    thu: "Thursday",
    fri: "Friday",
    sat: "Saturday",
    sun: "Sunday"
  },
  discard: "Discard changes",
  effect: {
    examined: (examined: number, waiting: number) =>
      `Estimated from ${examined} of ${count(waiting, "waiting call", "waiting calls")}.`,
    expire: "Expire before they may be dialed",
    later: "Are held for later",
    none: "No calls wait, so the change concerns new calls only.",
    now: "May be dialed now",
    title: "Effect on waiting calls"
  },
  explanation: {
    due: "May be dialed",
    rule: "Rule",
    says: "Result"
  },
  fields: {
    allowed_countries: "Only these countries",
    calls_per_second: "Calls per second",
    daily_limit: "Calls per day",
    default_country: "Country of numbers without one",
    excluded_dates: "Dates without calls",
    fallback_time_zone: "Time zone when it is unknown",
    recall_gap_seconds: "Gap between two calls to a number",
    require_valid_numbers: "Refuse numbers that no range is known for",
    time_zone: "Time zone of the account"
  },
  help: {
    allowed_countries: "Two-letter codes, such as US, CA. All when empty.",
    calls_per_second: "One per line, at most ten, when empty.",
    daily_limit: "Unlimited when empty.",
    default_country: "Two-letter code, such as US. When empty, such numbers are refused.",
    excluded_dates: "One per line, such as 2026-12-25, in the callee’s time zone.",
    fallback_time_zone: "Such as America/New_York. When empty, calls to such numbers are held.",
    recall_gap_seconds: "Such as 4 h, 90 min or 1 d; 0 is none.",
    time_zone: "Such as Europe/Paris. Its days count for the limit of a day."
  },
  intro: "The phone rings in these hours only, in the time zone of the person called.",
  leave: "Leave without saving",
  leaveText: "What you changed is lost.",
  leaveTitle: "Leave without saving?",
  limit: {
    max: (place: number) => `Calls of limit ${place}`,
    remove: (place: number) => `Remove limit ${place}`,
    title: "Calls to one number",
    help: "All limits must allow a call. Without any, only the gap holds calls back.",
    window: (place: number) => `In a time of, limit ${place}`
  },
  limits: "Other limits",
  nextDay: (time: string) => `${time} on the next day`,
  preset: {
    apply: "Use its hours and limits",
    applied: "The rules are filled in. Check them, then save.",
    choose: "Country or state",
    confidence: "Confidence",
    confidences: { high: "High", medium: "Medium", low: "Low", derived: "Derived from others" },
    holidays: "Add the holidays yourself",
    notes: "Check these yourself",
    placeholder: "Choose one to compare",
    sources: (asOf: string) => `Sources as of ${asOf}`,
    title: "Presets"
  },
  preview: {
    check: "Preview",
    help: "What your rules, as edited here, say about this number now.",
    number: "Phone number",
    title: "Preview of a number",
    zone: "Time zone"
  },
  readOnly: "Your role may see the rules, but not change them.",
  require: "Numbers",
  retention: {
    call_days: "Delete calls after days",
    help: "30 to 36,500. Kept for ever when empty.",
    title: "Retention",
    transcript_days: "Delete transcripts and recordings after days"
  },
  saved: "The rules are saved and apply from now on",
  saveText: "The rules apply to waiting calls at once. Conversations that have begun continue.",
  saveTitle: "Save these rules?",
  span: (start: string, end: string) => `${start}–${end}`,
  title: "Calling hours",
  unreadable: "The stored rules cannot be read, so nothing is dialed. Save new ones.",
  unsaved: "Not saved yet",
  useDefault: "Use the default hours",
  warnings: "Worth checking",
  week: "Week",
  weekHelp:
    "Drag the edges of a window, or drag over a free part of a day for another one. With the keyboard, focus an edge: arrow keys move it by 15 minutes, with Shift by 1 minute, Page Up and Page Down by an hour; Delete removes the window.",
  window: (day: string, place: number) => `${day}, window ${place}`,
  windowEnd: (window: string) => `${window}: end`,
  windowStart: (window: string) => `${window}: start`
}
