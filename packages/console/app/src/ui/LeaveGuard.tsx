/** Asks before the page is left while `isActive`: through a link by our dialog, through the browser by its own. */
import { type ReactNode, useEffect, useRef } from "react"
import { useBlocker } from "react-router"
import { ConfirmDialog } from "./Dialog.tsx"

export interface LeaveGuardProps {
  readonly isActive: boolean
  readonly title: string
  /** What would be lost. */
  readonly children: ReactNode
  readonly confirmLabel: string
}

export const LeaveGuard = ({ children, confirmLabel, isActive, title }: LeaveGuardProps) => {
  const blocker = useBlocker(({ currentLocation, nextLocation }) =>
    isActive && currentLocation.pathname !== nextLocation.pathname
  )
  // The dialog closes after the confirmation too, which must not hold the navigation again.
  const isLeaving = useRef(false)
  useEffect(() => {
    if (!isActive) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener("beforeunload", warn)
    return () => window.removeEventListener("beforeunload", warn)
  }, [isActive])
  return (
    <ConfirmDialog
      title={title}
      confirmLabel={confirmLabel}
      isDangerous
      isOpen={blocker.state === "blocked"}
      onClose={() => {
        if (!isLeaving.current) blocker.reset?.()
      }}
      onConfirm={async () => {
        isLeaving.current = true
        blocker.proceed?.()
      }}
    >
      {children}
    </ConfirmDialog>
  )
}
