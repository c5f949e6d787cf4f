/** `outdial do-not-call add|remove|list|import` */
import { type DoNotCall, DoNotCallList, Errors, Limits, type Page, Wire } from "@outdial/core"
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import * as Admin from "../Admin.ts"
import * as InputFile from "../InputFile.ts"
import { UsageError } from "../../config/UsageError.ts"

const encode = Schema.encodeSync(Schema.toCodecJson(Wire.DoNotCallEntryWire))

const toJson = (entry: DoNotCall.DoNotCallEntry) => encode({ object: "do_not_call_entry", ...entry })

const toLine = ({ callId, createdAt, phoneNumber, source }: DoNotCall.DoNotCallEntry): string =>
  [phoneNumber, createdAt.toJSON(), source, ...(callId === undefined ? [] : [callId])].join("  ")

const count = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

/** The first problem, as one message. */
const summaryText = (texts: ReadonlyArray<string>) => ({ problems }: Errors.InvalidRequest) =>
  new UsageError({
    message: problems.map(({ message, path: [, index] }) =>
      `${InputFile.quoted(texts[typeof index === "number" ? index : 0] ?? "")} ${message}`
    ).join("\n")
  })

const add = Command.make(
  "add",
  {
    numbers: Argument.String("number").pipe(
      Argument.withDescription(
        "A number in E.164 form, such as +14155550100, or as it is dialed in the policy's default country"
      ),
      Argument.atLeast(1)
    ),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, json, numbers }) {
    const list = yield* DoNotCallList.DoNotCallList
    const { added, canceled } = yield* list.add((yield* Admin.account(account)).id, numbers).pipe(
      Effect.catchTag("InvalidRequest", (error) => Effect.fail(summaryText(numbers)(error)))
    )
    yield* Admin.print(json, { added, canceled }, [outcome({ added, canceled })])
  })
).pipe(Command.withDescription("Add numbers, all or none, and cancel their queued calls; safe to repeat"))

const outcome = ({ added, canceled }: { readonly added: number; readonly canceled: number }): string =>
  `${count(added, "number")} added, ${count(canceled, "waiting call")} canceled`

const remove = Command.make(
  "remove",
  { number: Argument.String("number"), account: Admin.accountFlag, json: Admin.json },
  Effect.fnUntraced(function*({ account, json, number }) {
    const list = yield* DoNotCallList.DoNotCallList
    yield* list.remove((yield* Admin.account(account)).id, number).pipe(
      Effect.catchTag("InvalidRequest", (error) => Effect.fail(summaryText([number])(error)))
    )
    yield* Admin.print(json, { number, removed: true }, [`${number} may be called again`])
  })
).pipe(Command.withDescription("Remove a number from the list, so that it may be called again"))

const list = Command.make(
  "list",
  { account: Admin.accountFlag, json: Admin.json },
  Effect.fnUntraced(function*({ account, json }) {
    const { list } = yield* DoNotCallList.DoNotCallList
    const { id } = yield* Admin.account(account)
    const all: Array<DoNotCall.DoNotCallEntry> = []
    let after: Page.PageRequest["after"] = Option.none()
    do {
      const page: Page.Page<DoNotCall.DoNotCallEntry> = yield* list(id, { limit: Limits.pageSizeMost, after })
      all.push(...page.items)
      const last = page.hasMore ? page.items.at(-1) : undefined
      after = Option.map(Option.fromUndefinedOr(last), ({ createdAt, phoneNumber }) => ({ createdAt, id: phoneNumber }))
    } while (Option.isSome(after))
    yield* Admin.print(json, all.map(toJson), all.map(toLine))
  })
).pipe(Command.withDescription("List the numbers, newest first"))

/** How many rejected lines are printed; `--json` prints all. */
const rejectedShown = 20

const importFile = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        "One number per line, or a CSV with the number in the first column; - reads standard input"
      )
    ),
    account: Admin.accountFlag,
    json: Admin.json
  },
  Effect.fnUntraced(function*({ account, file, json }) {
    const list = yield* DoNotCallList.DoNotCallList
    const { id } = yield* Admin.account(account)
    const { added, canceled, rejected } = yield* list.importLines(
      id,
      (yield* InputFile.text(file)).split(/\r\n|\r|\n/u)
    )
    yield* Admin.print(json, { added, canceled, rejected }, [outcome({ added, canceled })])
    if (rejected.length === 0) return
    yield* Effect.forEach(
      rejected.slice(0, json ? 0 : rejectedShown),
      ({ line, message, text }) => Console.error(`line ${line}: ${InputFile.quoted(text)} ${message}`),
      { discard: true }
    )
    return yield* new UsageError({
      message: `${count(rejected.length, "line holds", "lines hold")} no telephone number${
        rejected.length > rejectedShown && !json ? ` (the first ${rejectedShown} are above, --json prints all)` : ""
      }; all other lines are on the list. Correct them and import the file again`
    })
  })
).pipe(Command.withDescription(
  "Add the numbers of a file and cancel their queued calls. Exits 1 if a line holds no number, after adding all others"
))

export const doNotCall = Command.make("do-not-call").pipe(
  Command.withDescription("Manage the numbers that an account must not call"),
  Command.withSubcommands([add, remove, list, importFile]),
  Command.provide(Admin.layer)
)
