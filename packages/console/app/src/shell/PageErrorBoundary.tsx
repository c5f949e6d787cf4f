/** Catches the error of a page, so that the navigation stays. A part that could not be loaded is often one of a server that is down or was updated. */
import { Component, type ReactNode, useEffect, useRef } from "react"
import { request } from "../data/Api.ts"
import { useLiveState } from "../data/LiveQueries.tsx"
import { PartError } from "../data/Part.ts"
import { useTexts } from "../texts/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Notice } from "../ui/Notice.tsx"

interface Props {
  readonly children: ReactNode
}

export class PageErrorBoundary extends Component<Props, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return error instanceof PartError ? <PartFailed error={error} /> : <PageFailed error={error} />
  }
}

export const PageFailed = ({ error }: { readonly error: unknown }) => {
  const { common, shell } = useTexts()
  return (
    <main id="main" className="page">
      <h1 tabIndex={-1}>{shell.failed}</h1>
      <Notice tone="bad" actions={<Button onPress={() => location.reload()}>{common.reload}</Button>}>
        {shell.failedHelp}
        {error instanceof Error && <div className="small muted">{error.message}</div>}
      </Notice>
    </main>
  )
}

/** Failures whose page was left. */
const left = new WeakSet<PartError>()

/**
 * Loads the document again once the server answers, as the page may have new parts then, and the browser remembers those that failed. A part that is
 * missing although the server answered all the time is not tried again by itself.
 */
const PartFailed = ({ error }: { readonly error: PartError }) => {
  const { shell } = useTexts()
  const live = useLiveState()
  const mayBeBack = useRef(left.has(error))
  useEffect(() => () => void left.add(error), [error])
  useEffect(() => {
    if (live === "lost") mayBeBack.current = true
    if (live !== "live" || !mayBeBack.current) return
    mayBeBack.current = false
    // A server that has gone again would leave an error of the browser in place of the page.
    void request("session").then(() => location.reload(), () => undefined)
  }, [live])
  if (live === "live") return <PageFailed error={undefined} />
  return (
    <main id="main" className="page">
      <h1 tabIndex={-1}>{shell.partMissing}</h1>
      <Notice tone="bad">{shell.partMissingHelp}</Notice>
    </main>
  )
}
