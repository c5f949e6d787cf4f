const calendar = new Map([["2026-12-01", ["09:00", "14:30"]]])

/** A request to the calendar, in a real application. */
export const freeTimes = async (day: string, _signal: AbortSignal): Promise<ReadonlyArray<string>> =>
  calendar.get(day) ?? []
