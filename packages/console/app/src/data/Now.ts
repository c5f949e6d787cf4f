/** The passing time. */
import { useEffect, useState } from "react"

/** The current time, renewed every `milliseconds`. */
export const useNow = (milliseconds: number): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), milliseconds)
    return () => window.clearInterval(timer)
  }, [milliseconds])
  return now
}
