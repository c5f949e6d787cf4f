/**
 * Batches: up to 1,000 calls in one request. Each row is checked like a single call, in row order, against one view of
 * the queue. The batch is stored as a whole or not at all.
 */
import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import {
  type Batch,
  type BatchRecord,
  type BatchRow,
  fromRecord,
  HostBatchRow,
  type RejectedRow
} from "../domain/Batch.ts"
import type { CallRecord } from "../domain/Call.ts"
import {
  BatchRefused,
  BatchTooLarge,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  InvalidRequest,
  NotFound,
  type Problem,
  type RefusalReason,
  type Unavailable
} from "../domain/Errors.ts"
import { type AccountId, type AgentId, type BatchId, type CallId, makeBatchId, makeCallId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { pathText, toPointer, wireMessage, wireNames } from "../domain/FieldPath.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import { PhoneNumbers, type Possible } from "../phone-number/PhoneNumbers.ts"
import { TimeZones } from "../time/TimeZones.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { unknownNumber } from "../rules/policy/DialFacts.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { CallingRules } from "../policy/CallingRules.ts"
import { ErasureAliases } from "../privacy/ErasureAliases.ts"
import {
  type AdmissionRules,
  type CanonicalRequest,
  impossibleNumber,
  normalized,
  planCall,
  type PlanRefusal
} from "./CallAdmission.ts"
import { reading } from "../domain/Decoding.ts"
import * as Fingerprint from "./Fingerprint.ts"
import * as CallTrace from "../observe/CallTrace.ts"
import * as Metrics from "../observe/Metrics.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import * as NumberReading from "../phone-number/NumberReading.ts"
import { defaultCountryFor, notANumber } from "../phone-number/NumberReading.ts"
import { type BatchFacts, type BatchPlan, CallStore, type StoredBatch } from "./CallStore.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { AgentStore } from "../account/AgentStore.ts"

/** A request to start a batch. An invalid row does not invalidate the others. */
export interface StartBatch {
  readonly agentId?: AgentId
  /** In the form of `BatchRow`, or of `rowForm` in the options. */
  readonly calls: ReadonlyArray<unknown>
  readonly test?: boolean
}

export interface StartBatchOptions {
  readonly idempotencyKey?: string
  /** How rows are written; as `BatchRow` when not given. */
  readonly rowForm?: RowForm
}

/** The form of rows in one kind of request. */
export interface RowForm {
  /** Problems use the field names of this form. */
  readonly read: (row: unknown) => Result.Result<BatchRow, InvalidRequest>
  /** The row's number, of any type. */
  readonly sentNumber: (row: unknown) => unknown
  /** Whether its fields have their names in snake_case. */
  readonly inWireNames: boolean
  /** Why a row was rejected, with the field names of the request's form. */
  readonly messageOf: (error: PlanRefusal) => string
}

/** The result of checking the rows of a batch. */
export type CheckedBatch = Pick<BatchRecord, "acceptedCount" | "rejected">

export class Batches extends Context.Service<Batches, {
  readonly start: (
    accountId: AccountId,
    request: StartBatch,
    options?: StartBatchOptions
  ) => Effect.Effect<Batch, BatchRefused | Unavailable>
  /** What would become of the rows at this moment, as `start` would decide it. Writes nothing. */
  readonly check: (
    accountId: AccountId,
    request: StartBatch,
    options?: Pick<StartBatchOptions, "rowForm">
  ) => Effect.Effect<CheckedBatch, BatchTooLarge | InvalidRequest | Unavailable>
  /** The batch with the present state of its rows. */
  readonly get: (accountId: AccountId, id: BatchId) => Effect.Effect<Batch, NotFound | Unavailable>
  /** Newest first by (`createdAt`, `id`), without rows. */
  readonly list: (accountId: AccountId, page: PageRequest) => Effect.Effect<Page<Batch>, Unavailable>
  /** Cancels the calls that are still queued. Dialed calls continue. Safe to repeat. */
  readonly cancel: (accountId: AccountId, id: BatchId) => Effect.Effect<Batch, NotFound | Unavailable>
}>()("@outdial/core/call/Batches") {
  static readonly layer = Layer.effect(
    Batches,
    Effect.gen(function*() {
      const callStore = yield* CallStore
      const accountStore = yield* AccountStore
      const agentStore = yield* AgentStore
      const numbers = yield* PhoneNumbers
      const wakeups = yield* Wakeups
      const random = yield* SecureRandom.SecureRandom
      const rules = yield* CallingRules
      const erasureKeys = yield* ErasureAliases
      const { isKnown } = yield* TimeZones
      const admission: AdmissionRules = { rules, isKnownZone: isKnown }
      const fingerprint = yield* Fingerprint.make.pipe(Effect.provideService(Digest.Digest, yield* Digest.Digest))

      const readNumber = NumberReading.read(numbers)

      const readRow = ({ country, form: { read, sentNumber }, given, id, index, request: { agentId, test = false } }: {
        /** The country of numbers without a country code. */
        readonly country: string | undefined
        readonly index: number
        readonly id: CallId
        readonly given: unknown
        readonly request: StartBatch
        readonly form: RowForm
      }): ReadRow => {
        const sent = sentNumber(given)
        // Long enough to recognise the number. The text in the request may have any length, and the batch stores this part.
        const phoneNumber = typeof sent === "string" ? sent.slice(0, Limits.echoedTextLength) : ""
        const result = read(given)
        if (Result.isFailure(result)) return { index, id, phoneNumber, refusal: result.failure, misread: true }
        const row = result.success
        const rowAgent = row.agentId ?? agentId
        if (rowAgent === undefined) return { index, id, phoneNumber, refusal: noAgent }
        const number = readNumber(row.phoneNumber, country)
        if (number._tag === "NotANumber") return { index, id, phoneNumber, refusal: notANumber(number.message) }
        const { assessment } = number
        if (assessment._tag === "NotPossible") return { index, id, phoneNumber, refusal: impossibleNumber }
        const asked = normalized({ ...row, agentId: rowAgent, phoneNumber: assessment.number, test })
        return { index, id, phoneNumber, request: asked, assessment }
      }

      const read = Effect.fnUntraced(function*(accountId: AccountId, request: StartBatch, form: RowForm) {
        const sent = request.calls.map(form.sentNumber).filter((number) => typeof number === "string")
        const country = yield* orUnavailable(defaultCountryFor(accountStore.get(accountId), sent))
        const rows: Array<ReadRow> = []
        for (const [index, given] of request.calls.entries()) {
          // Yields between groups of rows, so that other fibers do not wait for the whole batch.
          if (index % rowsAtOnce === 0) yield* Effect.yieldNow
          rows.push(readRow({ index, id: yield* makeCallId, given, request, form, country }))
        }
        return rows
      }, Effect.provideService(SecureRandom.SecureRandom, random))

      const get = Effect.fn("Batches.get")(function*(accountId: AccountId, id: BatchId) {
        const found = yield* orUnavailable(callStore.getBatch(accountId, id))
        return Option.isSome(found) ? whole(found.value) : yield* new NotFound({ what: `batch ${id}` })
      })

      return Batches.of({
        get,
        start: Effect.fn("Batches.start")(function*(accountId, request, options = {}) {
          const { calls, test = false } = request
          const wrong = wrongSize(calls)
          if (wrong !== undefined) return yield* refuse(wrong)
          const form = options.rowForm ?? hostRows
          const rows: ReadonlyArray<ReadRow> = yield* read(accountId, request, form)
          const accepted = rows.flatMap((row) => row.request === undefined ? [] : [row.request])
          const id = yield* makeBatchId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          const now = yield* DateTime.now
          const agentId = request.agentId ?? null
          const idempotency = options.idempotencyKey === undefined
            ? Option.none()
            : Option.some({
              key: options.idempotencyKey,
              fingerprint: yield* fingerprint({
                agentId,
                test,
                rows: rows.map((row) => row.request ?? calls[row.index])
              })
            })
          const result = yield* orUnavailable(withEventWriter({ now }, (events) =>
            callStore.startBatch({
              accountId,
              now,
              idempotency,
              agentIds: [...new Set(accepted.map((row) => row.agentId))],
              phoneNumbers: [...new Set(accepted.map((row) => row.phoneNumber))],
              rules,
              aliasesOf: erasureKeys.aliasesOf(accountId),
              plan: (facts) => plan({ id, agentId, test, rows, facts, admission, form }),
              events
            })))
          switch (result._tag) {
            case "Started":
              yield* Metrics.accepted("batch", result.stored.calls.length, test)
              yield* CallTrace.markAll(result.stored.calls.map((call) => call.id), "Call.accepted", { batch_id: id })
              yield* wakeups.notify(test ? "delivery" : "dial", accountId)
              return { ...whole(result.stored), idempotentReplay: false }
            case "Replayed":
              return { ...whole(result.stored), idempotentReplay: true }
            case "KeyReused":
              return yield* refuse(new IdempotencyKeyReused({ batchId: result.batchId }))
            case "KeyInUse":
              return yield* refuse(new IdempotencyKeyInUse({}))
            default:
              return result satisfies never
          }
        }),
        check: Effect.fn("Batches.check")(function*(accountId, request, { rowForm: form = hostRows } = {}) {
          const { agentId = null, calls, test = false } = request
          const wrong = wrongSize(calls)
          if (wrong !== undefined) return yield* wrong
          const rows: ReadonlyArray<ReadRow> = yield* read(accountId, request, form)
          const phoneNumbers = [...new Set(rows.flatMap((row) => row.request?.phoneNumber ?? []))]
          const now = yield* DateTime.now
          const aliasesOf = erasureKeys.aliasesOf(accountId)
          const facts = yield* orUnavailable(callStore.dialFacts({ accountId, phoneNumbers, now, rules, aliasesOf }))
          const usable = yield* orUnavailable(agentStore.list(accountId))
          const agents = new Map(usable.map((agent) => [agent.id, agent]))
          const id = yield* makeBatchId.pipe(Effect.provideService(SecureRandom.SecureRandom, random))
          const { batch } = plan({ id, agentId, test, rows, facts: { ...facts, agents }, admission, form })
          return { acceptedCount: batch.acceptedCount, rejected: batch.rejected }
        }),
        list: Effect.fn("Batches.list")(function*(accountId, page) {
          const { hasMore, items } = yield* orUnavailable(callStore.listBatches({ accountId, page }))
          return { hasMore, items: items.map(({ batch, calls }) => fromRecord(batch, calls, { rows: false })) }
        }),
        cancel: Effect.fn("Batches.cancel")(function*(accountId, id) {
          const now = yield* DateTime.now
          yield* orUnavailable(
            withEventWriter({ now }, (events) => callStore.cancelBatch({ accountId, id, now, events }))
          )
          yield* wakeups.notify("delivery", accountId)
          return yield* get(accountId, id)
        })
      })
    })
  )
}

/** Rows that are read without yielding: about a millisecond of work, more for rows of the maximum size. */
const rowsAtOnce = 100

/** A row after it was read: either a request, or why it is none. */
interface ReadRow {
  readonly index: number
  readonly id: CallId
  /** The text as the request contained it. */
  readonly phoneNumber: string
  readonly request?: CanonicalRequest
  readonly assessment?: Possible
  readonly refusal?: InvalidRequest
  /** The refusal is about the row's form, in the names in which it was sent. */
  readonly misread?: boolean
}

const hostRows: RowForm = {
  read: reading(HostBatchRow),
  inWireNames: false,
  messageOf: ({ message }) => message,
  sentNumber: (row) => typeof row === "object" && row !== null && "phoneNumber" in row ? row.phoneNumber : undefined
}

const whole = ({ batch, calls }: StoredBatch): Batch => fromRecord(batch, calls, { rows: true })

const refuse = (reason: BatchRefused["reason"]) => Effect.fail(new BatchRefused({ reason }))

const wrongSize = ({ length }: StartBatch["calls"]): BatchTooLarge | InvalidRequest | undefined => {
  if (length === 0) return noRows
  return length > Limits.batchRows ? new BatchTooLarge({ maxRows: Limits.batchRows }) : undefined
}

const noRows = new InvalidRequest({ problems: [{ path: ["calls"], message: "must have at least one row" }] })

const noAgent = new InvalidRequest({
  problems: [{ path: ["agentId"], message: "is required, because the batch names no agent for all rows" }]
})

/** The batch that the rows make, against one view of agents and queue. */
const plan = ({ agentId, facts, form, id, admission, rows, test }: {
  readonly id: BatchId
  readonly agentId: AgentId | null
  readonly test: boolean
  readonly rows: ReadonlyArray<ReadRow>
  readonly facts: BatchFacts
  readonly admission: AdmissionRules
  readonly form: RowForm
}): BatchPlan => {
  const calls: Array<CallRecord> = []
  const rejected: Array<RejectedRow> = []
  const queued = new Map<PhoneNumber, CallId>()
  for (const row of rows) {
    const result = planRow(row, { facts, admission, queued })
    if (Result.isFailure(result)) {
      rejected.push(rejection(row, result.failure, form))
      continue
    }
    const call = { ...result.success, batchId: id, batchIndex: row.index }
    if (call.status === "queued") queued.set(call.phoneNumber, call.id)
    calls.push(call)
  }
  const { account, now } = facts
  return {
    calls,
    batch: { id, accountId: account.id, agentId, test, acceptedCount: calls.length, rejected, createdAt: now }
  }
}

const planRow = (
  { assessment, id, refusal, request }: ReadRow,
  { facts: { agents, numbers, ...account }, admission, queued }: {
    readonly facts: BatchFacts
    readonly admission: AdmissionRules
    /** Calls of earlier rows. */
    readonly queued: ReadonlyMap<PhoneNumber, CallId>
  }
): Result.Result<CallRecord, PlanRefusal> => {
  if (request === undefined || assessment === undefined) return Result.fail(refusal ?? impossibleNumber)
  const known = numbers.get(request.phoneNumber) ?? unknownNumber
  const earlier = queued.get(request.phoneNumber)
  const facts = { ...account, number: earlier === undefined ? known : { ...known, waitingCallId: earlier } }
  return planCall({ id, request, assessment, facts, agent: agents.get(request.agentId), admission })
}

const rejection = ({ index, misread, phoneNumber }: ReadRow, error: PlanRefusal, form: RowForm): RejectedRow => {
  const path = fieldOf(error)
  // Problems of the row's form already use the row's field names.
  const isRenamed = misread !== true && form.inWireNames
  const named = path === undefined || !isRenamed ? path : wireNames(path)
  const inForm = (message: string) => isRenamed ? wireMessage(message) : message
  return {
    index,
    phoneNumber,
    code: error.code,
    message: error._tag === "InvalidRequest"
      ? sentence(named ?? [], inForm(error.problems[0].message))
      : form.messageOf(error),
    // A reader over HTTP knows only the names on the wire.
    ...(named !== undefined &&
      { param: toPointer(["calls", index, ...(form.inWireNames ? named : wireNames(named))]) }),
    ...(error._tag === "CallAlreadyQueued" && { callId: error.callId }),
    ...(error._tag === "MissingVariables" && { missing: error.missing }),
    ...(error._tag === "NumberLimitReached" && { retryAt: error.retryAt })
  }
}

const sentence = (path: Problem["path"], message: string): string =>
  [pathText(path), message].filter((part) => part !== "").join(" ")

/** The field of a request to call that an error is about; `undefined` when it is about none. */
const fieldOf = (error: RefusalReason): ReadonlyArray<string | number> | undefined => {
  switch (error._tag) {
    case "InvalidRequest":
      return error.problems[0].path
    case "AgentNotFound":
      return ["agentId"]
    case "MissingVariables":
      return ["variables"]
    case "NumberNotAllowed":
    case "NumberDoNotCall":
    case "NumberLimitReached":
    case "CallAlreadyQueued":
      return ["phoneNumber"]
    case "IdempotencyKeyReused":
    case "IdempotencyKeyInUse":
      return undefined
    default:
      return error satisfies never
  }
}
