import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"

export const Component = () => <Page title={useTexts().shell.pages.calls}>{""}</Page>
