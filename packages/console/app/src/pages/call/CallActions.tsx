/** What can be done with the call now. */
import { useAccountChange } from "../../data/Account.ts"
import type { Call } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { ConfirmButton } from "../../ui/Dialog.tsx"
import { RoleGate } from "../../ui/RoleGate.tsx"
import { toast } from "../../ui/Toasts.tsx"

export const CallActions = ({ call: { id, status } }: { readonly call: Call }) => {
  const { call } = useTexts()
  const cancel = useAccountChange({
    request: () => ({ path: `v1/calls/${id}/cancel` }),
    changes: ["call", "calls", "overview"],
    onSuccess: () => toast(call.canceled)
  })
  const hangUp = useAccountChange({
    request: () => ({ path: `calls/${id}/hang-up` }),
    changes: ["call", "calls", "overview"],
    onSuccess: () => toast(call.hungUp)
  })
  return (
    <RoleGate role="operator">
      {status === "queued" && (
        <ConfirmButton
          label={call.cancel}
          isDangerous
          title={call.cancelTitle}
          confirmLabel={call.cancel}
          onConfirm={() => cancel.mutateAsync()}
        >
          <p>{call.cancelText}</p>
        </ConfirmButton>
      )}
      {(status === "dialing" || status === "in_progress") && (
        <ConfirmButton
          label={call.hangUp}
          isDangerous
          title={call.hangUpTitle}
          confirmLabel={call.hangUp}
          onConfirm={() => hangUp.mutateAsync()}
        >
          <p>{call.hangUpText}</p>
        </ConfirmButton>
      )}
    </RoleGate>
  )
}
