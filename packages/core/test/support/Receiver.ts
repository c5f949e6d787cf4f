/** A receiver whose behaviour a test changes while time passes, and which counts what it has taken. */
import { WebhookTransport } from "@outdial/core"
import { DateTime, Duration, Effect, Layer, Option, Ref } from "effect"

type Behaviour = (
  request: WebhookTransport.Request
) => Effect.Effect<WebhookTransport.Answer, WebhookTransport.TransportFailed>

export interface Receipt {
  readonly eventId: string
  readonly url: string
  readonly at: DateTime.Utc
}

/** Answers with the status after a while. */
export const answering = (
  statusCode: number,
  options: { readonly after?: Duration.Duration; readonly retryAfter?: Duration.Duration } = {}
): Behaviour =>
() =>
  Effect.delay(
    Effect.succeed({ statusCode, retryAfter: Option.fromUndefinedOr(options.retryAfter) }),
    options.after ?? Duration.zero
  )

export const refusing: Behaviour = () =>
  Effect.fail(new WebhookTransport.TransportFailed({ errorCode: "connection_refused", cause: "down" }))

export const make = Effect.gen(function*() {
  const behaviour = yield* Ref.make<Behaviour>(answering(200))
  const attempts = yield* Ref.make<ReadonlyArray<Receipt>>([])
  const taken = yield* Ref.make<ReadonlyArray<Receipt>>([])
  let inFlight = 0
  let mostInFlight = 0
  const transport = WebhookTransport.WebhookTransport.of({
    refuses: () => Option.none(),
    send: Effect.fnUntraced(function*(request) {
      const receipt = {
        eventId: request.headers["webhook-id"] ?? "",
        url: request.url,
        at: yield* DateTime.now
      }
      yield* Ref.update(attempts, (all) => [...all, receipt])
      inFlight += 1
      mostInFlight = Math.max(mostInFlight, inFlight)
      const answer = yield* Effect.ensuring(
        Effect.flatMap(Ref.get(behaviour), (behave) => behave(request)),
        Effect.sync(() => inFlight -= 1)
      )
      if (answer.statusCode >= 200 && answer.statusCode < 300) yield* Ref.update(taken, (all) => [...all, receipt])
      return answer
    })
  })
  return {
    layer: Layer.succeed(WebhookTransport.WebhookTransport, transport),
    behave: (next: Behaviour) => Ref.set(behaviour, next),
    /** Every request so far. */
    attempts: Ref.get(attempts),
    /** What was answered with success. */
    taken: Ref.get(taken),
    /** What the receiver itself counts as taken although its answer was lost. */
    take: (receipt: Receipt) => Ref.update(taken, (all) => [...all, receipt]),
    mostInFlight: Effect.sync(() => mostInFlight),
    /** Of these events: how many never arrived, and how many did more than once. */
    count: (eventIds: ReadonlyArray<string>) =>
      Effect.map(Ref.get(taken), (receipts) => {
        const times = Map.groupBy(receipts, ({ eventId }) => eventId)
        return {
          lost: eventIds.filter((id) => !times.has(id)).length,
          duplicated: eventIds.filter((id) => (times.get(id)?.length ?? 0) > 1).length
        }
      })
  }
})
