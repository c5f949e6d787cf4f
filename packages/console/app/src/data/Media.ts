/** Whether a media query holds now. */
import { useCallback, useSyncExternalStore } from "react"

export const useMedia = (query: string): boolean => {
  const subscribe = useCallback((onChange: () => void) => {
    const list = matchMedia(query)
    list.addEventListener("change", onChange)
    return () => list.removeEventListener("change", onChange)
  }, [query])
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** As in `shell.css`. */
export const useIsNarrow = (): boolean => useMedia("(max-width: 840px)")
