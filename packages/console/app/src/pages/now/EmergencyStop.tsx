/** The emergency stop, and how to resume. Live calls continue: a stop must not cut a conversation. */
import { useAccountChange } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import type { Overview } from "../../data/Wire.ts"
import { useSession } from "../../data/Session.ts"
import { useTexts } from "../../texts/Language.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { Icon, type IconName } from "../../ui/Icon.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useOverviewChange } from "./OverviewChange.ts"

export const EmergencyStop = ({ overview }: { readonly overview: Overview }) => {
  const { account_id } = useSession()
  return (
    <RoleGate role="operator">
      <PauseAccount isPaused={overview.paused} />
      {account_id === null && <StopAll isStopped={overview.all_paused} />}
    </RoleGate>
  )
}

const PauseAccount = ({ isPaused }: { readonly isPaused: boolean }) => {
  const { now } = useTexts()
  const show = useOverviewChange()
  const pause = useAccountChange<unknown, boolean>({
    request: (paused) => ({ path: "pause", body: { paused } }),
    changes: ["calls"],
    onSuccess: (_, paused) => {
      void show({ paused })
      toast(paused ? now.paused : now.resumed)
    }
  })
  const words = isPaused
    ? { label: now.resume, title: now.resumeTitle, text: now.resumeText }
    : { label: now.pause, title: now.pauseTitle, text: now.pauseText }
  return <Switch {...words} icon="pause" isOn={isPaused} onSwitch={(paused) => pause.mutateAsync(paused)} />
}

const StopAll = ({ isStopped }: { readonly isStopped: boolean }) => {
  const { now } = useTexts()
  const show = useOverviewChange()
  const stop = async (paused: boolean) => {
    await request("pause", { method: "POST", body: { paused } })
    await show({ all_paused: paused })
    toast(paused ? now.allStopped : now.allResumed)
  }
  const words = isStopped
    ? { label: now.resumeAll, title: now.resumeAllTitle, text: now.resumeAllText }
    : { label: now.stopAll, confirmLabel: now.stopAllConfirm, title: now.stopAllTitle, text: now.stopAllText }
  return <Switch {...words} icon="warning" isDangerous={!isStopped} isOn={isStopped} onSwitch={stop} />
}

interface SwitchProps {
  readonly label: string
  /** Default: the label. */
  readonly confirmLabel?: string
  readonly title: string
  readonly text: string
  /** Of the button that stops. */
  readonly icon: IconName
  readonly isDangerous?: boolean
  /** Whether it stops calls now. */
  readonly isOn: boolean
  readonly onSwitch: (isOn: boolean) => Promise<unknown>
}

/** Stops calls, or resumes them, once the consequence was confirmed. */
const Switch = ({ confirmLabel, icon, isDangerous = false, isOn, label, onSwitch, text, title }: SwitchProps) => {
  const { now } = useTexts()
  return (
    <ConfirmButton
      label={isOn ? label : (
        <>
          <Icon name={icon} />
          {label}
        </>
      )}
      isDangerous={isDangerous}
      title={title}
      confirmLabel={confirmLabel ?? label}
      onConfirm={() => onSwitch(!isOn)}
    >
      <p>{text}</p>
      {!isOn && (
        <ul className="bullets">
          {now.consequences.map((text) => <li key={text}>{text}</li>)}
        </ul>
      )}
    </ConfirmButton>
  )
}
