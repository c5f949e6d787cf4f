/** What the call was started with, and its identifiers. */
import { Link } from "react-router"
import { useAccountId } from "../../data/Account.ts"
import type { Call, Timeline } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card, Facts } from "../../ui/Card.tsx"
import { CopyId } from "../../ui/CopyId.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { PhoneNumber } from "../../ui/PhoneNumber.tsx"
import { Duration, Time } from "../../ui/Time.tsx"
import { useAgentName } from "../calls/AgentNames.ts"

export interface DetailsCardProps {
  readonly call: Call
  readonly timeline: Timeline | undefined
}

export const DetailsCard = ({ call, timeline }: DetailsCardProps) => {
  const { call: texts, calls } = useTexts()
  const account = useAccountId()
  const agentName = useAgentName()
  const format = useFormat()
  const { contact, cost, metadata, usage, variables } = call
  const foreign = (text: string | undefined) => text !== undefined && <Foreign text={text} />
  return (
    <Card title={texts.details}>
      <Facts
        facts={[
          [calls.columns.number, <PhoneNumber key="number" number={call.phone_number} />],
          [calls.columns.contact, foreign(contact.name)],
          [texts.email, foreign(contact.email)],
          [calls.columns.externalId, foreign(contact.external_id)],
          [texts.timeZone, foreign(contact.time_zone)],
          [calls.columns.agent, <Foreign key="agent" text={agentName(call.agent_id)} />],
          [
            calls.columns.batch,
            call.batch_id !== null && <Link to={`/${account}/calls?batch=${call.batch_id}`}>{texts.callsOfBatch}</Link>
          ],
          [calls.columns.created, <Time key="created" at={call.created_at} />],
          [texts.dialed, call.dialed_at !== undefined && <Time at={call.dialed_at} />],
          [texts.ended, call.ended_at !== undefined && <Time at={call.ended_at} />],
          [
            calls.columns.duration,
            (call.duration_seconds ?? 0) > 0 && <Duration seconds={call.duration_seconds ?? 0} />
          ],
          [texts.answeredByName, call.answered_by !== undefined && texts.answeredBy[call.answered_by]],
          [texts.cost, cost !== undefined && format.money(cost.amount, cost.currency)],
          [
            texts.models,
            usage !== undefined && usage.map(({ input_tokens, model, output_tokens, requests }) => (
              <div key={model}>
                <Foreign text={model} />
                <div className="small muted">{texts.tokens(requests, input_tokens, output_tokens)}</div>
              </div>
            ))
          ],
          [texts.variables, Object.keys(variables).length > 0 && <Values values={variables} />],
          [
            texts.metadata,
            Object.keys(metadata).length > 0 &&
            <pre className="json small"><bdi dir="auto">{JSON.stringify(metadata, null, 2)}</bdi></pre>
          ],
          [texts.callId, <CopyId key="id" id={call.id} label={texts.callId} />],
          [
            texts.traceId,
            typeof timeline?.trace_id === "string" && <CopyId id={timeline.trace_id} label={texts.traceId} />
          ]
        ]}
      />
    </Card>
  )
}

const Values = ({ values }: { readonly values: Call["variables"] }) => (
  <>
    {Object.entries(values).map(([name, value]) => (
      <div key={name}>
        <span className="muted">
          <Foreign text={name} />:
        </span>{" "}
        <Foreign text={String(value)} />
      </div>
    ))}
  </>
)
