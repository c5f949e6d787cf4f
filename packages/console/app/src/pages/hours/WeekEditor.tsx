/**
 * Calling hours as a week. With the pointer: an edge of a window changes its times, its middle moves it, a free part of a day gets a new window. With the
 * keyboard each edge is a slider: arrow keys move it by a quarter of an hour, with Shift by a minute, Page Up and Page Down by an hour; Delete removes
 * the window.
 */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import {
  added,
  type CallingHours,
  type Day,
  dayMinutes,
  days,
  merged,
  mostWindows,
  moved,
  snapped,
  step,
  timeOf,
  type Window,
  windowsOf,
  withEnd,
  withStart,
  withWindows
} from "./Week.ts"

export interface WeekEditorProps {
  readonly hours: CallingHours
  /** Absent for roles that may not change it. */
  readonly onChange: ((hours: CallingHours) => void) | undefined
}

export const WeekEditor = ({ hours, onChange }: WeekEditorProps) => {
  const { hours: texts } = useTexts()
  return (
    <div className="week" role="group" aria-label={texts.week}>
      <div className="week-scale" aria-hidden="true">
        {[0, 6, 12, 18, 24].map((hour) => (
          <span key={hour} style={{ insetInlineStart: `${(hour / 24) * 100}%` }}>{timeOf(hour * 60)}</span>
        ))}
      </div>
      {days.map((day) => (
        <DayRow
          key={day}
          day={day}
          windows={windowsOf(hours, day)}
          onChange={onChange && ((windows) => onChange(withWindows(hours, day, windows)))}
          onCopy={onChange &&
            (() => onChange(days.reduce((all, other) => withWindows(all, other, windowsOf(hours, day)), hours)))}
        />
      ))}
      {onChange !== undefined && <p className="small muted">{texts.weekHelp}</p>}
    </div>
  )
}

interface DayRowProps {
  readonly day: Day
  readonly windows: ReadonlyArray<Window>
  readonly onChange: ((windows: ReadonlyArray<Window>) => void) | undefined
  readonly onCopy: (() => void) | undefined
}

type Part = "start" | "end" | "whole"

interface Drag {
  readonly index: number
  readonly part: Part
  /** From the start of the window to where it was taken, in minutes. */
  readonly offset: number
  readonly windows: ReadonlyArray<Window>
}

const DayRow = ({ day, onChange, onCopy, windows }: DayRowProps) => {
  const { hours: texts } = useTexts()
  const track = useRef<HTMLDivElement>(null)
  // While the pointer is down the row shows this; the policy changes when it is released.
  const [drag, setDrag] = useState<Drag>()
  const shown = drag?.windows ?? windows
  const name = texts.days[day]
  const minuteAt = (event: PointerEvent): number => {
    const box = track.current?.getBoundingClientRect()
    if (box === undefined || box.width === 0) return 0
    const share = (event.clientX - box.left) / box.width
    return Math.min(dayMinutes, Math.max(0, share * dayMinutes))
  }
  const take = (event: PointerEvent, index: number, part: Part) => {
    const window = windows[index]
    if (onChange === undefined || window === undefined || event.button !== 0) return
    event.stopPropagation()
    track.current?.setPointerCapture(event.pointerId)
    setDrag({ index, part, offset: minuteAt(event) - window.start, windows })
  }
  const create = (event: PointerEvent) => {
    if (onChange === undefined || event.button !== 0 || windows.length >= mostWindows) return
    const start = Math.min(dayMinutes - step, Math.floor(minuteAt(event) / step) * step)
    track.current?.setPointerCapture(event.pointerId)
    setDrag({ index: windows.length, part: "end", offset: 0, windows: [...windows, { start, end: start + step }] })
  }
  const move = (event: PointerEvent) => {
    if (drag === undefined) return
    const minute = minuteAt(event)
    setDrag({
      ...drag,
      windows: drag.windows.map((window, index) => {
        if (index !== drag.index) return window
        if (drag.part === "start") return withStart(window, Math.min(snapped(minute), window.end - step))
        if (drag.part === "end") return withEnd(window, Math.max(snapped(minute), window.start + step))
        return moved(window, snapped(minute - drag.offset))
      })
    })
  }
  const drop = () => {
    if (drag === undefined) return
    setDrag(undefined)
    onChange?.(merged(drag.windows))
  }
  const replace = (index: number, window: Window) =>
    onChange?.(windows.map((other, place) => place === index ? window : other))
  const remove = (index: number) => {
    onChange?.(windows.filter((_, place) => place !== index))
    track.current?.parentElement?.querySelector<HTMLButtonElement>(".week-add")?.focus()
  }
  return (
    <div className="week-day" role="group" aria-label={name}>
      <div className="week-name">
        <strong>{name}</strong>
        <span className="small muted">
          {shown.length === 0
            ? texts.closed
            : shown.map((window) => texts.span(timeOf(window.start), timeOf(window.end))).join(", ")}
        </span>
      </div>
      <div
        className="week-track"
        ref={track}
        data-editable={onChange !== undefined}
        onPointerDown={create}
        onPointerMove={move}
        onPointerUp={drop}
        onPointerCancel={() => setDrag(undefined)}
      >
        {shown.map((window, index) => (
          <Block
            key={index}
            label={texts.window(name, index + 1)}
            window={window}
            isEditable={onChange !== undefined}
            onTake={(event, part) => take(event, index, part)}
            onChange={(window) => replace(index, window)}
            onRemove={() => remove(index)}
          />
        ))}
      </div>
      {onChange !== undefined && (
        <div className="week-actions">
          <Button
            tone="quiet"
            isCompact
            aria-label={texts.addWindow(name)}
            isDisabled={windows.length >= mostWindows}
            onPress={() => onChange(added(windows))}
          >
            <Icon name="plus" size={14} />
          </Button>
          <Button
            tone="quiet"
            isCompact
            aria-label={texts.clearDay(name)}
            isDisabled={windows.length === 0}
            onPress={() => onChange([])}
          >
            <Icon name="close" size={14} />
          </Button>
          <Button tone="quiet" isCompact aria-label={texts.copyDay(name)} onPress={() => onCopy?.()}>
            <Icon name="copy" size={14} />
          </Button>
        </div>
      )}
    </div>
  )
}

interface BlockProps {
  readonly label: string
  readonly window: Window
  readonly isEditable: boolean
  readonly onTake: (event: PointerEvent, part: Part) => void
  readonly onChange: (window: Window) => void
  readonly onRemove: () => void
}

const percent = (minutes: number): string => `${(minutes / dayMinutes) * 100}%`

const Block = ({ isEditable, label, onChange, onRemove, onTake, window }: BlockProps) => {
  const { hours: texts } = useTexts()
  const { end, start } = window
  const style = { insetInlineStart: percent(start), width: percent(Math.min(dayMinutes, end) - start) }
  const times = (
    <span className="week-times" aria-hidden="true">
      {`${timeOf(start)}–${timeOf(end)}${end > dayMinutes ? " →" : ""}`}
    </span>
  )
  if (!isEditable) return <div className="week-window" style={style}>{times}</div>
  const keys = (event: KeyboardEvent, value: number, set: (minutes: number) => Window) => {
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault()
      return onRemove()
    }
    const distance = distances(event.shiftKey)[event.key]
    if (distance === undefined) return
    event.preventDefault()
    onChange(set(value + distance))
  }
  const edge = (part: "start" | "end") => {
    const value = window[part]
    const isNextDay = value > dayMinutes
    return (
      <div
        className={`week-edge ${part}`}
        role="slider"
        tabIndex={0}
        aria-label={part === "start" ? texts.windowStart(label) : texts.windowEnd(label)}
        aria-valuemin={part === "start" ? 0 : start + 1}
        aria-valuemax={part === "start" ? Math.min(dayMinutes - 1, end - 1) : start + dayMinutes}
        aria-valuenow={value}
        aria-valuetext={isNextDay ? texts.nextDay(timeOf(value)) : timeOf(value)}
        onPointerDown={(event) => onTake(event, part)}
        onKeyDown={(event) =>
          keys(event, value, (minutes) => part === "start" ? withStart(window, minutes) : withEnd(window, minutes))}
      />
    )
  }
  return (
    <div className="week-window" style={style} onPointerDown={(event) => onTake(event, "whole")}>
      {edge("start")}
      {times}
      {edge("end")}
    </div>
  )
}

const distances = (isFine: boolean): Readonly<Record<string, number>> => {
  const distance = isFine ? 1 : step
  return {
    ArrowLeft: -distance,
    ArrowDown: -distance,
    ArrowRight: distance,
    ArrowUp: distance,
    PageDown: -60,
    PageUp: 60,
    Home: -dayMinutes,
    End: dayMinutes
  }
}
