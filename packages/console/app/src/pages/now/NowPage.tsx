/** Now: whether calls go out, what holds them and until when; lines, results of today, carriers, webhook, and the last calls. */
import "./now.css"
import { useAccountQuery } from "../../data/Account.ts"
import type { Call, List, Overview } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Demo } from "./Demo.tsx"
import { EmergencyStop } from "./EmergencyStop.tsx"
import { Figures } from "./Figures.tsx"
import { useAgreement } from "./OverviewChange.ts"
import { RecentCalls } from "./RecentCalls.tsx"
import { CarriersCard, WebhookCard } from "./Services.tsx"
import { StandingBanner } from "./StandingBanner.tsx"
import { WaitingCard } from "./WaitingCard.tsx"

export const Component = () => {
  const { shell } = useTexts()
  // Times that come due are no event.
  const overview = useAccountQuery<Overview>("overview", "overview", { refetchInterval: 60_000 })
  const recent = useAccountQuery<List<Call>>("calls", "v1/calls?limit=10")
  useAgreement(overview.data)
  return (
    <Page title={shell.pages.now} actions={overview.data !== undefined && <EmergencyStop overview={overview.data} />}>
      <Loaded query={overview} lines={8}>
        {(data) => <StandingBanner overview={data} isStale={(overview.error ?? overview.failureReason) !== null} />}
      </Loaded>
      {recent.data?.data.length === 0 && <Demo />}
      {overview.data !== undefined && <Figures overview={overview.data} />}
      <div className="now-columns">
        <div className="stack">
          {overview.data !== undefined && <WaitingCard overview={overview.data} />}
          <RecentCalls query={recent} />
        </div>
        {overview.data !== undefined && (
          <div className="stack">
            <CarriersCard overview={overview.data} />
            <WebhookCard overview={overview.data} />
          </div>
        )}
      </div>
    </Page>
  )
}
