/**
 * The metrics and their names. The series are Effect's own metrics, which any exporter of the host reads. Labels have
 * few values each, and none contains an account, a call, an address or a phone number.
 */
import { type Context, DateTime, Duration, Effect, Metric } from "effect"
import type { CallRecord } from "../domain/Call.ts"
import type { StorageError } from "../storage/StorageError.ts"
import type { StorageSnapshot } from "../storage/StorageStats.ts"
import type { ClaimedCall } from "../storage/WorkStore.ts"
import type { DeliveryResult } from "../domain/Delivery.ts"

/** From a millisecond to hours: a call in the queue may wait until the morning. */
const waits = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 28_800]

/** From a millisecond to the longest timeout. */
const latencies = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Close together where people notice a difference, so that percentiles between two bounds are of use; up to the longest answer. */
const answers = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 5, 7.5, 10, 15]

type Labels = Readonly<Record<string, string>>

const counter = (name: string, description: string, attributes: Labels = {}) =>
  Metric.counter(name, { description, incremental: true, attributes })
const gauge = (name: string, description: string) => Metric.gauge(name, { description })
const histogram = (name: string, description: string, boundaries: ReadonlyArray<number>, attributes: Labels = {}) =>
  Metric.histogram(name, { description, boundaries, attributes })

/** Every series that the engine writes, by the name that exporters show. */
const series = {
  callsAccepted: counter("outdial_calls_accepted_total", "Accepted calls, by request and test"),
  callsEnded: counter(
    "outdial_calls_ended_total",
    "Ended calls whose terminal event was written, by status, code and test"
  ),
  dispatch: histogram(
    "outdial_dispatch_seconds",
    "Time from when a call was due until it was handed to the carrier, including waits for a free line or for calling hours",
    waits
  ),
  submit: histogram(
    "outdial_submit_seconds",
    "Time from a claim until its calls were handed to the carrier",
    latencies
  ),
  dials: counter("outdial_dials_total", "Dials, by the carrier's answer"),
  twins: counter("outdial_twin_reports_total", "Reports of a second carrier call for the same call, which is ended"),
  deliveries: counter("outdial_deliveries_total", "Attempts to deliver an event, by result"),
  delivery: histogram("outdial_delivery_seconds", "Duration of an attempt to deliver an event, by result", latencies),
  outcomes: counter("outdial_outcomes_total", "Attempts to compute an outcome, by result"),
  answer: histogram(
    "outdial_answer_seconds",
    "Time from the contact's final words to the first words of the agent's answer, by agent",
    answers
  ),
  answerPart: histogram(
    "outdial_answer_part_seconds",
    "Time from the contact's final words to the first part that the agent produced, by agent",
    answers
  ),
  tools: counter("outdial_tool_calls_total", "Runs of tools in conversations, by tool and result"),
  tool: histogram("outdial_tool_seconds", "Duration of a tool's run in a conversation, by tool and result", latencies),
  modelRequests: counter(
    "outdial_model_requests_total",
    "Requests to language models for answers in conversations and for outcomes, by agent, model and result"
  ),
  modelTokens: counter("outdial_model_tokens_total", "Tokens of these requests, by agent, model and direction"),
  modelFirstPart: histogram(
    "outdial_model_first_part_seconds",
    "Time from a request in a conversation to the first part of the language model's reply, by agent and model",
    answers
  ),
  modelReply: histogram(
    "outdial_model_reply_seconds",
    "Duration of a language model's whole reply in a conversation, by agent and model",
    latencies
  ),
  conversations: gauge("outdial_conversations", "Conversations that this process holds"),
  transcriptStreams: gauge("outdial_transcript_streams", "Streams of live transcripts that this process serves"),
  storageErrors: counter("outdial_storage_errors_total", "Failed units of storage work, by method and reason"),
  loopFailures: counter("outdial_loop_failures_total", "Failed rounds of a loop, or of its work for one account"),
  queuedCalls: gauge("outdial_queued_calls", "Queued calls; an estimate beyond 10,000"),
  liveCalls: gauge("outdial_live_calls", "Live calls: the lines in use"),
  lines: gauge("outdial_lines", "Lines of all accounts"),
  pendingOutcomes: gauge("outdial_pending_outcomes", "Completed calls whose outcome is still to be computed"),
  openDeliveries: gauge(
    "outdial_open_deliveries",
    "Deliveries that are waiting or being sent; an estimate beyond 10,000"
  ),
  endpoints: gauge("outdial_webhook_endpoints", "Webhook endpoints, by the state of their circuit breaker"),
  pausedAccounts: gauge("outdial_paused_accounts", "Accounts that are paused individually"),
  deploymentPaused: gauge("outdial_deployment_paused", "1 while all calling is paused"),
  pausedCarriers: gauge(
    "outdial_paused_carriers",
    "Carriers over which nothing is dialed, by cause: an operator's pause, or a fault of the operator's account there"
  ),
  liveWorkers: gauge("outdial_live_workers", "Live processes that dial and deliver, of all that share the database"),
  overdue: gauge("outdial_overdue_seconds", "How long the oldest work that nothing holds has been due, by kind"),
  clockUncertainty: gauge(
    "outdial_clock_uncertainty_seconds",
    "Largest possible error of the clock against the database's clock, or against the system clock without a database server"
  ),
  ready: gauge("outdial_ready", "1 while this process is ready"),
  figuresUp: gauge(
    "outdial_storage_stats_up",
    "1 if the gauges could be read from the storage; otherwise they are out of date"
  )
} as const

/** The names and descriptions, for the documentation. */
export const described: ReadonlyArray<Pick<Metric.Metric<never, unknown>, "id" | "description" | "type">> = Object
  .values(series)

/** Creates a metric once for each set of labels, because its key is a string and each call updates many. */
const labelled = <M extends Metric.Metric<never, unknown>>(make: (metric: M, labels: Labels) => M) => {
  const made = new Map<string, M>()
  return (metric: M, labels: Labels): M => {
    const key = `${metric.id} ${Object.values(labels).join(" ")}`
    const known = made.get(key) ?? make(metric, labels)
    made.set(key, known)
    return known
  }
}
const counted = labelled<Metric.Counter<number>>(({ description = "", id }, labels) => counter(id, description, labels))
const timedBy = (boundaries: ReadonlyArray<number>) =>
  labelled<Metric.Histogram<number>>(({ description = "", id }, labels) =>
    histogram(id, description, boundaries, labels)
  )
const timed = timedBy(latencies)
const timedAnswer = timedBy(answers)

/** Deliveries are the most frequent: the key of each result is cached, too. */
const byResult = new Map<DeliveryResult["_tag"], Readonly<ReturnType<typeof makeByResult>>>()
const makeByResult = (tag: DeliveryResult["_tag"]) => {
  const labels = { result: snake(tag) }
  return { attempts: counted(series.deliveries, labels), took: timed(series.delivery, labels) }
}
const deliveriesBy = (tag: DeliveryResult["_tag"]) => {
  const known = byResult.get(tag) ?? makeByResult(tag)
  byResult.set(tag, known)
  return known
}

const count = (metric: Metric.Counter<number>, labels: Labels, n = 1) => Metric.update(counted(metric, labels), n)

/** A call, or all calls of a batch, were accepted. */
export const accepted = (request: "call" | "batch", calls: number, test: boolean) =>
  count(series.callsAccepted, { request, test: String(test) }, calls)

/** Records the end of a call. */
export const ended = ({ status, statusCode, test }: CallRecord) =>
  count(series.callsEnded, { status, code: statusCode ?? "none", test: String(test) })

/** Calls that were claimed at an instant are with the carrier now. */
export const submitted = Effect.fnUntraced(function*(calls: ReadonlyArray<ClaimedCall>, claimedAt: DateTime.Utc) {
  const now = yield* DateTime.now
  for (const { call } of calls) yield* Metric.update(series.dispatch, seconds(call.dueAt, now))
  yield* Metric.update(series.submit, seconds(claimedAt, now))
})

export const dialed = (answer: "accepted" | "not_authorized" | "refused" | "unavailable" | "unknown") =>
  count(series.dials, { answer })

/** A report was about a second carrier call for the same call. */
export const twin = Metric.update(series.twins, 1)

/** An attempt to deliver an event; it has no duration when nothing was sent. */
export const delivered = (result: DeliveryResult["_tag"], durationMs: number | undefined) => {
  const { attempts, took } = deliveriesBy(result)
  return Effect.contextWith((context: Context.Context<never>) => {
    attempts.updateUnsafe(1, context)
    if (durationMs !== undefined) took.updateUnsafe(durationMs / 1000, context)
    return Effect.void
  })
}

/** The agent has answered the contact's words: milliseconds to the first part of the answer, if there was one, and to the first words. */
export const answered = (
  agentId: string,
  { part, words }: { readonly part: number | undefined; readonly words: number }
) => {
  const spoken = Metric.update(timedAnswer(series.answer, { agent: agentId }), words / 1000)
  return part === undefined
    ? spoken
    : Effect.andThen(spoken, Metric.update(timedAnswer(series.answerPart, { agent: agentId }), part / 1000))
}

/** A tool was run, or could not be. */
export const toolRan = (labels: { readonly tool: string; readonly result: string }, took: Duration.Duration) =>
  Effect.andThen(
    count(series.tools, labels),
    Metric.update(timed(series.tool, labels), Duration.toSeconds(took))
  )

/** A language model was asked: milliseconds to the first part of its reply, if it came, and to its end; and its tokens, if known. */
export const modelAsked = Effect.fnUntraced(function*(
  { agent, model, result }: {
    readonly agent: string
    readonly model: string
    readonly result: "answered" | "failed" | "interrupted"
  },
  { first, inputTokens, outputTokens, whole }: {
    /** In milliseconds, like `whole`; not counted if `undefined`. */
    readonly first: number | undefined
    readonly whole: number | undefined
    readonly inputTokens: number | undefined
    readonly outputTokens: number | undefined
  }
) {
  const labels = { agent, model }
  yield* count(series.modelRequests, { ...labels, result })
  if (first !== undefined) yield* Metric.update(timedAnswer(series.modelFirstPart, labels), first / 1000)
  if (result === "answered" && whole !== undefined) {
    yield* Metric.update(timed(series.modelReply, labels), whole / 1000)
  }
  if (inputTokens !== undefined) yield* count(series.modelTokens, { ...labels, direction: "input" }, inputTokens)
  if (outputTokens !== undefined) yield* count(series.modelTokens, { ...labels, direction: "output" }, outputTokens)
})

export const conversations = (held: number) => Metric.update(series.conversations, held)

export const transcriptStreams = (open: number) => Metric.update(series.transcriptStreams, open)

export const outcome = (result: string) => count(series.outcomes, { result: snake(result) })

export const storageFailed = (method: string, { reason }: StorageError) =>
  count(series.storageErrors, { method, reason })

export const loopFailed = (loop: string) => count(series.loopFailures, { loop })

/** Records what the storage contained when it was last read. */
export const recordSnapshot = Effect.fnUntraced(function*(snapshot: StorageSnapshot, now: DateTime.Utc) {
  yield* Metric.update(series.queuedCalls, snapshot.queuedCalls)
  yield* Metric.update(series.liveCalls, snapshot.liveCalls)
  yield* Metric.update(series.lines, snapshot.lines)
  yield* Metric.update(series.pendingOutcomes, snapshot.pendingOutcomes)
  yield* Metric.update(series.openDeliveries, snapshot.openDeliveries)
  yield* Metric.update(series.pausedAccounts, snapshot.pausedAccounts)
  yield* Metric.update(series.deploymentPaused, snapshot.deploymentPaused ? 1 : 0)
  for (const [cause, carriers] of Object.entries(snapshot.pausedCarriers)) {
    yield* Metric.update(Metric.withAttributes(series.pausedCarriers, { cause }), carriers)
  }
  for (const [state, endpoints] of Object.entries(snapshot.endpoints)) {
    yield* Metric.update(Metric.withAttributes(series.endpoints, { state }), endpoints)
  }
  for (const kind of ["dial", "expiry", "lease", "outcome", "delivery", "batch"] as const) {
    const due = snapshot.dueSince.get(kind)
    // Calls that wait for a carrier's calls per second are not late while slots are being taken.
    const since = kind === "dial" && due !== undefined ? DateTime.max(due, snapshot.slotsTakenAt ?? due) : due
    yield* Metric.update(
      Metric.withAttributes(series.overdue, { kind }),
      since === undefined ? 0 : seconds(since, now)
    )
  }
})

/** How many processes run the loops. */
export const workers = (live: number) => Metric.update(series.liveWorkers, live)

/** How this process is. */
export const process = Effect.fnUntraced(function*(
  state: { readonly isReady: boolean; readonly uncertainty: Duration.Duration; readonly hasStats: boolean }
) {
  yield* Metric.update(series.ready, state.isReady ? 1 : 0)
  yield* Metric.update(series.clockUncertainty, Duration.toSeconds(state.uncertainty))
  yield* Metric.update(series.figuresUp, state.hasStats ? 1 : 0)
})

/** Never below zero: clocks of other processes may be a little ahead. */
const seconds = (since: DateTime.Utc, now: DateTime.Utc) =>
  Math.max(0, now.epochMilliseconds - since.epochMilliseconds) / 1000

const snake = (name: string) => name.replace(/(?<=.)([A-Z])/gu, "_$1").toLowerCase()
