/**
 * A dialog over the page. The focus moves into it, stays there and returns to what opened it; Escape closes it. `ConfirmDialog` asks before a change:
 * its text says the consequence and how to undo it; while the change runs the button is pending, and its error is shown in the dialog.
 */
import { type ReactNode, useState } from "react"
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components"
import { useTexts } from "../texts/Language.tsx"
import { Button } from "./Button.tsx"
import { ErrorNotice } from "./ErrorNotice.tsx"

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly isWide?: boolean
  readonly role?: "dialog" | "alertdialog"
  readonly children: ReactNode
}

export const Dialog = ({ children, isOpen, isWide = false, onClose, role = "dialog", title }: DialogProps) => (
  <ModalOverlay
    className="overlay"
    isOpen={isOpen}
    isDismissable={role === "dialog"}
    onOpenChange={(open) => {
      if (!open) onClose()
    }}
  >
    <Modal className={isWide ? "dialog wide" : "dialog"}>
      <AriaDialog role={role}>
        <Heading slot="title" level={2}>{title}</Heading>
        {children}
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)

/** Stands at the end of a dialog. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="dialog-actions">{children}</div>
)

export interface ConfirmDialogProps {
  readonly title: string
  /** What will happen, and how it can be undone. */
  readonly children: ReactNode
  readonly confirmLabel: string
  readonly isDangerous?: boolean
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The dialog closes when it succeeds. */
  readonly onConfirm: () => Promise<unknown>
}

export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const { children, confirmLabel, isDangerous = false, isOpen, onClose, onConfirm, title } = props
  const { common } = useTexts()
  const [state, setState] = useState<{ readonly isPending: boolean; readonly error?: unknown }>({ isPending: false })
  const close = () => {
    setState({ isPending: false })
    onClose()
  }
  const confirm = async () => {
    setState({ isPending: true })
    try {
      await onConfirm()
      close()
    } catch (error) {
      setState({ isPending: false, error })
    }
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} role="alertdialog">
      <div className="stack tight">{children}</div>
      {state.error !== undefined && <ErrorNotice error={state.error} />}
      <DialogActions>
        <Button onPress={close}>{common.cancel}</Button>
        <Button
          tone={isDangerous ? "danger filled" : "primary"}
          isPending={state.isPending}
          onPress={() => void confirm()}
        >
          {confirmLabel}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

export interface ConfirmButtonProps extends Omit<ConfirmDialogProps, "isOpen" | "onClose"> {
  /** The text of the button that opens the dialog. */
  readonly label: ReactNode
  readonly isCompact?: boolean
  readonly isDisabled?: boolean
}

/** A button whose action is confirmed first. */
export const ConfirmButton = ({ isCompact = false, isDisabled = false, label, ...dialog }: ConfirmButtonProps) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button
        tone={dialog.isDangerous === true ? "danger" : "default"}
        isCompact={isCompact}
        isDisabled={isDisabled}
        onPress={() => setIsOpen(true)}
      >
        {label}
      </Button>
      <ConfirmDialog {...dialog} isOpen={isOpen} onClose={() => setIsOpen(false)} />
    </>
  )
}
