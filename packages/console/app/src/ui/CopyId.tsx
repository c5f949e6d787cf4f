/** An identifier with a button that copies it. Shown whole where there is room, else cut at its end. */
import { useTexts } from "../texts/Language.tsx"
import { Button } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import { toast } from "./Toasts.tsx"

/** `label` names what is copied, for screen readers. */
export const CopyId = ({ id, label }: { readonly id: string; readonly label: string }) => {
  const { common } = useTexts()
  const copy = () =>
    // Missing on pages that are neither https nor on this machine.
    void (navigator.clipboard?.writeText(id) ?? Promise.reject(new Error("no clipboard"))).then(
      () => toast(common.copied(label)),
      () => toast(common.notCopied, "bad")
    )
  return (
    <span className="copy-id">
      <code title={id}>{id}</code>
      <Button tone="quiet" isCompact aria-label={common.copy(label)} onPress={copy}>
        <Icon name="copy" size={14} />
      </Button>
    </span>
  )
}
