/**
 * The recording with its waveform. The sound is loaded when the reader asks for it. A slider of the same length serves the keyboard and screen
 * readers; the waveform is a picture.
 */
import { useMutation } from "@tanstack/react-query"
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react"
import WaveSurfer from "wavesurfer.js"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { download } from "../../data/Api.ts"
import { useFormat } from "../../texts/Format.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Notice } from "../../ui/Notice.tsx"

export interface PlayerHandle {
  readonly playTurn: (sequence: number) => void
}

export interface PlayerProps {
  readonly ref: Ref<PlayerHandle>
  readonly callId: string
  /** The link of the call; its query string proves the right to listen. */
  readonly url: string
  /** Where the turn begins in a recording of this length, in milliseconds. */
  readonly startOf: (sequence: number, duration: number) => number
  /** The moment that is heard and the length of the recording, in milliseconds. */
  readonly onTime: (at: number, duration: number) => void
}

export const Player = ({ callId, onTime, ref, startOf, url }: PlayerProps) => {
  const { call } = useTexts()
  const account = useAccountId()
  const load = useMutation({
    mutationFn: () =>
      download(accountPath(account, `v1/calls/${callId}/recording${new URL(url, location.href).search}`))
  })
  const first = useRef<number>(undefined)
  const loaded = useRef<PlayerHandle>(null)
  useImperativeHandle(ref, () => ({
    playTurn: (sequence) => {
      first.current = sequence
      if (loaded.current !== null) loaded.current.playTurn(sequence)
      else if (!load.isPending) load.mutate()
    }
  }))
  if (load.data !== undefined) {
    return <LoadedPlayer ref={loaded} sound={load.data} first={first.current} startOf={startOf} onTime={onTime} />
  }
  return (
    <>
      <div className="row">
        <Button isPending={load.isPending} onPress={() => load.mutate()}>
          <Icon name="play" />
          {load.isPending ? call.loadingRecording : call.playRecording}
        </Button>
      </div>
      {load.error !== null && <ErrorNotice error={load.error} />}
    </>
  )
}

interface LoadedPlayerProps extends Pick<PlayerProps, "ref" | "onTime" | "startOf"> {
  readonly sound: Blob
  /** The turn to begin with. */
  readonly first: number | undefined
}

const LoadedPlayer = ({ first, onTime, ref, sound, startOf }: LoadedPlayerProps) => {
  const { call } = useTexts()
  const format = useFormat()
  const container = useRef<HTMLDivElement>(null)
  const player = useRef<WaveSurfer>(null)
  const [state, setState] = useState({ isReady: false, isPlaying: false, isBroken: false, seconds: 0, duration: 0 })
  const latest = useRef({ first, onTime, startOf })
  useEffect(() => {
    latest.current = { first, onTime, startOf }
  })
  useEffect(() => {
    if (container.current === null) return
    const style = getComputedStyle(document.documentElement)
    const nonce = document.querySelector<HTMLMetaElement>("meta[property='csp-nonce']")
    const surfer = WaveSurfer.create({
      container: container.current,
      height: 56,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      cursorWidth: 2,
      waveColor: style.getPropertyValue("--border-strong"),
      progressColor: style.getPropertyValue("--accent"),
      cursorColor: style.getPropertyValue("--accent"),
      dragToSeek: true,
      cspNonce: nonce?.content ?? ""
    })
    player.current = surfer
    const change = (next: Partial<typeof state>) => setState((old) => ({ ...old, ...next }))
    surfer.on("ready", (duration) => {
      change({ isReady: true, duration })
      const { first, startOf } = latest.current
      if (first !== undefined) surfer.setTime(startOf(first, duration * 1000) / 1000)
      // Browsers may ask for another press first.
      void surfer.play().catch(() => undefined)
    })
    surfer.on("timeupdate", (seconds) => {
      change({ seconds })
      latest.current.onTime(seconds * 1000, surfer.getDuration() * 1000)
    })
    surfer.on("play", () => change({ isPlaying: true }))
    surfer.on("pause", () => change({ isPlaying: false }))
    surfer.on("error", () => change({ isBroken: true }))
    void surfer.loadBlob(sound).catch(() => change({ isBroken: true }))
    return () => {
      surfer.destroy()
      player.current = null
    }
  }, [sound])
  useImperativeHandle(ref, () => ({
    playTurn: (sequence) => {
      const { current } = player
      if (current === null) return
      current.setTime(startOf(sequence, current.getDuration() * 1000) / 1000)
      void current.play().catch(() => undefined)
    }
  }))
  if (state.isBroken) return <Notice tone="bad">{call.recordingBroken}</Notice>
  const at = format.duration(state.seconds)
  const length = format.duration(state.duration)
  return (
    <div className="player">
      <Button
        tone="primary"
        isDisabled={!state.isReady}
        aria-label={state.isPlaying ? call.pauseRecording : call.playRecording}
        onPress={() => void player.current?.playPause()}
      >
        <Icon name={state.isPlaying ? "pause" : "play"} />
      </Button>
      <div ref={container} className="waveform" aria-hidden="true" />
      <span className="numeric small">{`${at} / ${length}`}</span>
      <input
        type="range"
        aria-label={call.position}
        aria-valuetext={call.positionOf(at, length)}
        min={0}
        max={state.duration}
        step={Math.max(0.05, state.duration / 100)}
        value={state.seconds}
        onChange={(event) => player.current?.setTime(Number(event.currentTarget.value))}
      />
    </div>
  )
}
