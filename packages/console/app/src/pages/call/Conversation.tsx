/** What was said: the recording and the transcript, in step with each other; and as it is spoken. */
import { useQueryClient } from "@tanstack/react-query"
import { Suspense, useRef, useState } from "react"
import { useAccountId, useAccountQuery } from "../../data/Account.ts"
import { useFollowedCall, useLive } from "../../data/LiveQueries.tsx"
import { isSimulated } from "../../data/DemoCampaign.ts"
import { part } from "../../data/Part.ts"
import { useSession } from "../../data/Session.ts"
import { mergeTurns, soundStart, turnAt } from "../../data/Turns.ts"
import type { Call, Transcript as TranscriptData } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Card } from "../../ui/Card.tsx"
import { Loaded } from "../../ui/Loaded.tsx"
import { Skeleton } from "../../ui/Skeleton.tsx"
import { Badge } from "../../ui/StatusBadge.tsx"
import type { PlayerHandle } from "./Player.tsx"
import { type Citation, Transcript } from "./Transcript.tsx"

const Player = part(async () => (await import("./Player.tsx")).Player)

export interface ConversationProps {
  readonly call: Call
  readonly citation: Citation | undefined
}

export const Conversation = ({ call, citation }: ConversationProps) => {
  const { call: texts } = useTexts()
  const account = useAccountId()
  const queryClient = useQueryClient()
  const path = `v1/calls/${encodeURIComponent(call.id)}/transcript`
  const transcript = useAccountQuery<TranscriptData>("call", path, { id: call.id })
  const isLive = call.status === "dialing" || call.status === "in_progress"
  useFollowedCall(call.id, isLive || (call.status === "completed" && transcript.data?.sealed === false))
  const change = (next: (old: TranscriptData) => TranscriptData) =>
    queryClient.setQueryData<TranscriptData>([account, "call", call.id, path], (old) => old && next(old))
  useLive({
    onTurn: (callId, turn) => {
      if (callId === call.id) change((old) => ({ ...old, turns: mergeTurns(old.turns, [turn]) }))
    },
    onSealed: (callId) => {
      if (callId === call.id) change((old) => ({ ...old, sealed: true }))
    }
  })
  const player = useRef<PlayerHandle>(null)
  const [heard, setHeard] = useState<{ readonly at: number; readonly duration: number }>()
  const { carrier } = useSession()
  const isSample = call.test || isSimulated(carrier)
  const turns = transcript.data?.turns ?? []
  const { recording_url } = call
  if (call.status === "queued" && turns.length === 0) return null
  return (
    <>
      {recording_url !== undefined && (
        <Card title={texts.recording}>
          <Suspense fallback={<Skeleton lines={2} />}>
            <Player
              ref={player}
              callId={call.id}
              url={recording_url}
              startOf={(sequence, milliseconds) => soundStart(turns, sequence, { milliseconds, isSample }) ?? 0}
              onTime={(at, duration) => setHeard({ at, duration })}
            />
          </Suspense>
        </Card>
      )}
      <Card
        title={texts.transcript}
        actions={isLive && <Badge tone="accent" icon="play">{texts.asSpoken}</Badge>}
      >
        <Loaded query={transcript} lines={6}>
          {() =>
            turns.length === 0
              ? <p className="muted">{isLive ? texts.nothingSaidYet : texts.nothingSaid}</p>
              : (
                <Transcript
                  turns={turns}
                  isLive={isLive}
                  citation={citation}
                  heard={heard === undefined
                    ? undefined
                    : turnAt(turns, heard.at, { milliseconds: heard.duration, isSample })}
                  {...(recording_url !== undefined && {
                    onSeek: (sequence: number) => player.current?.playTurn(sequence)
                  })}
                />
              )}
        </Loaded>
      </Card>
    </>
  )
}
