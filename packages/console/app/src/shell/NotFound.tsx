/** No page has this address. */
import { useTexts } from "../texts/Language.tsx"
import { Page } from "./Page.tsx"

export const NotFound = () => {
  const { shell } = useTexts()
  return <Page title={shell.notFound}>{shell.notFoundHelp}</Page>
}
