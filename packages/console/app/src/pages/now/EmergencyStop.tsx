/** The emergency stop, and how to resume. Live calls continue: a stop must not cut a conversation. */
import { useAccountChange } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import type { Overview } from "../../data/Wire.ts"
import { useSession } from "../../data/Session.ts"
import { useTexts } from "../../texts/Language.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { Icon } from "../../ui/Icon.tsx"
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
  return isPaused
    ? (
      <ConfirmButton
        label={now.resume}
        title={now.resumeTitle}
        confirmLabel={now.resume}
        onConfirm={() => pause.mutateAsync(false)}
      >
        <p>{now.resumeText}</p>
      </ConfirmButton>
    )
    : (
      <ConfirmButton
        label={
          <>
            <Icon name="pause" />
            {now.pause}
          </>
        }
        title={now.pauseTitle}
        confirmLabel={now.pause}
        onConfirm={() => pause.mutateAsync(true)}
      >
        <p>{now.pauseText}</p>
        <Consequences />
      </ConfirmButton>
    )
}

const StopAll = ({ isStopped }: { readonly isStopped: boolean }) => {
  const { now } = useTexts()
  const show = useOverviewChange()
  const stop = async (paused: boolean) => {
    await request("pause", { method: "POST", body: { paused } })
    await show({ all_paused: paused })
    toast(paused ? now.allStopped : now.allResumed)
  }
  return isStopped
    ? (
      <ConfirmButton
        label={now.resumeAll}
        title={now.resumeAllTitle}
        confirmLabel={now.resumeAll}
        onConfirm={() => stop(false)}
      >
        <p>{now.resumeAllText}</p>
      </ConfirmButton>
    )
    : (
      <ConfirmButton
        label={
          <>
            <Icon name="warning" />
            {now.stopAll}
          </>
        }
        isDangerous
        title={now.stopAllTitle}
        confirmLabel={now.stopAllConfirm}
        onConfirm={() => stop(true)}
      >
        <p>{now.stopAllText}</p>
        <Consequences />
      </ConfirmButton>
    )
}

const Consequences = () => {
  const { now } = useTexts()
  return (
    <ul className="bullets">
      {now.consequences.map((text) => <li key={text}>{text}</li>)}
    </ul>
  )
}
