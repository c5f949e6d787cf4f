/** Catches the error of a page, so that the navigation stays. A part that could not be loaded is often an old page after an update. */
import { Component, type ReactNode } from "react"
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
    return this.state.error === undefined ? this.props.children : <PageFailed error={this.state.error} />
  }
}

export const PageFailed = ({ error }: { readonly error: unknown }) => {
  const { common, shell } = useTexts()
  return (
    <main id="main" className="page">
      <h1 tabIndex={-1}>{shell.failed}</h1>
      <Notice tone="bad" actions={<Button onPress={() => location.reload()}>{common.reload}</Button>}>
        {shell.failedHelp}
        <div className="small muted">{error instanceof Error ? error.message : String(error)}</div>
      </Notice>
    </main>
  )
}
