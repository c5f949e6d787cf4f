/** Times, durations, numbers and amounts in the viewer's language and zone. */
import { useMemo } from "react"
import { useLocalized } from "./Language.tsx"

const minute = 60
const hour = 60 * minute
const day = 24 * hour

export interface Format {
  readonly number: (value: number) => string
  /** From 0 to 1. */
  readonly percent: (value: number) => string
  /** Date and time in the viewer's zone. Without the date when it is today's. */
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

export const makeFormat = (locale: string): Format => {
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 })
  const times = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" })
  const seconds = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", second: "2-digit" })
  const days = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" })
  const dates = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" })
  const years = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" })
  const fulls = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" })
  const relatives = new Intl.RelativeTimeFormat(locale, { numeric: "auto" })
  return {
    number: (value) => numbers.format(value),
    percent: (value) => percents.format(value),
    dateTime: (at, now = new Date()) => {
      if (at.toDateString() === now.toDateString()) return times.format(at)
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

export const useFormat = (): Format => {
  const { locale } = useLocalized()
  return useMemo(() => makeFormat(locale), [locale])
}
