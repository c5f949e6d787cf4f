/**
 * Opens a link: its token, which stands behind the `#` and so in no log, becomes a session. A link works once, so a button opens it: a preview of the
 * address in a chat or a mail must not use it up.
 */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link, useNavigate } from "react-router"
import { request } from "../data/Api.ts"
import { ApiError } from "../data/ApiError.ts"
import { sessionKey, useSessionQuery } from "../data/Session.ts"
import { useTexts } from "../texts/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { ErrorNotice } from "../ui/ErrorNotice.tsx"
import { Brand } from "./Brand.tsx"
import { SessionEnded } from "./SessionEnded.tsx"

export const LinkPage = () => {
  const { link } = useTexts()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [token] = useState(() => location.hash.slice(1))
  const open = useMutation({
    mutationFn: () => request("session", { method: "POST", body: { token } }),
    onSuccess: async () => {
      await queryClient.resetQueries({ queryKey: sessionKey })
      await navigate("/", { replace: true })
    }
  })
  if (token === "") return <SessionEnded />
  const isInvalid = open.error instanceof ApiError && open.error.status === 401
  return (
    <main id="main" className="lone">
      <Brand />
      <title>Outdial</title>
      <h1 tabIndex={-1}>{isInvalid ? link.invalidTitle : link.title}</h1>
      {isInvalid
        ? (
          <>
            <p>{link.invalid}</p>
            <pre><code>outdial console link</code></pre>
            <OwnSession />
          </>
        )
        : (
          <>
            <p>{link.intro}</p>
            {open.error !== null && <ErrorNotice error={open.error} />}
            <div>
              <Button tone="primary" autoFocus isPending={open.isPending} onPress={() => open.mutate()}>
                {link.open}
              </Button>
            </div>
          </>
        )}
    </main>
  )
}

/** Leads to the pages if this browser has a session that the server still knows. */
const OwnSession = () => {
  const { link } = useTexts()
  const { data, isFetchedAfterMount } = useSessionQuery()
  return isFetchedAfterMount && data ? <Link to="/">{link.continue}</Link> : null
}
