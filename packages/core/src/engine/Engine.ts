/**
 * The engine: its services on top of the ports, and its loops. The services alone accept and read calls; `run` dials,
 * delivers and cleans up. Any number of engines may run on one storage.
 */
import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import type { Digest, Mac, SecureRandom } from "effect/crypto"
import * as Limits from "../domain/Limits.ts"
import { ClockUncertainty } from "../time/ClockUncertainty.ts"
import type { OutcomeSource } from "../outcome/OutcomeSource.ts"
import type { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import type { Recordings } from "../recording/Recordings.ts"
import type { SecretBox } from "../secret/SecretBox.ts"
import { CarrierRoutes } from "../telephony/CarrierRoutes.ts"
import { carriersOf, pollingsOf, Telephony } from "../telephony/Telephony.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { type Loop, type Topic, Wakeups, type Woken } from "../loop/Wakeups.ts"
import type { WebhookTransport } from "../webhook/WebhookTransport.ts"
import { Accounts } from "../account/Accounts.ts"
import { Agents } from "../account/Agents.ts"
import { ApiKeys } from "../access/ApiKeys.ts"
import { CalleeErasure } from "../privacy/CalleeErasure.ts"
import { CallingRules, layerFailingClosed } from "../policy/CallingRules.ts"
import { Batches } from "../call/Batches.ts"
import { Calls } from "../call/Calls.ts"
import { AuditLog } from "../console/AuditLog.ts"
import { ConsoleAccess } from "../console/ConsoleAccess.ts"
import * as ConversationRunner from "../conversation/ConversationRunner.ts"
import type { Conversations } from "../conversation/Conversations.ts"
import type { TextAgent } from "../conversation/TextAgent.ts"
import * as ClockRecovery from "./ClockRecovery.ts"
import { Deliveries } from "../webhook/Deliveries.ts"
import { CarrierChecks } from "../dispatch/CarrierChecks.ts"
import { Carriers } from "../dispatch/Carriers.ts"
import { Dispatcher } from "../dispatch/Dispatcher.ts"
import { DoNotCallList } from "../do-not-call/DoNotCallList.ts"
import { ErasureAliases } from "../privacy/ErasureAliases.ts"
import { Events } from "../event/Events.ts"
import { Gauges } from "../observe/Gauges.ts"
import { HangUps } from "../call/HangUps.ts"
import { Janitor } from "../dispatch/Janitor.ts"
import * as CarrierReporting from "../dispatch/CarrierReporting.ts"
import * as Metrics from "../observe/Metrics.ts"
import { Outcomes } from "../outcome/Outcomes.ts"
import { Overviews } from "../overview/Overviews.ts"
import { PolicyPreviews } from "../overview/PolicyPreviews.ts"
import { Timelines } from "../overview/Timelines.ts"
import * as RoutedRules from "../dispatch/RoutedRules.ts"
import { Replanner } from "../dispatch/Replanner.ts"
import { Readiness } from "../observe/Readiness.ts"
import { type RecordingLinkOptions, RecordingLinks } from "../recording/RecordingLinks.ts"
import { RequestLimits } from "../access/RequestLimits.ts"
import { Explanations } from "../call/Explanations.ts"
import { Transcripts } from "../call/Transcripts.ts"
import { Subscriptions } from "../subscription/Subscriptions.ts"
import { RetentionSweeper } from "../privacy/RetentionSweeper.ts"
import { UsageReport } from "../account/UsageReport.ts"
import { KeyRotation } from "./KeyRotation.ts"
import { WebhookSigner } from "../webhook/WebhookSigner.ts"
import { Webhooks } from "../webhook/Webhooks.ts"
import { Workers } from "../worker/Workers.ts"
import type { StorageError } from "../storage/StorageError.ts"
import { WorkStore } from "../storage/WorkStore.ts"
import type { LineReports } from "../telephony/LineReports.ts"
import { layerStores, type Storage } from "./Storage.ts"

/** The work that `drain` could not finish. */
export class DrainFailed extends Schema.TaggedError<DrainFailed>()("DrainFailed", { rounds: Schema.Int }) {
  override get message(): string {
    return `Work was still due after ${this.rounds} rounds: some work becomes due again as soon as it is done`
  }
}

/** More rounds than any real backlog needs at one instant. */
const drainRounds = 10_000

/** How long a loop sleeps without a wake-up: the delay that a lost wake-up costs. */
const pollEvery = "1 second"

const noAccounts: Woken = new Set()

/** How often the janitor looks; a lease of 60 s is settled within the next ten. */
const janitorEvery = "10 seconds"

export class Engine extends Context.Service<Engine, {
  /**
   * Does all work that is due now, and the work that becomes due by it, until nothing is due. Does not wait for time to
   * pass. For tests, and for scripts with their own clock.
   */
  readonly drain: Effect.Effect<void, DrainFailed | StorageError>
  /** When the next work falls due, maybe in the past. */
  readonly nextDueAt: Effect.Effect<Option.Option<DateTime.Utc>, StorageError>
  /**
   * Runs the loops until it is interrupted, and then lets their rounds end. A loop that fails logs and continues. Nothing is claimed
   * while the clock is more uncertain than `Limits.clockUncertainty`, because the rules would be evaluated for another instant.
   */
  readonly run: Effect.Effect<never>
  /**
   * Runs only the loop that delivers events to the subscribers of this process. Without subscribers it does not read
   * the storage. Part of `run`.
   */
  readonly runSubscriptions: Effect.Effect<never>
  /** Returns when no dial, no outcome and no delivery is in flight. */
  readonly idle: Effect.Effect<void>
  /** Does the work of the carrier that is due now, such as reports; part of `run`. For a process whose loops have ended. */
  readonly pollCarrier: Effect.Effect<void>
  /** The version of the time zone data that calls are planned by, and its release, if known. */
  readonly timeZones: Pick<TimeZones["Service"], "tzdata" | "version">
}>()("@outdial/core/engine/Engine") {}

/** The services of this engine, for its hosts. */
export type Services =
  | Accounts
  | Agents
  | ApiKeys
  | AuditLog
  | Batches
  | CalleeErasure
  | Calls
  | CarrierRoutes
  | Carriers
  | ConsoleAccess
  | DoNotCallList
  | Engine
  | Events
  | Gauges
  | Overviews
  | PolicyPreviews
  | Readiness
  | RecordingLinks
  | RequestLimits
  | Explanations
  | Timelines
  | Transcripts
  | UsageReport
  | KeyRotation
  | Webhooks
  | Workers

/** The ports that an engine needs. */
export type Ports =
  | Digest.Digest
  | Mac.Mac
  | OutcomeSource
  | PhoneNumbers
  | Recordings
  | SecretBox
  | SecureRandom.SecureRandom
  | Storage
  | Telephony
  | TimeZones
  | Wakeups
  | WebhookTransport

const loops = Layer.effect(
  Engine,
  Effect.gen(function*() {
    const deliveries = yield* Deliveries
    const carrierChecks = yield* CarrierChecks
    const dispatcher = yield* Dispatcher
    const janitor = yield* Janitor
    const outcomes = yield* Outcomes
    const planner = yield* Replanner
    const workStore = yield* WorkStore
    const subscriptions = yield* Subscriptions
    const telephony = yield* Telephony
    const timeZones = yield* TimeZones
    const wakeups = yield* Wakeups
    const workers = yield* Workers
    const uncertainty = yield* ClockUncertainty
    const pollings = pollingsOf(telephony)
    const pollAll = Effect.map(
      Effect.forEach(pollings, ({ runOnce }) => runOnce, { concurrency: "unbounded" }),
      (done) => done.reduce((sum, n) => sum + n, 0)
    )
    const carriers = [...carriersOf(telephony).keys()]
    const timed = ["dispatcher", "planner", "outcomes", "deliveries", "janitor"]
    const untimed = pollings.length === 0 ? [] : ["telephony"]

    // In this order: a dial may lead to an outcome, and an outcome to a delivery.
    const idle = Effect.all(
      [
        dispatcher.idle,
        ...pollings.map(({ idle = Effect.void }) => idle),
        outcomes.idle,
        deliveries.idle,
        subscriptions.idle
      ],
      { discard: true }
    )

    const round = Effect.gen(function*() {
      const done = [
        yield* pollAll,
        yield* planner.runOnce,
        yield* dispatcher.runOnce,
        yield* outcomes.runOnce,
        yield* deliveries.runOnce,
        yield* subscriptions.runOnce,
        yield* janitor.runOnce
      ]
      yield* idle
      return done.reduce((sum, n) => sum + n, 0)
    })

    const drain = Effect.gen(function*() {
      for (let rounds = 0; rounds < drainRounds; rounds++) {
        if ((yield* round) === 0) return
      }
      return yield* new DrainFailed({ rounds: drainRounds })
    }).pipe(Effect.withSpan("Engine.drain"))

    /** Repeats at once while there is work, otherwise sleeps. A round is never interrupted. */
    const loop = <E>(
      name: string,
      runOnce: Effect.Effect<number, E>,
      sleep: Effect.Effect<unknown>,
      between: Effect.Effect<unknown> = Effect.yieldNow
    ) =>
      Effect.uninterruptible(runOnce).pipe(
        Effect.catchCause((cause) =>
          Effect.logError(`The ${name} loop failed; it continues`, cause).pipe(
            Effect.andThen(Metrics.loopFailed(name)),
            Effect.as(0)
          )
        ),
        Effect.flatMap((done) => done > 0 ? between : sleep),
        Effect.forever
      )

    const isCertain = Effect.map(uncertainty, Duration.isLessThanOrEqualTo(Limits.clockUncertainty))

    /** For a round that depends on the time of day. */
    const whenCertain = <E>(runOnce: Effect.Effect<number, E>) =>
      Effect.flatMap(isCertain, (certain) => certain ? runOnce : Effect.succeed(0))

    /** Records the loops that run now. Those that depend on the time of day wait while the clock is uncertain. */
    const heartbeat = Effect.flatMap(isCertain, (certain) =>
      workers.heartbeat({
        runs: [...certain ? timed : [], ...untimed],
        carriers
      }))

    const until = (topic: Loop) => Effect.race(wakeups.wait(topic), Effect.as(Effect.sleep(pollEvery), undefined))

    /** Serves woken accounts first, also while there is other work. Without a wake-up it serves all accounts. */
    const loopFor = <E>(name: string, runFor: (woken: Woken) => Effect.Effect<number, E>, topic: Topic) =>
      Effect.suspend(() => {
        let woken: Woken = undefined
        const wake = (accounts: Woken) => {
          woken = accounts
        }
        const sleep = Effect.map(until(topic), wake)
        const meanwhile = Effect.map(
          Effect.raceFirst(wakeups.wait(topic), Effect.as(Effect.yieldNow, noAccounts)),
          wake
        )
        const runOnce = Effect.suspend(() => {
          const accounts = woken
          woken = undefined
          return runFor(accounts)
        })
        return loop(name, whenCertain(runOnce), sleep, meanwhile)
      })

    const runSubscriptions = Effect.andThen(
      subscriptions.awaitHandler,
      loop("subscriptions", whenCertain(subscriptions.runOnce), until("subscription"))
    )

    return Engine.of({
      timeZones: { tzdata: timeZones.tzdata, version: timeZones.version },
      drain,
      idle,
      pollCarrier: Effect.asVoid(pollAll),
      nextDueAt: Effect.gen(function*() {
        const stored = yield* workStore.nextDueAt({
          carriers,
          hasRoutes: telephony.router !== undefined,
          dialsFrom: yield* dispatcher.freeAt
        })
        const polled = yield* Effect.forEach(pollings, ({ nextDueAt }) => nextDueAt)
        const subscribed = yield* subscriptions.nextDueAt
        const all = [stored, ...polled, subscribed, yield* carrierChecks.nextDueAt].flatMap((at) =>
          Option.isSome(at) ? [at.value] : []
        )
        return Option.fromUndefinedOr(all.sort(DateTime.Order)[0])
      }),
      runSubscriptions,
      run: Effect.all([
        loop("heartbeat", Effect.as(heartbeat, 0), Effect.sleep(Limits.workerHeartbeat)),
        loopFor("dispatcher", dispatcher.runFor, "dial"),
        loop("planner", whenCertain(planner.runOnce), Effect.sleep(pollEvery)),
        loopFor("outcomes", outcomes.runFor, "outcome"),
        loopFor("deliveries", deliveries.runFor, "delivery"),
        runSubscriptions,
        loop("janitor", whenCertain(janitor.runOnce), Effect.sleep(janitorEvery)),
        ...pollings.map(({ every, runOnce }) => loop("telephony", runOnce, Effect.sleep(every)))
      ], { concurrency: "unbounded", discard: true }).pipe(Effect.andThen(Effect.never), Effect.ensuring(workers.leave))
    })
  })
)

export interface EngineOptions extends RecordingLinkOptions {
  /** The name of this process in the list of workers. */
  readonly workerName?: string
  /** The host's own calling rules, in place of ours. */
  readonly rules?: Layer.Layer<CallingRules, never, PhoneNumbers | TimeZones>
  /** The host's own signer of deliveries, in place of ours. */
  readonly signer?: Layer.Layer<WebhookSigner, never, Mac.Mac>
}

/** The layer that telephony providers report to, over the same storage as the engine. */
export const layerLineReports: Layer.Layer<LineReports, never, Storage | Wakeups> = Layer.provide(
  CarrierReporting.layer,
  layerStores
)

/** The layer that telephony providers hand answered calls to, over the same storage as the engine. */
export const layerConversations: Layer.Layer<
  Conversations | ConversationRunner.ActiveConversations,
  never,
  Storage | TextAgent | Wakeups
> = Layer.provide(ConversationRunner.layer, layerStores)

/** The engine over its ports. A telephony layer takes its `LineReports` from `layerLineReports`. */
export const layer = (
  { rules = CallingRules.layer, signer = WebhookSigner.layer, workerName, ...options }: EngineOptions
): Layer.Layer<Services, never, Ports> =>
  Layer.mergeAll(
    loops,
    Accounts.layer,
    Agents.layer,
    ApiKeys.layer,
    AuditLog.layer,
    Batches.layer,
    CalleeErasure.layer,
    Calls.layer,
    CarrierRoutes.layer,
    Carriers.layer,
    ConsoleAccess.layer,
    DoNotCallList.layer,
    Events.layer,
    Gauges.layer,
    Overviews.layer.pipe(Layer.provide(Carriers.layer)),
    PolicyPreviews.layer,
    RequestLimits.layer,
    Explanations.layer,
    Timelines.layer,
    Transcripts.layer,
    UsageReport.layer,
    KeyRotation.layer,
    Webhooks.layer,
    ClockRecovery.layer
  ).pipe(
    Layer.provide([Deliveries.layer, Dispatcher.layer, Janitor.layer, Outcomes.layer, Replanner.layer]),
    Layer.provide([
      CarrierChecks.layer,
      ErasureAliases.layer,
      HangUps.layer,
      Subscriptions.layer,
      RetentionSweeper.layer
    ]),
    Layer.provide([
      RoutedRules.layer.pipe(Layer.provide(layerFailingClosed), Layer.provide(rules)),
      signer,
      CarrierReporting.layer
    ]),
    Layer.provideMerge(RecordingLinks.layer(options)),
    Layer.provideMerge(Readiness.layer),
    Layer.provideMerge(Workers.layer(workerName === undefined ? {} : { name: workerName })),
    Layer.provide(layerStores)
  )
