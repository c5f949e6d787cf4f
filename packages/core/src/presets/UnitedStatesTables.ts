/** Rules of the states of the United States that are known only from published tables. */
import { everyDay, mondayToFriday, mondayToSaturday, type Preset } from "./Preset.ts"

const asOf = "2026-11-21"
const stateTable = "https://www.dropcowboy.com/state-compliance"
const callTimeTable = "https://blog.clickpointsoftware.com/federal-and-local-call-time-and-date-compliance"
const callDesk = "https://glama.ai/mcp/connectors/com.modernmustardseed/call-desk/tools/can_i_call_now"

export const presets: ReadonlyArray<Preset> = [
  {
    id: "us-al",
    title: "Alabama",
    policy: { callingHours: mondayToSaturday(["08:00", "20:00"]) },
    holidays: "US-AL",
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-la",
    title: "Louisiana",
    policy: { callingHours: mondayToSaturday(["08:00", "20:00"]) },
    holidays: "US-LA",
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-ms",
    title: "Mississippi",
    policy: { callingHours: mondayToSaturday(["08:00", "20:00"]) },
    holidays: "US-MS",
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-ky",
    title: "Kentucky",
    policy: { callingHours: everyDay(["10:00", "21:00"]) },
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable, callDesk],
    asOf
  },
  {
    id: "us-ct",
    title: "Connecticut",
    policy: { callingHours: everyDay(["09:00", "20:00"]) },
    notes: ["Secondary sources disagree (9-21 or 9-20); the stricter is used."],
    confidence: "low",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-ma",
    title: "Massachusetts",
    policy: { callingHours: everyDay(["08:00", "20:00"]) },
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-nv",
    title: "Nevada",
    policy: { callingHours: everyDay(["09:00", "20:00"]) },
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-mn",
    title: "Minnesota",
    policy: { callingHours: everyDay(["09:00", "21:00"]) },
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-nm",
    title: "New Mexico",
    policy: { callingHours: everyDay(["09:00", "21:00"]) },
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-mi",
    title: "Michigan",
    policy: { callingHours: everyDay(["09:00", "21:00"]) },
    notes: [],
    confidence: "medium",
    sources: [stateTable, callTimeTable],
    asOf
  },
  {
    id: "us-wy",
    title: "Wyoming",
    policy: { callingHours: everyDay(["08:00", "20:00"]) },
    notes: [],
    confidence: "low",
    sources: [stateTable, callTimeTable, callDesk],
    asOf
  },
  {
    id: "us-me",
    title: "Maine (automated calls)",
    policy: { callingHours: mondayToFriday(["09:00", "17:00"]) },
    notes: [],
    confidence: "low",
    sources: [stateTable, callTimeTable, callDesk],
    asOf
  }
]
