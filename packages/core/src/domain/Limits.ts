/**
 * The one list of limits. Guarantees that every number a caller can run into stands here once, with its source;
 * leaves out what an account can set for itself.
 */
import { Duration } from "effect"

/** Longest `Idempotency-Key`, in characters (spec §8). */
export const idempotencyKeyLength = 255

/** Longest variable key, in characters (spec §8). */
export const variableKeyLength = 40

/** Longest text given as a variable's value, in characters (spec §8). */
export const variableTextLength = 500

/** Most variables on one call. */
export const variableCount = 100

/** Largest `metadata`, in bytes of its JSON as UTF-8 (spec §8: 8 KB). */
export const metadataBytes = 8192

/** Longest `contact.name` and `contact.external_id`, in characters. */
export const contactTextLength = 255

/** Longest `contact.email`, in characters (RFC 5321 §4.5.3.1 leaves 254 for the address). */
export const emailLength = 254

/** Longest string inside an outcome, in characters. */
export const outcomeTextLength = 4000

/** Longest agent script, in characters: far above real scripts, far below what a row should hold. */
export const scriptLength = 100_000

/** Largest request body, in bytes; batches have their own. */
export const bodyBytes = 256 * 1024

/** How long a call waits in the queue before it is `expired`, unless it says otherwise. */
export const queueTtl = Duration.days(7)

/** How long a recording link lives (spec §8: about 24 hours). */
export const recordingLinkTtl = Duration.hours(24)

/** How long after the claim a call may still be handed to the carrier. */
export const dialDeadline = Duration.seconds(10)

/** How long a claim is held before it is submitted; a little over the dial deadline, after which nobody can submit it. */
export const claimLease = Duration.seconds(15)

/** How long a submitted call is taken to be alive without a sign of life. */
export const lineLease = Duration.seconds(60)

/** How often a provider that lives in a process says that a call is alive: three times within a line lease. */
export const aliveEvery = Duration.seconds(20)

/** How often a call goes back to the queue because the carrier was unavailable; after that it has `failed`. */
export const unavailableAttempts = 20

/** How long a call waits for what it may not be told of: that its number is free again, that a broken rule works again. */
export const recheckAfter = Duration.minutes(1)

/** How many due calls one claim looks at, so that held ones do not starve what stands behind them. */
export const claimCandidates = 500

/** How long after its end a completed call waits for its outcome before the event is sent with `outcome: null`. */
export const outcomeDeadline = Duration.minutes(10)

/** How long one node keeps the outcome of a call to itself while it is being made. */
export const outcomeLease = Duration.seconds(60)

/** Most outcomes that one process has in the making, of one account at most half: a source is asked for so many at once. */
export const outcomesPerProcess = 800

/** One deadline for a whole webhook attempt: look-up, connection, headers and the start of the answer. */
export const deliveryDeadline = Duration.seconds(15)

/** How long a claimed delivery is held: well over its deadline, so that a lease never ends under a live request. */
export const deliveryLease = Duration.seconds(60)

/** Most deliveries in flight to one endpoint. */
export const deliveriesInFlight = 4

/** Most deliveries that a sender claims ahead of those in flight, so that no answer waits for the database: a good group. */
export const deliveriesAhead = 100

/** How long one that was claimed ahead may wait for its turn: its endpoint may be another by then, or be set to rest. */
export const deliveryWait = Duration.seconds(2)

/** Most deliveries in flight from one process, of all endpoints: well within the sockets that a process may have. */
export const deliveriesPerProcess = 1_000

/** Failures in a row after which an endpoint is left alone for a while. */
export const breakerFailures = 5

/** How long it is left alone at first, and at most: doubling in between, with one probe each time. */
export const breakerPause = Duration.seconds(30)
export const breakerPauseMost = Duration.minutes(15)

/** After a recovery one delivery at a time is sent for this long, then two for as long, then as many as ever. */
export const rampStep = Duration.seconds(5)

/** How long an endpoint may fail without one success before it is disabled, and how many failures that takes at least. */
export const failingMost = Duration.days(5)
export const failuresToDisable = 20

/**
 * How long a subscriber's handler may take: less than the lease, so that no other process has its event at the same time. An
 * effect is interrupted then; a promise is told by its signal.
 */
export const handlerDeadline = Duration.seconds(45)

/** Longest name of a subscriber, in characters. */
export const subscriberNameLength = 64

/** How long events, their deliveries and the log of attempts are kept. */
export const eventRetention = Duration.days(30)

/** How long idempotency keys are kept, at least: longer than any retry goes on. */
export const idempotencyRetention = Duration.days(30)

/** How long the request window of a key that is not used any more is kept. */
export const requestWindowRetention = Duration.days(1)

/** How long an account may choose to keep its calls, in days: never less than events, which hold the same. */
export const retentionDaysLeast = 30
export const retentionDaysMost = 36_500

/** Most days of usage that are read at once. */
export const usageDays = 366

/** How much of a wrong telephone number is told back, in characters: far more than any number has. */
export const echoedTextLength = 100

/** Most rows of one batch (spec §8). */
export const batchRows = 1000

/** Largest body of a batch, in bytes: 1,000 rows of full metadata and variables are smaller. */
export const batchBodyBytes = 16 * 1024 * 1024

/** Farthest that `not_before` and `expires_at` may lie ahead: beyond it a date is more likely a mistake than a plan. */
export const farthestAhead = Duration.days(366)

/** Items of a page when the request names no `limit`, and the most there can be. */
export const pageSize = 25
export const pageSizeMost = 100

/** Requests of one key in any 60 consecutive seconds (spec §8). */
export const requestsPerMinute = 300

/** Test events of one account in any 60 consecutive seconds: each one reaches out to an address of the caller's choosing. */
export const testEventsPerMinute = 10

/** How long the secret before stays valid after a rotation, unless the request says otherwise, and the longest there is. */
export const rotationGrace = Duration.hours(24)
export const rotationGraceMost = Duration.days(7)

/** Previous secrets that may be alive at once. */
export const previousSecrets = 2

/** Most windows in one day of calling hours, and most dates and limits in a policy: far more than any rule needs. */
export const windowsPerDay = 10
export const excludedDates = 1000
export const numberLimits = 10

/** Longest gap or window of a policy, in seconds: 366 days. */
export const policySeconds = 366 * 24 * 60 * 60

/** How far ahead an allowed instant is looked for; rules that leave none until then are taken to leave none at all. */
export const horizon = Duration.days(366)

/** Most numbers added to a do-not-call list in one transaction: enough for imports, few enough that claims barely wait. */
export const doNotCallSet = 1000

/** How many calls of an earlier plan are planned anew at a time. */
export const replannedCalls = 1000

/** How often a worker writes its heartbeat. */
export const workerHeartbeat = Duration.seconds(10)

/** How long after its last heartbeat a worker counts as gone: three heartbeats. */
export const workerGone = Duration.seconds(30)

/** How long a worker that is gone stays in storage, for operators who look into the database. */
export const workerRetention = Duration.hours(1)

/** How long the data on time zones that was adopted stands when nobody who has it is here any more. */
export const timeZonesLease = Duration.minutes(1)

/** How often who has that data says so: written seldom, and in time if twice it fails. */
export const timeZonesRenewal = Duration.seconds(20)

/** How far a process's clock may be off the database's: beyond it nothing is claimed, as the rules are a matter of seconds. */
export const clockUncertainty = Duration.seconds(2)

/** How long a system clock that was set has to keep its new time before it is followed: longer than NTP takes to correct it. */
export const clockStepHeld = Duration.minutes(10)

/** How long nothing that is old is removed after such a clock was followed: long enough for an operator to notice. */
export const removalRest = Duration.days(1)

/** Rows that figures for operators are counted up to: a few milliseconds' worth; beyond it they are estimated. */
export const countedRows = 10_000
