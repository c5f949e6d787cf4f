/**
 * The turns. While the call is live the newest is kept in view, until the reader scrolls up: then a button leads back. A turn that is heard in the
 * recording, or that an answer rests on, is highlighted.
 */
import { useEffect, useRef, useState } from "react"
import { markQuote } from "../../data/Quote.ts"
import type { Turn } from "../../data/Wire.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Icon } from "../../ui/Icon.tsx"

/** The words that an answer rests on; `at` makes each request to show them a new one. */
export interface Citation {
  readonly sequence: number
  readonly quote: string
  readonly at: number
}

export interface TranscriptProps {
  readonly turns: ReadonlyArray<Turn>
  readonly isLive: boolean
  readonly citation: Citation | undefined
  /** The number of the turn that is played. */
  readonly heard: number | undefined
  /** Plays the recording from the turn of this number on; absent without a recording. */
  readonly onSeek?: (sequence: number) => void
}

/** So near to the end the reader follows the conversation, in pixels. */
const nearEnd = 48

export const Transcript = ({ citation, heard, isLive, onSeek, turns }: TranscriptProps) => {
  const { call } = useTexts()
  const list = useRef<HTMLDivElement>(null)
  const [isFollowing, setIsFollowing] = useState(true)
  const turnElement = (sequence: number) => list.current?.querySelector<HTMLElement>(`[data-turn="${sequence}"]`)
  const toNewest = () => list.current?.scrollTo({ top: list.current.scrollHeight })

  const last = turns.at(-1)?.sequence
  useEffect(() => {
    if (isLive && isFollowing) toNewest()
  }, [isFollowing, isLive, last])
  useEffect(() => {
    if (citation === undefined) return
    const element = turnElement(citation.sequence)
    element?.scrollIntoView({ block: "center" })
    element?.focus({ preventScroll: true })
  }, [citation])
  useEffect(() => {
    if (heard === undefined || list.current === null) return
    const element = turnElement(heard)
    if (element === null || element === undefined) return
    // Only within the list: the page must not move while the reader listens.
    const { clientHeight, scrollTop } = list.current
    const top = element.offsetTop
    if (top < scrollTop || top + element.offsetHeight > scrollTop + clientHeight) {
      list.current.scrollTo({ top: top - nearEnd })
    }
  }, [heard])

  const onScroll = () => {
    const { clientHeight = 0, scrollHeight = 0, scrollTop = 0 } = list.current ?? {}
    setIsFollowing(scrollHeight - scrollTop - clientHeight < nearEnd)
  }
  return (
    <div
      ref={list}
      className="transcript"
      role="log"
      aria-label={call.transcript}
      aria-live={isLive ? "polite" : "off"}
      tabIndex={0}
      onScroll={onScroll}
    >
      {turns.map((turn) => (
        <TurnRow
          key={turn.sequence}
          turn={turn}
          isHeard={turn.sequence === heard}
          quote={turn.sequence === citation?.sequence ? citation.quote : undefined}
          {...(onSeek !== undefined && { onSeek })}
        />
      ))}
      {isLive && !isFollowing && (
        <div className="to-newest">
          <Button isCompact tone="primary" onPress={toNewest}>
            <Icon name="down" size={14} />
            {call.toNewest}
          </Button>
        </div>
      )}
    </div>
  )
}

interface TurnRowProps {
  readonly turn: Turn
  readonly isHeard: boolean
  readonly quote: string | undefined
  readonly onSeek?: (sequence: number) => void
}

const TurnRow = ({ isHeard, onSeek, quote, turn }: TurnRowProps) => {
  const { call } = useTexts()
  const format = useFormat()
  const { interrupted = false, sequence, speaker, start_ms, text } = turn
  const at = start_ms === undefined ? undefined : format.duration(start_ms / 1000)
  return (
    <div
      className={`turn ${speaker}${isHeard ? " heard" : ""}${quote === undefined ? "" : " cited"}`}
      data-turn={sequence}
      tabIndex={-1}
      aria-current={isHeard ? "true" : undefined}
    >
      <div className="who">
        <div>{call.speakers[speaker]}</div>
        {at !== undefined && (onSeek === undefined
          ? <span className="numeric">{at}</span>
          : (
            <Button tone="quiet" isCompact aria-label={call.playFrom(at)} onPress={() => onSeek(sequence)}>{at}</Button>
          ))}
      </div>
      <div>
        <Words text={text} quote={quote} />
        {interrupted && <span className="muted small">{` ${call.interrupted}`}</span>}
      </div>
    </div>
  )
}

const Words = ({ quote, text }: { readonly text: string; readonly quote: string | undefined }) => {
  const marked = quote === undefined ? undefined : markQuote(text, quote)
  if (marked === undefined) return <Foreign text={text} />
  return (
    <bdi className="foreign" dir="auto">
      {marked.before}
      <mark>{marked.quote}</mark>
      {marked.after}
    </bdi>
  )
}
