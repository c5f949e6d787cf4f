/** There is no session: how to get a link. */
import { useTexts } from "../texts/Language.tsx"
import { Brand } from "./Brand.tsx"

export const SessionEnded = () => {
  const { link } = useTexts()
  return (
    <main id="main" className="lone">
      <Brand />
      <title>Outdial</title>
      <h1 tabIndex={-1}>{link.endedTitle}</h1>
      <p>{link.ended}</p>
      <pre><code>outdial console link</code></pre>
      <p className="muted">{link.host}</p>
    </main>
  )
}
