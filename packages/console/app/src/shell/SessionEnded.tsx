/** There is no session: how to get a link. The focus moves to the title, so that screen readers say it when a session ends under an open page. */
import { useEffect, useRef } from "react"
import { useTexts } from "../texts/Language.tsx"
import { Brand } from "./Brand.tsx"

export const SessionEnded = () => {
  const { link } = useTexts()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <main id="main" className="lone">
      <Brand />
      <title>Outdial</title>
      <h1 ref={heading} tabIndex={-1}>{link.endedTitle}</h1>
      <p>{link.ended}</p>
      <pre><code>outdial console link</code></pre>
      <p className="muted">{link.host}</p>
    </main>
  )
}
