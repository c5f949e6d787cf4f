/** Why calls wait or did not happen, by `status_code`, in the language of the page. The server's text stands in for codes that the page does not know. */
import { useCallback } from "react"
import { useTexts } from "../texts/Language.tsx"
import { useServerText } from "../texts/ServerText.ts"

export const useReason = () => {
  const { calls } = useTexts()
  const translated = useServerText()
  return useCallback((code: string | null | undefined, fallback = ""): string => {
    const known: Readonly<Record<string, string>> = calls.reason
    return code === null || code === undefined ? calls.ready : known[code] ?? translated(fallback)
  }, [calls, translated])
}
