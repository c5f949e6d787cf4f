/**
 * Erases the stored data of one callee of an account: calls with transcripts and outcomes, recordings, events, rejected
 * rows. What the rules must still know is kept under a keyed hash, so that an erased callee cannot be called more
 * often, and stays on the do-not-call list. Data at carriers and receivers, in backups and logs is not erased.
 */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { RejectedRow } from "../domain/Batch.ts"
import { CalleeBusy, type InvalidRequest, NotFound, Unavailable } from "../domain/Errors.ts"
import type { AccountId, BatchId, CallId } from "../domain/Ids.ts"
import type { PhoneNumber } from "../domain/PhoneNumber.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { Recordings } from "../recording/Recordings.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { erasedBody, erasedRow } from "../rules/privacy/Erasure.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { ErasureAliases } from "./ErasureAliases.ts"
import { defaultCountryFor, notANumber, readNumber } from "../phone-number/NumberReading.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { AccountStore } from "../account/AccountStore.ts"
import { type ErasedCallee, PrivacyStore } from "./PrivacyStore.ts"
import * as UnwantedRecordings from "./UnwantedRecordings.ts"

/** Small sets keep locks short. */
const callsAtOnce = 100
const batchesAtOnce = 200

/** The result of an erasure. */
export interface Erased {
  /** Waiting calls that were canceled; they are among `calls`. */
  readonly canceled: number
  readonly calls: number
  readonly events: number
  readonly rejectedRows: number
  /** Whether the number is on the do-not-call list, and stays there. */
  readonly doNotCall: boolean
}

export class CalleeErasure extends Context.Service<CalleeErasure, {
  /**
   * Erases everything about the number that was accepted until now, and cancels its waiting call. Safe to repeat, also
   * after a crash in the middle: it then erases the rest. A number without calls is erased, too.
   */
  readonly erase: (
    accountId: AccountId,
    number: string
  ) => Effect.Effect<Erased, CalleeBusy | InvalidRequest | NotFound | Unavailable>
}>()("@outdial/core/privacy/CalleeErasure") {
  static readonly layer = Layer.effect(
    CalleeErasure,
    Effect.gen(function*() {
      const accountStore = yield* AccountStore
      const privacyStore = yield* PrivacyStore
      const numbers = yield* PhoneNumbers
      const recordings = yield* Recordings
      const wakeups = yield* Wakeups
      const removeUnwanted = yield* UnwantedRecordings.remover
      const erasureKeys = yield* ErasureAliases
      const read = readNumber(numbers)

      /** Files first: once its call is erased, one that was stored and not yet reported could not be found. */
      const removeRecordings = (accountId: AccountId, callIds: ReadonlyArray<CallId>) =>
        Effect.forEach(callIds, (callId) => recordings.remove({ accountId, callId }), { discard: true }).pipe(
          Effect.mapError((cause) => new Unavailable({ cause }))
        )

      const eraseCalls = Effect.fnUntraced(function*(callee: ErasedCallee, until: DateTime.Utc) {
        let [calls, events] = [0, 0]
        while (true) {
          const callIds = yield* orUnavailable(privacyStore.callsToErase({ ...callee, until, limit: callsAtOnce }))
          if (callIds.length === 0) return { calls, events }
          yield* removeRecordings(callee.accountId, callIds)
          const erased = yield* orUnavailable(privacyStore.eraseCalls({ ...callee, callIds, eraser: erasedBody }))
          calls += erased.calls
          events += erased.events
        }
      })

      const eraseRejectedRows = Effect.fnUntraced(function*({ accountId, phoneNumber }: ErasedCallee) {
        const eraser = (row: RejectedRow) => names(row.phoneNumber, phoneNumber) ? erasedRow(row) : row
        const names = (text: string, number: PhoneNumber) => {
          // The country may have been another when the row arrived: such digits are compared without a country code.
          const said = read(text, undefined)
          return typeof said === "string" ? said === number : digits(text).includes(atHome(number))
        }
        let rows = 0
        let after = Option.none<BatchId>()
        do {
          const page = yield* orUnavailable(
            privacyStore.eraseRejectedRows({ accountId, after, limit: batchesAtOnce, eraser })
          )
          rows += page.rows
          after = page.next
        } while (Option.isSome(after))
        return rows
      })

      return CalleeErasure.of({
        erase: Effect.fn("CalleeErasure.erase")(function*(accountId, text) {
          const country = yield* orUnavailable(defaultCountryFor(accountStore.get(accountId), [text]))
          const phoneNumber = read(text, country)
          if (typeof phoneNumber !== "string") return yield* notANumber(phoneNumber.message)
          const account = yield* orUnavailable(accountStore.get(accountId))
          if (Option.isNone(account)) return yield* new NotFound({ what: `account ${accountId}` })
          const alias = yield* orUnavailable(erasureKeys.aliasFor(accountId, phoneNumber))
          const callee = { accountId, phoneNumber, alias }
          const now = yield* DateTime.now
          const begun = yield* orUnavailable(
            withEventWriter(
              { now },
              (events) => privacyStore.beginErasure({ ...callee, now, events, eraser: erasedBody })
            )
          )
          if (begun._tag === "Busy") return yield* new CalleeBusy({ callId: begun.callId })
          if (begun.canceled > 0) yield* wakeups.notify("delivery", accountId)
          const { calls, events } = yield* eraseCalls(callee, now)
          // A recording may have come after its file was removed.
          yield* removeUnwanted(accountId).pipe(
            Effect.repeat({ until: (removed) => removed === 0 }),
            Effect.mapError((cause) => new Unavailable({ cause }))
          )
          const rejectedRows = yield* eraseRejectedRows(callee)
          return { canceled: begun.canceled, calls, events, rejectedRows, doNotCall: begun.doNotCall }
        })
      })
    })
  )
}

const digits = (text: string): string => text.normalize("NFKC").replace(/\D/gu, "")

/**
 * The digits without the country code, as they are dialed at home; such rows are rejected when the account has no
 * default country. Removes up to three digits, the longest country code, and leaves at least seven. It is better to
 * erase a row too many than to keep a number.
 */
const atHome = (number: PhoneNumber): string => digits(number).replace(/^\d{1,3}(?=\d{7})/u, "")
