/** The account in the address does not exist, or the session is not for it. */
import { Link } from "react-router"
import { useSession } from "../data/Session.ts"
import { useTexts } from "../texts/Language.tsx"
import { Brand } from "./Brand.tsx"

export const UnknownAccount = () => {
  const { shell } = useTexts()
  const { accounts } = useSession()
  return (
    <main id="main" className="lone">
      <Brand />
      <h1 tabIndex={-1}>{accounts.length === 0 ? shell.noAccounts : shell.unknownAccount}</h1>
      {accounts.length === 0 ? <pre><code>outdial account create</code></pre> : (
        <ul>
          {accounts.map(({ id, name }) => (
            <li key={id}>
              <Link to={`/${id}/now`}>{name}</Link>
            </li>
          ))}
        </ul>
      )}
    </main>
  )
}
