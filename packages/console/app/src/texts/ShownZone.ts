/** The zone that times are shown in: the viewer's own, or UTC. Hovering over a time shows UTC as well, which no keyboard and no finger can. */
import { useSyncExternalStore } from "react"

export const shownZones = ["local", "utc"] as const
export type ShownZone = (typeof shownZones)[number]

const storageKey = "outdial-zone"
const listeners = new Set<() => void>()

const current = (): ShownZone => localStorage.getItem(storageKey) === "utc" ? "utc" : "local"

export const chooseZone = (zone: ShownZone): void => {
  localStorage.setItem(storageKey, zone)
  listeners.forEach((listener) => listener())
}

export const useShownZone = (): ShownZone =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, current)
