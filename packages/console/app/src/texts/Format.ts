/** Times, durations, numbers and amounts in the viewer's language and zone. */
import { useLocalized } from "./Language.tsx"
import { type ShownZone, useShownZone } from "./ShownZone.ts"

const minute = 60
const hour = 60 * minute
const day = 24 * hour

export interface Format {
  readonly number: (value: number) => string
  /** From 0 to 1. */
  readonly percent: (value: number) => string
  /** Date and time in the zone that the viewer chose. Without the date when it is today's. */
  readonly dateTime: (at: Date, now?: Date) => string
  readonly date: (at: Date) => string
  /** With seconds. */
  readonly time: (at: Date) => string
  readonly full: (at: Date) => string
  /** Such as `in 3 minutes`. */
  readonly relative: (at: Date, now: number) => string
  /** Such as `1:05`. */
  readonly duration: (seconds: number) => string
  /** An amount as text in units of the currency. */
  readonly money: (amount: string, currency: string) => string
}

export const makeFormat = (locale: string, zone: ShownZone = "local"): Format => {
  const shown = zone === "utc" ? { timeZone: "UTC", timeZoneName: "short" } as const : {}
  const inZone = zone === "utc" ? { timeZone: "UTC" } : {}
  const clock = { hour: "2-digit", minute: "2-digit" } as const
  const date = { day: "numeric", month: "short", year: "numeric" } as const
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 })
  const times = new Intl.DateTimeFormat(locale, { ...clock, ...shown })
  const seconds = new Intl.DateTimeFormat(locale, { ...clock, second: "2-digit", ...shown })
  const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", ...clock, ...shown })
  const dates = new Intl.DateTimeFormat(locale, { ...date, ...inZone })
  const years = new Intl.DateTimeFormat(locale, { ...date, ...clock, ...shown })
  const fulls = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" })
  const relatives = new Intl.RelativeTimeFormat(locale, { numeric: "auto" })
  return {
    number: (value) => numbers.format(value),
    percent: (value) => percents.format(value),
    dateTime: (at, now = new Date()) => {
      if (dates.format(at) === dates.format(now)) return times.format(at)
      return (at.getFullYear() === now.getFullYear() ? days : years).format(at)
    },
    date: (at) => dates.format(at),
    time: (at) => seconds.format(at),
    full: (at) => fulls.format(at),
    relative: (at, now) => {
      const difference = (at.getTime() - now) / 1000
      const distance = Math.abs(difference)
      if (distance < minute) return relatives.format(Math.round(difference), "second")
      if (distance < hour) return relatives.format(Math.round(difference / minute), "minute")
      if (distance < day) return relatives.format(Math.round(difference / hour), "hour")
      return relatives.format(Math.round(difference / day), "day")
    },
    duration: (total) => {
      const whole = Math.round(total)
      const parts = [Math.floor(whole / hour), Math.floor((whole % hour) / minute), whole % minute]
      const [hours = 0, minutes = 0, rest = 0] = parts
      const tail = String(rest).padStart(2, "0")
      return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`
    },
    money: (amount, currency) => {
      try {
        const options = { style: "currency", currency, minimumFractionDigits: 2, maximumFractionDigits: 6 } as const
        return new Intl.NumberFormat(locale, options).format(Number(amount))
      } catch {
        return `${amount} ${currency}`
      }
    }
  }
}

/** By locale and zone: making the formatters takes longer than drawing a row of a table, and each row shows a time. */
const formats = new Map<string, Format>()

export const useFormat = (): Format => {
  const { locale } = useLocalized()
  const zone = useShownZone()
  const known = formats.get(`${locale} ${zone}`)
  if (known !== undefined) return known
  const format = makeFormat(locale, zone)
  formats.set(`${locale} ${zone}`, format)
  return format
}
