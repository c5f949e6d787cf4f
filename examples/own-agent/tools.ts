import { Tool } from "@outdial/core"
import { Schema } from "effect"
import { freeTimes } from "./calendar.ts"

export const findTimes = Tool.make({
  name: "find_times",
  description: "Finds the free times of a day. Use it before you offer a time.",
  parameters: Schema.Struct({ day: Schema.String.annotate({ description: "The day, such as 2026-12-01" }) }),
  readOnly: true,
  filler: "One moment, I look at the calendar.",
  run: ({ day }, { signal }) => freeTimes(day, signal)
})
