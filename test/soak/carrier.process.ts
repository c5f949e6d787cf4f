/**
 * A carrier that stands outside: it rings phones, keeps its journal as the truth, and fails towards the nodes at random. After
 * a restart it continues the calls of its journal.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Carrier from "./Carrier.ts"
import * as SeededRandom from "./SeededRandom.ts"
import * as Journal from "./Journal.ts"
import * as RunSettings from "./Fixture.ts"
import * as Timeline from "./Timeline.ts"

const settings = RunSettings.read()
const { folder, life, nodes, seed, timeline } = settings
const random = SeededRandom.make(seed, `carrier ${life}`)
const journal = Journal.open<Carrier.Entry>(folder, "carrier")
const live = new Map<string, Carrier.LineCall>()
let turn = 0

const now = () => Timeline.now(timeline)
const wait = (millis: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, Timeline.realMillis(timeline, millis))))
const until = (at: number) => wait(at - now())
/** A fault that happens while there are faults. */
const strikes = (probability: number) => random.chance(probability) && !RunSettings.isCalm(settings)

const manner = (): Carrier.Manner => ({
  tellsAnswer: !strikes(0.15),
  tellsEnd: !strikes(0.08),
  twice: strikes(0.15),
  endFirst: strikes(0.1),
  delay: strikes(0.15) ? random.between(500, 8000) : 0
})

const ring = ({ accountId, callId, node, phoneNumber }: Carrier.Dial) => {
  const at = now()
  // What is reported of the call is in whole milliseconds.
  const from = Math.floor(at)
  const answeredAt = from + random.between(300, 2500)
  const how = random.next()
  const entry: Carrier.Rang = {
    _tag: "Rang",
    at,
    callId,
    accountId,
    phoneNumber,
    node,
    manner: manner(),
    ...(how < 0.65
      ? { answeredAt, answeredBy: "human", endsAt: answeredAt + random.between(500, 9000), result: "hung_up" }
      : how < 0.75
      ? { answeredAt, answeredBy: "voicemail", endsAt: answeredAt + random.between(500, 3000), result: "hung_up" }
      : how < 0.88
      ? { endsAt: from + random.between(200, 1500), result: "busy" }
      : { endsAt: from + random.between(2000, 6000), result: "no_answer" })
  }
  journal.append(entry)
  const call = { ...entry, endedAt: entry.endsAt, isHungUp: false }
  live.set(callId, call)
  void follow(call)
}

/** Runs the call and reports it to the nodes. */
const follow = async ({ answeredAt, answeredBy, callId, endsAt, manner }: Carrier.LineCall) => {
  const answer = async () => {
    if (answeredAt === undefined || !manner.tellsAnswer) return
    await report(callId, { _tag: "Answered", at: answeredAt, by: answeredBy })
    if (manner.twice) await report(callId, { _tag: "Answered", at: answeredAt, by: answeredBy })
  }
  if (answeredAt !== undefined) await until(answeredAt + manner.delay)
  if (!manner.endFirst) await answer()
  while (now() < (live.get(callId)?.endedAt ?? endsAt)) await until(Math.min(now() + 500, endsAt))
  await wait(manner.delay)
  const call = live.get(callId)
  if (call !== undefined && (manner.tellsEnd || call.isHungUp)) {
    await report(callId, Carrier.ended(call))
    if (manner.twice) await report(callId, Carrier.ended(call))
  }
  if (manner.endFirst) await answer()
  journal.append({ _tag: "Reported", callId })
}

/** Until one of the nodes has taken it, each in its turn. */
const report = async (callId: string, event: object) => {
  const accountId = live.get(callId)?.accountId
  while (true) {
    const node = nodes[turn++ % nodes.length]
    try {
      const response = await fetch(`http://127.0.0.1:${node?.callbackPort}/reports`, {
        method: "POST",
        body: JSON.stringify({ accountId, callId, event }),
        signal: AbortSignal.timeout(Math.max(1000, Math.round(Timeline.realMillis(timeline, 5000))))
      })
      const { instruction } = await response.json() as { readonly instruction?: string }
      if (response.ok) return instruction === "hang_up" ? hangUp(callId) : undefined
    } catch {
      // That node is down, frozen, or without its database.
    }
    await wait(700)
  }
}

const hangUp = (callId: string) => {
  const call = live.get(callId)
  const at = Math.floor(now())
  if (call === undefined || call.endedAt <= at) return
  journal.append({ _tag: "HungUp", at, callId })
  live.set(callId, { ...call, endedAt: at, isHungUp: true })
}

const dialed = async (dial: Carrier.Dial, response: ServerResponse) => {
  const none = (why: Carrier.Refused["why"], answer?: number) => {
    journal.append({ _tag: "Refused", at: now(), callId: dial.callId, why })
    if (answer === undefined) response.destroy()
    else response.writeHead(answer).end()
  }
  const isOld = () => now() - dial.sentAt > Carrier.oldest
  if (isOld()) return none("too_late")
  if (strikes(0.04)) return none("refused", 422)
  if (strikes(0.05)) return none("unavailable", 503)
  if (strikes(0.04)) return none("lost")
  if (strikes(0.05)) await wait(random.between(500, 4000))
  if (isOld()) return none("too_late")
  ring(dial)
  if (strikes(0.06)) return response.destroy()
  if (strikes(0.06)) await wait(random.between(3000, 12_000))
  response.writeHead(200).end(JSON.stringify({ carrierCallId: `line-${dial.callId}` }))
}

const lookedUp = (callId: string, response: ServerResponse) => {
  const call = live.get(callId)
  if (strikes(0.1)) return response.destroy()
  if (call === undefined) return response.writeHead(404).end()
  response.end(JSON.stringify(call.endedAt <= now() ? { _tag: "Ended", event: Carrier.ended(call) } : { _tag: "Live" }))
}

const body = async (request: IncomingMessage): Promise<Carrier.Dial> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += chunk
  return JSON.parse(text)
}

const server = createServer((request, response) => {
  const [, route, callId = ""] = (request.url ?? "").split("/")
  if (route === "dials") {
    // A request that is cut off in the middle was none.
    return void body(request).then((dial) => dialed(dial, response), () => response.destroy())
  }
  if (request.method === "GET") return lookedUp(callId, response)
  hangUp(callId)
  response.writeHead(204).end()
})

const entries = journal.read()
const reported = new Set(entries.flatMap((entry) => entry._tag === "Reported" ? [entry.callId] : []))
for (const call of Carrier.calls(entries)) {
  live.set(call.callId, call)
  if (!reported.has(call.callId)) void follow(call)
}
server.listen(settings.carrierPort, "127.0.0.1", RunSettings.ready)
