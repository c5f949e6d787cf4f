/** An error of a request in plain words, with the request's id to quote, and a button to try again where `onRetry` is given. */
import { ApiError, ConnectionLost } from "../data/ApiError.ts"
import { type Texts, useTexts } from "../texts/Language.tsx"
import { serverText } from "../texts/ServerText.ts"
import { Button } from "./Button.tsx"
import { Foreign } from "./Foreign.tsx"
import { Notice } from "./Notice.tsx"

/** What to tell the viewer. The server's messages say what to do. */
export const errorText = (error: unknown, texts: Texts): string => {
  const { errors } = texts
  if (error instanceof ConnectionLost) return errors.connection
  if (!(error instanceof ApiError)) return errors.unexpected
  if (error.code === "insufficient_scope" || error.status === 403) return errors.forbidden
  if (error.status === 404) return errors.notFound
  return serverText(error.message, texts)
}

export interface ErrorNoticeProps {
  readonly error: unknown
  readonly onRetry?: () => void
}

export const ErrorNotice = ({ error, onRetry }: ErrorNoticeProps) => {
  const texts = useTexts()
  const requestId = error instanceof ApiError ? error.requestId : undefined
  return (
    <Notice
      tone="bad"
      title={texts.errors.title}
      actions={onRetry !== undefined && <Button isCompact onPress={onRetry}>{texts.common.retry}</Button>}
    >
      <Foreign text={errorText(error, texts)} />
      {requestId !== undefined && (
        <div className="small muted">
          {texts.errors.requestId} <code>{requestId}</code>
        </div>
      )}
    </Notice>
  )
}
