/** Light or dark: as the system has it, or as the viewer chose. */
import { useSyncExternalStore } from "react"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const storageKey = "outdial-theme"
const listeners = new Set<() => void>()

const current = (): Theme => themes.find((theme) => theme === localStorage.getItem(storageKey)) ?? "system"

/** Before the first paint, and after each choice. */
export const applyTheme = (): void => {
  const theme = current()
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(storageKey, theme)
  applyTheme()
  listeners.forEach((listener) => listener())
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, current)
