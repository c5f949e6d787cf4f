/** A conversation with the agent by keyboard: what it says, notes and uses, as it happens. Nothing is stored, and no phone rings. */
import { type FormEvent, useEffect, useRef, useState } from "react"
import { accountPath, useAccountId } from "../../data/Account.ts"
import { request } from "../../data/Api.ts"
import type { Talk, TalkEvent } from "../../data/Wire.ts"
import { useTexts } from "../../texts/Language.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card } from "../../ui/Card.tsx"
import { ErrorNotice } from "../../ui/ErrorNotice.tsx"
import { Foreign } from "../../ui/Foreign.tsx"
import { Form, TextField } from "../../ui/Form.tsx"
import { Notice } from "../../ui/Notice.tsx"
import type { FullAgent } from "./AgentDraft.ts"
import { followTalk } from "./TalkStream.ts"
import { valuesOf, VariableFields } from "./VariableFields.tsx"

export interface TalkPanelProps {
  readonly agent: FullAgent
  /** The agent as it is edited, when that is not saved. */
  readonly definition: Readonly<Record<string, unknown>> | undefined
}

interface Running {
  readonly id: string
  readonly events: ReadonlyArray<TalkEvent>
}

export const chosenAgent = ({ agent, definition }: TalkPanelProps) =>
  definition === undefined ? { agent_id: agent.id } : { definition }

export const TalkPanel = ({ agent, definition }: TalkPanelProps) => {
  const account = useAccountId()
  const { agents: texts } = useTexts()
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [name, setName] = useState("")
  const [talk, setTalk] = useState<Running>()
  const [error, setError] = useState<unknown>()
  const [isStarting, setIsStarting] = useState(false)
  const following = useRef<AbortController>(undefined)
  const running = useRef<string>(undefined)
  const end = (id: string) =>
    void request(accountPath(account, `talks/${id}`), { method: "DELETE" }).catch(() => undefined)
  useEffect(() => () => {
    following.current?.abort()
    if (running.current !== undefined) {
      void request(accountPath(account, `talks/${running.current}`), { method: "DELETE" }).catch(() => undefined)
    }
  }, [account])
  const start = async () => {
    setIsStarting(true)
    setError(undefined)
    setTalk(undefined)
    try {
      const { id } = await request<Talk>(accountPath(account, "talks"), {
        method: "POST",
        body: {
          ...chosenAgent({ agent, definition }),
          variables: valuesOf(values),
          ...(name.trim() !== "" && { contact: { name } })
        }
      })
      const abort = new AbortController()
      following.current?.abort()
      following.current = abort
      running.current = id
      setTalk({ id, events: [] })
      void followTalk({
        path: accountPath(account, `talks/${id}/stream`),
        signal: abort.signal,
        onEvent: (event) => {
          if (event.type === "over") running.current = undefined
          setTalk((current) => current?.id === id ? { id, events: [...current.events, event] } : current)
        }
      }).catch((error: unknown) => {
        if (!abort.signal.aborted) setError(error)
      })
    } catch (error) {
      setError(error)
    } finally {
      setIsStarting(false)
    }
  }
  const isOver = talk?.events.some(({ type }) => type === "over") ?? true
  return (
    <Card title={texts.talk.title}>
      <p className="muted">{definition === undefined ? texts.talk.intro : texts.talk.introUnsaved}</p>
      {isOver && (
        <Form
          error={error}
          onSubmit={() => void start()}
          fields={["contact.name", ...Object.keys(values).map((key) => `variables.${key}`)]}
          actions={
            <Button type="submit" tone="primary" isPending={isStarting}>
              {talk === undefined ? texts.talk.start : texts.talk.again}
            </Button>
          }
        >
          <div className="two-columns">
            <TextField name="contact.name" label={texts.talk.contactName} value={name} onChange={setName} />
            <VariableFields agent={agent} values={values} onChange={setValues} />
          </div>
        </Form>
      )}
      {talk !== undefined && (
        <>
          <Events events={talk.events} />
          {!isOver && <Answer id={talk.id} events={talk.events} onEnd={() => end(talk.id)} />}
          {!isOver && error !== undefined && <ErrorNotice error={error} />}
        </>
      )}
    </Card>
  )
}

const Events = ({ events }: { readonly events: ReadonlyArray<TalkEvent> }) => {
  const { agents: texts } = useTexts()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [events.length])
  const shown = events.filter(({ type }) => type !== "answering")
  return (
    <div className="talk-log" role="log" aria-label={texts.talk.log} ref={list} tabIndex={0}>
      <ol className="talk">
        {shown.map((event, index) => (
          <li key={index} className={event.type === "turn" ? event.speaker : "aside"}>
            <TalkLine event={event} />
          </li>
        ))}
      </ol>
    </div>
  )
}

const TalkLine = ({ event }: { readonly event: TalkEvent }) => {
  const { agents: texts } = useTexts()
  switch (event.type) {
    case "turn":
      return (
        <>
          <span className="small muted">{texts.talk.speakers[event.speaker]}</span>
          <Foreign text={event.text} />
        </>
      )
    case "noted":
      return (
        <>
          <span className="small muted">{texts.talk.notes[event.note]}</span>
          <Foreign text={[event.question, event.text].filter((text) => text !== undefined).join(" – ")} />
        </>
      )
    case "tool":
      return (
        <>
          <span className="small muted">{texts.talk.tool(event.name ?? "")}</span>
          <Foreign text={JSON.stringify(event.arguments ?? event.result ?? event.problem ?? null)} />
        </>
      )
    case "failed":
      return (
        <Notice tone="bad" title={texts.talk.failed}>
          <Foreign text={event.cause} />
        </Notice>
      )
    case "over":
      return (
        <Notice tone={event.reason === null ? "bad" : "good"} title={texts.talk.over}>
          {event.outcome !== null && (
            <>
              <strong>
                <Foreign text={event.outcome.disposition} />
              </strong>
              <div>
                <Foreign text={event.outcome.summary} />
              </div>
            </>
          )}
        </Notice>
      )
    case "answering":
      return null
    default:
      // A newer server may send more.
      return event satisfies never
  }
}

const Answer = (
  { events, id, onEnd }: { readonly id: string; readonly events: ReadonlyArray<TalkEvent>; readonly onEnd: () => void }
) => {
  const account = useAccountId()
  const { agents: texts } = useTexts()
  const [text, setText] = useState("")
  const [error, setError] = useState<unknown>()
  const last = events.findLast((event) => event.type === "answering" || event.type === "turn")
  const isAnswering = last?.type === "answering" && last.busy
  const send = async (event: FormEvent) => {
    event.preventDefault()
    const said = text.trim()
    if (said === "") return
    setText("")
    setError(undefined)
    // A turn of digits alone presses keys.
    const body = /^[0-9*#]+$/.test(said) ? { digits: said } : { text: said }
    await request(accountPath(account, `talks/${id}/turns`), { method: "POST", body }).catch((error: unknown) => {
      setText(said)
      setError(error)
    })
  }
  return (
    <form className="talk-answer" onSubmit={(event) => void send(event)}>
      <TextField label={texts.talk.say} description={texts.talk.sayHelp} value={text} onChange={setText} autoFocus />
      <Button type="submit" tone="primary" isDisabled={text.trim() === ""}>{texts.talk.send}</Button>
      <Button onPress={onEnd}>{texts.talk.end}</Button>
      <span className="small muted" role="status">{isAnswering ? texts.talk.answering : ""}</span>
      {error !== undefined && <ErrorNotice error={error} />}
    </form>
  )
}
