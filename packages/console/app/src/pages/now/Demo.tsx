/** The first action of a new installation whose carrier is simulated: a campaign of twenty calls. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { newIdempotencyKey, request } from "../../data/Api.ts"
import { demoAgent, demoBatch, isSimulated } from "../../data/DemoCampaign.ts"
import { includesRole, useSession } from "../../data/Session.ts"
import type { Agent, Batch, List } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Notice } from "../../ui/Notice.tsx"
import { toast } from "../../ui/Toasts.tsx"

export const Demo = () => {
  const { carrier, role } = useSession()
  const { now } = useTexts()
  const account = useAccountId()
  const queryClient = useQueryClient()
  const start = useMutation({
    mutationFn: async () => {
      const agents = await request<List<Agent>>(accountPath(account, "v1/agents?limit=1"))
      const agent = agents.data[0] ??
        await request<Agent>(accountPath(account, "v1/agents"), { method: "POST", body: demoAgent })
      return request<Batch>(accountPath(account, "v1/batches"), {
        method: "POST",
        body: demoBatch(agent),
        headers: { "idempotency-key": newIdempotencyKey() }
      })
    },
    onSuccess: async ({ accepted_count }) => {
      toast(now.demoStarted(accepted_count))
      await queryClient.invalidateQueries({ queryKey: [account] })
    }
  })
  if (!isSimulated(carrier) || !includesRole(role, "operator")) return null
  return (
    <>
      <Notice
        title={now.demoTitle}
        actions={
          <Button tone="primary" isPending={start.isPending} onPress={() => start.mutate()}>
            <Icon name="play" />
            {now.demoStart}
          </Button>
        }
      >
        {now.demoText}
      </Notice>
      {start.error !== null && <ErrorNotice error={start.error} />}
    </>
  )
}
