/** A new agent. */
import { Notice } from "../../ui/Notice.tsx"
import { Page } from "../../shell/Page.tsx"
import { useIsAllowed } from "../../data/Session.ts"
import { useTexts } from "../../texts/Language.tsx"
import { NewAgent } from "./AgentPage.tsx"

export const Component = () => {
  const { agents: texts } = useTexts()
  const isAdmin = useIsAllowed("admin")
  return isAdmin ? <NewAgent /> : (
    <Page title={texts.new}>
      <Notice>{texts.newDenied}</Notice>
    </Page>
  )
}
