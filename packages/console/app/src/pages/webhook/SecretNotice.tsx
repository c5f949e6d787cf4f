/** A new signing secret, which is shown only once. */
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { Notice } from "../../ui/Notice.tsx"

export interface SecretNoticeProps {
  readonly secret: string
  readonly onClose: () => void
}

export const SecretNotice = ({ onClose, secret }: SecretNoticeProps) => {
  const { common, webhook } = useTexts()
  return (
    <Notice
      tone="warn"
      title={webhook.newSecret}
      actions={<Button isCompact onPress={onClose}>{common.close}</Button>}
    >
      <p>{webhook.newSecretHelp}</p>
      <CopyId id={secret} label={webhook.secret} />
    </Notice>
  )
}
