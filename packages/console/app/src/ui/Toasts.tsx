/**
 * Short messages about what was just done. Errors stay until they are closed, others for six seconds, longer while the pointer or the focus is on
 * them. F6 moves the focus to them. Never put there what the viewer must read: a dialog or a notice is for that.
 */
import {
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion
} from "react-aria-components"
import { useTexts } from "../texts/Language.tsx"
import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"

interface Message {
  readonly text: string
  readonly tone: "good" | "bad"
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 4 })

/** Shows the text. */
export const toast = (text: string, tone: Message["tone"] = "good"): void => {
  queue.add({ text, tone }, tone === "good" ? { timeout: 6_000 } : {})
}

export const Toasts = () => {
  const { common } = useTexts()
  return (
    <ToastRegion queue={queue} className="toasts" aria-label={common.messages}>
      {({ toast: shown }) => (
        <Toast toast={shown} className={`toast ${shown.content.tone}`}>
          <ToastContent>
            <Text slot="title">{shown.content.text}</Text>
          </ToastContent>
          <Button slot="close" tone="quiet" isCompact aria-label={common.close}>
            <Icon name="close" size={14} />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  )
}
