/** The promise client against a freshly started `outdial dev`: all that a program does with it, in one go. */
import { assert, it } from "@effect/vitest"
import { makeClient, OutdialApiError } from "@outdial/http/client"
import { Effect } from "effect"
import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"
import { describe } from "vitest"
import * as DevProcess from "../support/DevProcess.ts"

const timeout = 240_000

interface Received {
  readonly body: string
  readonly headers: Record<string, string>
}

/** A receiver on this machine that keeps what it gets. */
const receiver = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly received: ReadonlyArray<Received>; readonly close: () => void }>(
    (resume) => {
      const received: Array<Received> = []
      const server = createServer((request, response) => {
        let body = ""
        request.setEncoding("utf8").on("data", (text: string) => body += text).on("end", () => {
          const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
          received.push({ body, headers: Object.fromEntries(headers) })
          response.end()
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? address?.port : undefined
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/hook`, received, close: () => server.close() }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

/** A number of the simulator whose callee talks to the end. */
const number = (n: number) => `+1415${550_000 + n}1`

/** Asks until the answer is as wished; a local simulation at full speed needs no 30 seconds between two looks. */
const until = async <A>(ask: () => Promise<A>, isSo: (answer: A) => boolean): Promise<A> => {
  for (let look = 0; look < 200; look++) {
    const answer = await ask()
    if (isSo(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  return assert.fail("It did not come to that")
}

const rejection = (promise: Promise<unknown>): Promise<OutdialApiError> =>
  promise.then(() => assert.fail("It was not rejected"), (error) => error)

describe("the promise client against outdial dev", () => {
  it.live(
    "creates, replays, lists, follows a batch, cancels, rotates, verifies and recovers from the limit",
    () =>
      Effect.gen(function*() {
        const { ready } = yield* DevProcess.start(yield* DevProcess.folder, "--speed", "500")
        const { received, url } = yield* receiver
        yield* Effect.promise(async () => {
          const outdial = makeClient({ baseUrl: ready.url, apiKey: ready.api_key })
          const [agent] = (await outdial.agents.list()).items
          const agentId = agent?.id ?? assert.fail("dev has an agent")
          const variables = { appointment: "Tuesday" }
          await outdial.webhook.set({ url })

          // Create, and replay.
          const later = new Date(Date.now() + 3_600_000)
          const request = {
            agentId,
            phoneNumber: number(9000),
            variables,
            notBefore: later,
            contact: { externalId: "x1" }
          }
          const call = await outdial.calls.start(request, { idempotencyKey: "order-1" })
          const replayed = await outdial.calls.start(request, { idempotencyKey: "order-1" })
          assert.deepStrictEqual([call.status, call.statusCode, call.idempotentReplay], ["queued", "not_before", false])
          assert.deepStrictEqual([replayed.id, replayed.idempotentReplay], [call.id, true])
          assert.deepStrictEqual(call.scheduledFor, later)
          const reused = await rejection(outdial.calls.start({ ...request, test: true }, { idempotencyKey: "order-1" }))
          assert.deepStrictEqual([reused.code, reused.details.callId], ["idempotency_key_reused", call.id])

          // A batch of 1,000 with bad rows, and the list of its calls over all pages.
          const rows = Array.from({ length: 1000 }, (_, n) => ({ phoneNumber: number(n), variables }))
          const wrong = rows.map((row, n) =>
            n === 10 ? { ...row, phoneNumber: "555" } : n === 20 ? { ...row, phoneNumber: number(9000) } : row
          )
          const batch = await outdial.batches.start({ agentId, calls: wrong })
          assert.deepStrictEqual([batch.acceptedCount, batch.rejectedCount], [998, 2])
          assert.deepStrictEqual(
            batch.rejected?.map(({ callId, code, index }) => ({ callId, code, index })),
            [{ callId: undefined, code: "invalid_request", index: 10 }, {
              callId: call.id,
              code: "call_already_queued",
              index: 20
            }]
          )
          const listed = new Set<string>()
          for await (const { id } of outdial.calls.list({ batchId: batch.id, limit: 100 })) listed.add(id)
          assert.strictEqual(listed.size, 998)

          // Progress.
          const done = await until(() => outdial.batches.get(batch.id), ({ status }) => status === "completed")
          assert.strictEqual(done.counts.completed, 998)
          assert.instanceOf(done.completedAt, Date)

          // Cancel.
          const canceled = await outdial.calls.cancel(call.id)
          assert.deepStrictEqual([canceled.status, canceled.statusCode], ["canceled", "canceled_by_client"])
          const refused = await rejection(outdial.calls.cancel(call.id))
          assert.deepStrictEqual([refused.code, refused.details.callStatus], ["call_not_cancelable", "canceled"])

          // Rotate, and verify with both secrets what comes during the grace.
          await until(() => Promise.resolve(received.length), (count) => count >= 999)
          const before = received.length
          const { previousSecretExpiresAt, secret = "" } = await outdial.webhook.rotateSecret()
          assert.match(secret, /^whsec_/)
          assert.instanceOf(previousSecretExpiresAt, Date)
          const test = await outdial.calls.start({ agentId, phoneNumber: number(9001), variables, test: true })
          const delivery = await until(() => Promise.resolve(received[before]), (one) => one !== undefined)
          for (const key of [secret, ready.webhook_secret]) {
            const event = new Webhook(key).verify(delivery?.body ?? "", delivery?.headers ?? {})
            assert.deepInclude(event, { object: "event", type: "call.completed", test: true })
          }
          const ids = received.slice(0, before).map(({ body, headers }) => {
            new Webhook(ready.webhook_secret).verify(body, headers)
            return JSON.parse(body).data.id as string
          })
          assert.strictEqual(new Set(ids).size, 999)
          const { delivered } = await outdial.webhook.test()
          assert.isTrue(delivered)
          const [event] = (await outdial.events.list({ callId: test.id })).items
          assert.deepStrictEqual([event?.data.id, event?.type], [test.id, "call.completed"])
          const [sent] = (await outdial.deliveries.list({ eventId: event?.id ?? "" })).items
          assert.deepStrictEqual([sent?.state, sent?.attempts.length], ["delivered", 1])

          // Be rate limited, and recover by waiting as long as the service asks.
          const eager = makeClient({ baseUrl: ready.url, apiKey: ready.api_key, retries: 0 })
          const flood = await Promise.allSettled(Array.from({ length: 301 }, () => eager.agents.list({ limit: 1 })))
          const limited = flood.flatMap((one) => one.status === "rejected" ? [one.reason as OutdialApiError] : [])
          assert.isNotEmpty(limited)
          for (const { code, retryAfter = 0, status } of limited) {
            assert.deepStrictEqual([code, status, retryAfter > 0], ["rate_limited", 429, true])
          }
          assert.strictEqual((await outdial.calls.get(call.id)).status, "canceled")
        })
      }),
    timeout
  )
})
