/**
 * The numbers that an account must not call. From the return of an addition on no phone of these numbers rings, and calls
 * that waited for them are canceled.
 */
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { DoNotCallEntry, DoNotCallSource } from "../domain/DoNotCall.ts"
import { InvalidRequest, NotFound, type Problem, type Unavailable } from "../domain/Errors.ts"
import type { AccountId } from "../domain/Ids.ts"
import * as Limits from "../domain/Limits.ts"
import type { Page, PageRequest } from "../domain/Page.ts"
import { mask, type PhoneNumber } from "../domain/PhoneNumber.ts"
import { PhoneNumbers } from "../phone-number/PhoneNumbers.ts"
import { Wakeups } from "../loop/Wakeups.ts"
import { withEventWriter } from "../observe/WithEventWriter.ts"
import { ErasureAliases } from "../privacy/ErasureAliases.ts"
import { defaultCountryFor, notANumber, readNumber } from "../phone-number/NumberReading.ts"
import { orUnavailable } from "../storage/Unavailable.ts"
import { type DoNotCallAdded, DoNotCallStore } from "./DoNotCallStore.ts"
import { AccountStore } from "../account/AccountStore.ts"

/** The result of an import; lines count from 1. */
export interface Imported extends DoNotCallAdded {
  /** Lines that hold a number. */
  readonly read: number
  readonly rejected: ReadonlyArray<{ readonly line: number; readonly text: string; readonly message: string }>
}

export class DoNotCallList extends Context.Service<DoNotCallList, {
  /** Adds all the numbers, or none if one is invalid. Safe to repeat. */
  readonly add: (
    accountId: AccountId,
    numbers: ReadonlyArray<string>
  ) => Effect.Effect<DoNotCallAdded, InvalidRequest | Unavailable>
  /**
   * Adds the numbers of a file, one per line or in the first column of a CSV, and returns the lines without a number.
   * Skips empty lines, `#` comments and a header. Fails when no line has a number:
   * a wrong file would otherwise count as imported.
   */
  readonly importLines: (
    accountId: AccountId,
    lines: ReadonlyArray<string>
  ) => Effect.Effect<Imported, InvalidRequest | Unavailable>
  /** The number that is meant by the text. */
  readonly numberOf: (accountId: AccountId, text: string) => Effect.Effect<PhoneNumber, InvalidRequest | Unavailable>
  /** The number may be called again; fails when it was not on the list. */
  readonly remove: (
    accountId: AccountId,
    number: string
  ) => Effect.Effect<void, InvalidRequest | NotFound | Unavailable>
  readonly get: (
    accountId: AccountId,
    number: string
  ) => Effect.Effect<DoNotCallEntry, InvalidRequest | NotFound | Unavailable>
  /** Newest first by (`createdAt`, `phoneNumber`). */
  readonly list: (accountId: AccountId, page: PageRequest) => Effect.Effect<Page<DoNotCallEntry>, Unavailable>
}>()("@outdial/core/do-not-call/DoNotCallList") {
  static readonly layer = Layer.effect(
    DoNotCallList,
    Effect.gen(function*() {
      const doNotCallStore = yield* DoNotCallStore
      const accountStore = yield* AccountStore
      const numbers = yield* PhoneNumbers
      const wakeups = yield* Wakeups
      const erasureKeys = yield* ErasureAliases
      const read = readNumber(numbers)

      /** The number, and its alias if the account has erased callees: the entry may be stored under either. */
      const namesOf = Effect.fnUntraced(function*(accountId: AccountId, number: PhoneNumber) {
        const alias = yield* orUnavailable(erasureKeys.aliasIfAny(accountId, number))
        return [number, ...Option.toArray(alias)]
      })

      const readAll = Effect.fnUntraced(function*(accountId: AccountId, texts: ReadonlyArray<string>) {
        const country = yield* orUnavailable(defaultCountryFor(accountStore.get(accountId), texts))
        return texts.map((text) => read(text, country))
      })

      const readOne = Effect.fnUntraced(function*(accountId: AccountId, text: string) {
        const country = yield* orUnavailable(defaultCountryFor(accountStore.get(accountId), [text]))
        const number = read(text, country)
        return typeof number === "string" ? number : yield* notANumber(number.message)
      })

      const put = Effect.fnUntraced(function*(
        accountId: AccountId,
        all: ReadonlyArray<PhoneNumber>,
        source: DoNotCallSource
      ) {
        const distinct = [...new Set(all)]
        let result: DoNotCallAdded = { added: 0, canceled: 0 }
        for (let from = 0; from < distinct.length; from += Limits.doNotCallSet) {
          const now = yield* DateTime.now
          const entries = distinct.slice(from, from + Limits.doNotCallSet).map((phoneNumber) => ({
            phoneNumber,
            source,
            createdAt: now
          }))
          const { added, canceled } = yield* orUnavailable(
            withEventWriter({ now }, (events) => doNotCallStore.add({ accountId, entries, now, events }))
          )
          result = { added: result.added + added, canceled: result.canceled + canceled }
        }
        if (result.canceled > 0) yield* wakeups.notify("delivery", accountId)
        return result
      })

      return DoNotCallList.of({
        add: Effect.fn("DoNotCallList.add")(function*(accountId, texts) {
          const all = yield* readAll(accountId, texts)
          const problems = all.flatMap((number, index): ReadonlyArray<Problem> =>
            typeof number === "string" ? [] : [{ path: ["phoneNumbers", index], message: number.message }]
          )
          const [first, ...others] = problems
          if (first !== undefined) return yield* new InvalidRequest({ problems: [first, ...others] })
          return yield* put(accountId, all.filter((number) => typeof number === "string"), "api")
        }),
        importLines: Effect.fn("DoNotCallList.importLines")(function*(accountId, lines) {
          const entries = linesWithText(lines)
          const country = yield* orUnavailable(
            defaultCountryFor(accountStore.get(accountId), entries.map(({ text }) => text))
          )
          const given = yield* Effect.forEach(
            entries,
            // A file of a million lines takes seconds, in which calls go on.
            Effect.fnUntraced(function*(entry, index) {
              if (index % linesAtOnce === linesAtOnce - 1) yield* Effect.yieldNow
              return { ...entry, number: read(entry.text, country) }
            })
          )
          const all = given.flatMap(({ number }) => (typeof number === "string" ? [number] : []))
          if (all.length === 0) return yield* noNumbers(given[0])
          return {
            ...(yield* put(accountId, all, "import")),
            read: all.length,
            rejected: given.flatMap(({ line, number, text }) =>
              typeof number === "string"
                ? []
                : [{ line, text: text.slice(0, Limits.echoedTextLength), message: number.message }]
            )
          }
        }),
        numberOf: Effect.fn("DoNotCallList.numberOf")(readOne),
        remove: Effect.fn("DoNotCallList.remove")(function*(accountId, text) {
          const number = yield* readOne(accountId, text)
          const removed = yield* orUnavailable(Effect.forEach(
            yield* namesOf(accountId, number),
            (name) => doNotCallStore.remove(accountId, name)
          ))
          if (!removed.includes(true)) return yield* notListed(number)
        }),
        get: Effect.fn("DoNotCallList.get")(function*(accountId, text) {
          const number = yield* readOne(accountId, text)
          const found = yield* orUnavailable(Effect.forEach(
            yield* namesOf(accountId, number),
            (name) => doNotCallStore.get(accountId, name)
          ))
          const entry = Option.firstSomeOf(found)
          return Option.isSome(entry) ? { ...entry.value, phoneNumber: number } : yield* notListed(number)
        }),
        list: Effect.fn("DoNotCallList.list")((accountId, page) =>
          orUnavailable(doNotCallStore.list({ accountId, page }))
        )
      })
    })
  )
}

/** Lines of a file that are read without a pause for other work: about a millisecond's. */
const linesAtOnce = 200

/** The number is masked, since spans hold the errors that they end with. */
const notListed = (number: PhoneNumber) => new NotFound({ what: `entry ${mask(number)} on the do-not-call list` })

const noNumbers = (first: { readonly line: number; readonly text: string } | undefined) => {
  const found = first === undefined
    ? ""
    : `; line ${first.line} has ${JSON.stringify(first.text.slice(0, Limits.echoedTextLength))}`
  const message =
    "hold no telephone number: give one on each line, such as +14155550100, or a CSV with the number in the first " +
    `column${found}`
  return new InvalidRequest({ problems: [{ path: ["lines"], message }] })
}

/** The first column of each non-empty line, with the line's number. */
const linesWithText = (lines: ReadonlyArray<string>) =>
  lines.map((line, index) => ({ line: index + 1, text: firstColumn(line.replace(/#.*$/u, "").trim()) }))
    // A first line without any digit is a header.
    .filter(({ line, text }) => text !== "" && !(line === 1 && !/\d/u.test(lines[0] ?? "")))

const firstColumn = (line: string): string => {
  const [column = ""] = line.split(/[,;\t]/u)
  const content = column.trim().replace(/^"(.*)"$/u, "$1").trim()
  // A line with only other columns is rejected and reported; an empty line is skipped.
  return content === "" ? line : content
}
