/** What the server says of rules before they are saved, and what they do to waiting calls. */
import { useQuery } from "@tanstack/react-query"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import { useSettled } from "../../data/Settled.ts"
import { useSession } from "../../data/Session.ts"
import type { PolicyEffect, PolicyPreview } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Facts } from "../../ui/Card.tsx"
import type { Document } from "./PolicyDraft.ts"

const previewDelay = 500

export interface Preview {
  /** May be of the document before the last change; absent at first. */
  readonly data: PolicyPreview | undefined
  /** Whether it is of this document and preset. */
  readonly isCurrent: boolean
}

/** Without a document nothing is asked. */
export const usePreview = (document: Document | undefined, preset?: string): Preview => {
  const account = useAccountId()
  const settled = useSettled(document, previewDelay)
  const { data, isPlaceholderData } = useQuery({
    queryKey: [account, "policy", "preview", settled, preset],
    queryFn: ({ signal }) =>
      request<PolicyPreview>(accountPath(account, "policy/preview"), {
        method: "POST",
        body: { policy: settled, ...(preset !== undefined && { preset }) },
        signal
      }),
    enabled: settled !== undefined,
    staleTime: 30_000,
    gcTime: 60_000,
    placeholderData: (last) => last
  })
  return { data, isCurrent: settled === document && data !== undefined && !isPlaceholderData }
}

export const EffectFacts = ({ effect }: { readonly effect: PolicyEffect }) => {
  const { hours: texts } = useTexts()
  const format = useFormat()
  const account = useAccountId()
  const { accounts, all_paused } = useSession()
  const isPaused = all_paused || accounts.some(({ id, paused }) => id === account && paused)
  const { expire, later, now_callable, waiting_calls, waiting_calls_examined } = effect
  if (waiting_calls === 0) return <p className="muted">{texts.effect.none}</p>
  return (
    <>
      <Facts
        facts={[
          isPaused
            ? [texts.effect.paused, texts.effect.byRules(format.number(now_callable))]
            : [texts.effect.now, format.number(now_callable)],
          [texts.effect.later, format.number(later)],
          [texts.effect.expire, format.number(expire)]
        ]}
      />
      {waiting_calls_examined < waiting_calls && (
        <p className="small muted">{texts.effect.examined(waiting_calls_examined, waiting_calls)}</p>
      )}
    </>
  )
}
