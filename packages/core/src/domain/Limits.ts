/**
 * The one list of limits: every number that a caller can run into is here once, with its source. Leaves out what an
 * account can set for itself.
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

/** Of a carrier's own code and message about a call. Its code is a number of a few digits or a short name. */
export const carrierCodeLength = 64
export const carrierMessageLength = 300

/** Longest `contact.email`, in characters (RFC 5321 §4.5.3.1 allows 254 for the address). */
export const emailLength = 254

/** Longest string inside an outcome, in characters. */
export const outcomeTextLength = 4000

/** The most versions of an agent that are listed: more changes than anyone compares. */
export const agentVersions = 500

/** Most tools of an agent: more than a language model can choose from well. */
export const agentTools = 50

/** Most numbers that an agent may transfer calls to, and the longest name of one, in characters. */
export const transferNumbers = 20
export const transferNameLength = 100

/** Longest arguments and longest result of a tool, in characters of their JSON: some 4,000 tokens of a language model. */
export const toolTextLength = 16_384

/** Longest name of a language model, in characters: the longest of large catalogues have 100. */
export const modelNameLength = 255

/** Most models that a call's usage lists: an agent asks one, and another when that fails. What any more took is added to the last. */
export const usedModels = 10

/** How long a tool may take by default, and at most: the contact waits for it. */
export const toolTimeout = Duration.seconds(10)
export const toolTimeoutMost = Duration.seconds(30)

/** Longest agent script, in characters: far longer than real scripts, far smaller than a row should be. */
export const scriptLength = 100_000

/** Largest request body, in bytes; batches have their own. */
export const bodyBytes = 256 * 1024

/** How long a call waits in the queue before it is `expired`, unless its request sets `expires_at`. */
export const queueTtl = Duration.days(7)

/** How long a recording link lives (spec §8: about 24 hours). */
export const recordingLinkTtl = Duration.hours(24)

/** How long after the claim a call may still be sent to the carrier. */
export const dialDeadline = Duration.seconds(10)

/** How long a claim is held before it is submitted: a little longer than the dial deadline, after which it cannot be submitted. */
export const claimLease = Duration.seconds(15)

/** How long a submitted call counts as live without a sign of life. */
export const lineLease = Duration.seconds(60)

/** How often a provider inside a process reports that a call is alive: three times within a line lease. */
export const aliveEvery = Duration.seconds(20)

/**
 * How long a process may write the log of a conversation without an append: a dozen appends, so that a slow commit does not lose it, and
 * as long as a contact may be silent before the agent prompts.
 */
export const conversationLease = Duration.seconds(10)

/**
 * How long after the report of its end a call waits for the last words of its conversation. A living process seals its log within a
 * second.
 */
export const sealDeadline = Duration.seconds(5)

/** How often a call goes back to the queue because the carrier was unavailable; after that it has `failed`. */
export const unavailableAttempts = 20

/** How often a carrier is checked that is paused because it refused the operator's account. */
export const carrierCheckEvery = Duration.minutes(1)

/** How long a call waits for a change without a notification: its number becomes free, or a failing rule works again. */
export const recheckAfter = Duration.minutes(1)

/** How many due calls one claim examines, so that held calls do not starve those after them. */
export const claimCandidates = 500

/** How long after its end a completed call waits for its outcome before the event is sent with `outcome: null`. */
export const outcomeDeadline = Duration.minutes(10)

/** How long after its end a completed call waits for a recording that the carrier has announced, before its event is sent. */
export const recordingDeadline = Duration.seconds(60)

/** How long one node holds the work of making an outcome. */
export const outcomeLease = Duration.seconds(60)

/**
 * Maximum number of outcomes that one process computes at once, at most half of them for one account. It is also the load on a source.
 */
export const outcomesPerProcess = 800

/** One deadline for a whole webhook attempt: name resolution, connection, headers and the start of the response. */
export const deliveryDeadline = Duration.seconds(15)

/** How long a claimed delivery is held: much longer than its deadline, so that no lease ends during a request. */
export const deliveryLease = Duration.seconds(60)

/** Maximum number of deliveries in flight to one endpoint. */
export const deliveriesInFlight = 4

/** Maximum number of deliveries that a sender prefetches, so that it never waits for the database; also an efficient group size. */
export const deliveriesAhead = 100

/** How long a prefetched delivery may wait to be sent: its endpoint may have changed or been disabled since. */
export const deliveryWait = Duration.seconds(2)

/** Maximum number of deliveries in flight from one process, to all endpoints: well below a process's limit of sockets. */
export const deliveriesPerProcess = 1_000

/** Failures in a row that open the circuit breaker. */
export const breakerFailures = 5

/** The first and the longest pause of an open breaker: it doubles in between, with one probe after each pause. */
export const breakerPause = Duration.seconds(30)
export const breakerPauseMost = Duration.minutes(15)

/** The ramp after a recovery: for this long one delivery at a time, then for as long two, then the usual number. */
export const rampStep = Duration.seconds(5)

/** How long an endpoint may fail without a success before it is disabled, and the minimum number of failures. */
export const failingMost = Duration.days(5)
export const failuresToDisable = 20

/**
 * How long a subscriber's handler may take: less than the lease, so that no other process has its event at the same
 * time. An effect is interrupted then; a promise gets an aborted signal.
 */
export const handlerDeadline = Duration.seconds(45)

/** Longest name of a subscriber, in characters. */
export const subscriberNameLength = 64

/** How long events, their deliveries and the log of attempts are kept. */
export const eventRetention = Duration.days(30)

/** Minimum retention of idempotency keys: longer than any client retries. */
export const idempotencyRetention = Duration.days(30)

/** How long the request window of an unused key is kept. */
export const requestWindowRetention = Duration.days(1)

/** How long an account may keep its calls, in days: at least as long as events, which contain the same data. */
export const retentionDaysLeast = 30
export const retentionDaysMost = 36_500

/** Most days of usage that are read at once. */
export const usageDays = 366

/** How much of a wrong phone number a message repeats, in characters: far more than any number has. */
export const echoedTextLength = 100

/** Maximum number of rows of one batch (spec §8). */
export const batchRows = 1000

/** Largest body of a batch, in bytes: 1,000 rows of full metadata and variables are smaller. */
export const batchBodyBytes = 16 * 1024 * 1024

/** The latest `not_before` and `expires_at`: a later date is more likely a mistake. */
export const farthestAhead = Duration.days(366)

/** Items of a page when the request names no `limit`, and the most there can be. */
export const pageSize = 25
export const pageSizeMost = 100

/** Requests of one key in any 60 consecutive seconds (spec §8). */
export const requestsPerMinute = 300

/** Transcripts that one key may follow at once in one process: enough for a screen of live calls, and each holds a connection. */
export const followedTranscripts = 10

/** How often a process reads new entries of conversations for all who follow them. */
export const transcriptPoll = Duration.seconds(1)

/** Entries that are read of one log at once, and so the most that is held for a slow reader. */
export const transcriptPage = 100

/** How often a stream without words sends a comment, so that no proxy ends it as idle; proxies commonly do after 60 seconds. */
export const streamHeartbeat = Duration.seconds(15)

/** Test events of one account in any 60 consecutive seconds: each one sends a request to an address that the caller chooses. */
export const testEventsPerMinute = 10

/** How long the previous secret stays valid after a rotation, by default and at most. */
export const rotationGrace = Duration.hours(24)
export const rotationGraceMost = Duration.days(7)

/** Previous secrets that may be alive at once. */
export const previousSecrets = 2

/** Maximum number of windows in one day of calling hours, and of dates and limits in a policy: far more than any policy needs. */
export const windowsPerDay = 10
export const excludedDates = 1000
export const numberLimits = 10

/** Longest gap or window of a policy, in seconds: 366 days. */
export const policySeconds = 366 * 24 * 60 * 60

/** Holds that are stored of a call: 16 of about 95 bytes. A call with more has been held for days, and its first and newest holds say why. */
export const holdsOfCall = { first: 4, newest: 12 }

/** Periods that are stored of what holds a lane, an account or the deployment: 32 of about 95 bytes. A fortnight has two nights and limits a day. */
export const holdPeriods = 32

/** Shorter waits for a line or a turn are no hold of a call's history: each call of a campaign has some. */
export const shortestWait = Duration.seconds(1)

/** How far ahead an allowed instant is searched. Rules without one until then count as never allowing a call. */
export const horizon = Duration.days(366)

/** Maximum number of numbers added to a do-not-call list in one transaction: enough for imports, and claims barely wait. */
export const doNotCallSet = 1000

/** How many calls of an earlier plan are replanned in one transaction. */
export const replannedCalls = 1000

/** How often a worker writes its heartbeat. */
export const workerHeartbeat = Duration.seconds(10)

/** How long after its last heartbeat a worker counts as gone: three heartbeats. */
export const workerGone = Duration.seconds(30)

/** How long a worker that is gone stays in storage, for operators who inspect the database. */
export const workerRetention = Duration.hours(1)

/** How long adopted plan data (`domain/PlanData.ts`) stay in use when no live node has them. */
export const planDataLease = Duration.minutes(1)

/** How often a node renews the adoption of its plan data: rarely, and in time even if two renewals fail. */
export const planDataRenewal = Duration.seconds(20)

/** How far a process's clock may be off the database's: beyond it nothing is claimed, as the rules are a matter of seconds. */
export const clockUncertainty = Duration.seconds(2)

/** How long a system clock that was set must keep its new time before it is followed: longer than NTP takes to correct it. */
export const clockStepHeld = Duration.minutes(10)

/** How long nothing that is old is removed after such a clock was followed: long enough for an operator to notice. */
export const removalRest = Duration.days(1)

/** Rows that figures for operators are counted up to: a few milliseconds' worth; beyond it they are estimated. */
export const countedRows = 10_000

/** Waiting calls of a lane, and calls of a day, that an overview counts: exact for large campaigns, and some 20 ms of work at most. */
export const overviewRows = 100_000

/** Lanes of an account that an overview looks at: far more zones, agents and carriers than one account combines. */
export const overviewLanes = 200

/** Calls of a lane whose reasons an overview reads, for each priority. */
export const overviewSample = 100

/** Waiting calls that the preview of a policy examines: some 50 ms of work. */
export const previewedCalls = 2_000

/** Live calls that a page is told about one by one; beyond them it reads its list again. */
export const markedCalls = 100

/** How long entries of a conversation wait for their commit. It is left 50 ms, so that a killed process loses 250 ms of words at most. */
export const logCommitEvery = Duration.millis(200)

/** How long a call may be talked to, unless its agent says otherwise. */
export const conversationDuration = Duration.minutes(10)

/** How long neither side may speak, unless the agent says otherwise: then the contact is asked, and after as long again the call ends. */
export const conversationSilence = Duration.seconds(10)

/** Bounds of a conversation: time for a disclosure and a goodbye, and the duration at which carriers end calls by themselves. */
export const conversationSeconds = { least: 10, most: 4 * 60 * 60 }

/** Bounds of a silence: people think for 2 seconds before they answer, and after 2 minutes the line is dead. */
export const silenceSeconds = { least: 3, most: 120 }

/** Longest first message, in characters: about a minute and a half of speech, as long as any answer of an agent. */
export const firstMessageLength = 1_500

/** Longest disclosure, in characters: half a minute of speech that cannot be interrupted. */
export const disclosureLength = 500

/** Most phrases that end a call, and the longest, in characters: a phrase is a few words. */
export const endPhraseCount = 50
export const endPhraseLength = 100

/** Largest message on a carrier's WebSocket, in bytes: far more than the words of one turn, or a second of speech. */
export const socketMessageBytes = 65_536

/** How long a carrier's WebSocket may be open without a message: its first one follows the handshake at once. */
export const socketFirstMessage = Duration.seconds(10)

/** Messages on a carrier's WebSocket in any second: audio in frames of 20 ms in both directions has a fifth of it. */
export const socketMessagesPerSecond = 500

/** What a WebSocket may hold that its peer does not read, in bytes: a minute of telephone audio. */
export const socketUnsentBytes = 1024 * 1024

/** How often a WebSocket is pinged; without an answer until the next one it is closed. Proxies end idle ones after 60 seconds. */
export const socketPing = Duration.seconds(20)
