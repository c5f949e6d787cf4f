/** One call: where it stands, what was said, what came of it, why, and what was reported about it. */
import "./call.css"
import { useState } from "react"
import { useParams } from "react-router"
import { useAccountQuery } from "../../data/Account.ts"
import { useMedia } from "../../data/Media.ts"
import type { Call, Timeline } from "../../data/Wire.ts"
import { Page } from "../../shell/Page.tsx"
import { useTexts } from "../../texts/Language.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Badge, StatusBadge } from "../../ui/StatusBadge.tsx"
import { CallActions } from "./CallActions.tsx"
import { Conversation } from "./Conversation.tsx"
import { DetailsCard } from "./DetailsCard.tsx"
import { EventsCard } from "./EventsCard.tsx"
import { NextStep } from "./NextStep.tsx"
import { OutcomeCard } from "./OutcomeCard.tsx"
import { RulesCard } from "./RulesCard.tsx"
import { TimelineCard } from "./TimelineCard.tsx"
import type { Citation } from "./Transcript.tsx"

export const Component = () => {
  const { id = "" } = useParams()
  // Another call must not show what was chosen in this one.
  return <CallPage key={id} id={id} />
}

const CallPage = ({ id }: { readonly id: string }) => {
  const { call: texts, common } = useTexts()
  const call = useAccountQuery<Call>("call", `v1/calls/${encodeURIComponent(id)}`, { id })
  const timeline = useAccountQuery<Timeline>("call", `calls/${encodeURIComponent(id)}/timeline`, { id })
  const isOneColumn = useMedia("(max-width: 1000px)") // as in call.css
  const [citation, setCitation] = useState<Citation>()
  const { data } = call
  return (
    <Page
      title={data === undefined ? texts.title : texts.titleOf(data.contact.name ?? data.phone_number)}
      note={data !== undefined && (
        <>
          <StatusBadge status={data.status} />
          {data.test && <Badge>{common.test}</Badge>}
        </>
      )}
      actions={data !== undefined && <CallActions call={data} />}
    >
      <Loaded query={call} lines={8}>
        {(shown) => {
          const outcome = shown.outcome !== null && (
            <OutcomeCard
              outcome={shown.outcome}
              onCite={(sequence, quote) => setCitation({ sequence, quote, at: Date.now() })}
            />
          )
          const events = <EventsCard timeline={timeline} />
          const rules = <RulesCard call={shown} />
          // In one column, what came of the call stands before how it came about.
          return (
            <>
              <NextStep call={shown} />
              <div className="call-columns">
                <div className="stack">
                  {isOneColumn && outcome}
                  <Conversation call={shown} citation={citation} />
                  {shown.status === "queued" && rules}
                  {!isOneColumn && events}
                </div>
                <div className="stack">
                  {!isOneColumn && outcome}
                  <TimelineCard timeline={timeline} />
                  <DetailsCard call={shown} timeline={timeline.data} />
                  {isOneColumn && events}
                </div>
              </div>
              {shown.status !== "queued" && rules}
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}
