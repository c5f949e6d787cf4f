/** The owners' receiver of webhooks: verifies, keeps a journal, and now and then answers with an error, late or not at all. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import * as SeededRandom from "./SeededRandom.ts"
import * as Journal from "./Journal.ts"
import type { Received } from "./Received.ts"
import * as RunSettings from "./Fixture.ts"
import * as Timeline from "./Timeline.ts"

const settings = RunSettings.read()
const { folder, life, receiverPort, seed, timeline } = settings
const random = SeededRandom.make(seed, `receiver ${life}`)
const journal = Journal.open<Received>(folder, "receiver")

// Receivers refuse what was signed long ago or far ahead, and the library uses only this clock.
Date.now = ((real) => () => Timeline.at(timeline, real()))(Date.now)

const verify = (accountId: string, text: string, request: IncomingMessage) => {
  const secrets: Record<string, string> = JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8"))
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  try {
    new Webhook(secrets[accountId] ?? "").verify(text, headers)
    return true
  } catch {
    return false
  }
}

const received = async (request: IncomingMessage, response: ServerResponse) => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += chunk
  const accountId = (request.url ?? "").slice(1)
  const how = RunSettings.isCalm(settings) ? 1 : random.next()
  const answer = how < 0.04 ? 500 : how < 0.06 ? 503 : how < 0.08 ? 0 : 204
  journal.append({
    accountId,
    eventId: String(request.headers["webhook-id"]),
    hash: createHash("sha256").update(text).digest("hex"),
    isGenuine: verify(accountId, text, request),
    answer
  })
  if (how > 0.08 && how < 0.11) {
    await new Promise((resolve) => setTimeout(resolve, Timeline.realMillis(timeline, random.between(1000, 20_000))))
  }
  if (answer === 0) response.destroy()
  else response.writeHead(answer).end()
}

createServer((request, response) => {
  // A request that is cut off in the middle was none.
  void received(request, response).catch(() => response.destroy())
}).listen(receiverPort, "127.0.0.1", RunSettings.ready)
