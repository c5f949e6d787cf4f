/** No page has this address. */
import { useTexts } from "../texts/Language.tsx"
import { useAccountId } from "../data/Account.ts"
import { ButtonLink } from "../ui/Button.tsx"
import { Page } from "./Page.tsx"

export const NotFound = () => {
  const { shell } = useTexts()
  const account = useAccountId()
  return (
    <Page title={shell.notFound}>
      <p>{shell.notFoundHelp}</p>
      <div>
        <ButtonLink to={`/${account}/now`}>{shell.toNow}</ButtonLink>
      </div>
    </Page>
  )
}
