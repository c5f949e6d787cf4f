/** What the commands that manage a deployment share: the storage, the account flag and the output format. */
import {
  type Account,
  Accounts,
  Agents,
  ApiKeys,
  AuditLog,
  CalleeErasure,
  CallingRules,
  Carriers,
  ConsoleAccess,
  DoNotCallList,
  ErasureAliases,
  Errors,
  Explanations,
  HangUps,
  Ids,
  PhoneNumbers,
  type Recordings,
  SecretBox,
  type TimeZones,
  UsageReport,
  Workers
} from "@outdial/core"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { FileRecordings } from "@outdial/node"
import { type Config as EffectConfig, Console, Effect, type FileSystem, Layer, Option, Path } from "effect"
import { Flag } from "effect/cli"
import * as Config from "../config/Config.ts"
import * as StorageLayer from "../config/StorageLayer.ts"
import * as TimeZonesFile from "../config/TimeZonesFile.ts"
import { UsageError } from "../config/UsageError.ts"

/** Reads configuration. An error names the variable and its expected format. */
export const readable = <A>(config: EffectConfig.Config<A>): Effect.Effect<A, UsageError> =>
  Effect.mapError(
    Effect.gen(function*() {
      return yield* config
    }),
    ({ message }) => {
      const [, problem, variable] = /SchemaError\(([^]*?)\s+at \["(\w+)"\]\)/.exec(message) ?? []
      return new UsageError({ message: problem === undefined ? message : `${variable} ${problem}` })
    }
  )

/** The storage location that the environment names. */
export const location: Effect.Effect<StorageLayer.StorageLocation, UsageError> = Effect.gen(function*() {
  const { data, databaseUrl, schema } = yield* readable(Config.store)
  if (Option.isSome(databaseUrl)) {
    return {
      _tag: "Postgres",
      url: databaseUrl.value,
      ...(Option.isSome(schema) && { schema: schema.value })
    } as const
  }
  if (Option.isSome(schema)) {
    return yield* new UsageError({ message: "OUTDIAL_SCHEMA names a schema of a Postgres: set DATABASE_URL, too" })
  }
  if (Option.isSome(data)) return { _tag: "Folder", path: data.value } as const
  return yield* new UsageError({
    message:
      "Set DATABASE_URL to a Postgres, or OUTDIAL_DATA to a folder (OUTDIAL_DATA=.outdial is the one of npm start)"
  })
})

/** A description of the location, without its password. */
export const locationText = (location: StorageLayer.StorageLocation): string => {
  if (location._tag === "Folder") return `The database in ${location.path}`
  return location._tag === "Postgres" && location.schema !== undefined
    ? `The schema ${location.schema}`
    : "The database"
}

/** Only accounts that have erased a callee have secrets that these commands open. */
const secretBox = Layer.unwrap(
  Effect.map(readable(Config.secretKeys), ({ secretKey, secretKeyPrevious }) =>
    Option.match(secretKey, {
      onNone: () => SecretBox.SecretBox.layerClosed,
      onSome: (key) => SecretBox.SecretBox.layer({ key, previous: secretKeyPrevious })
    }))
)

/** The server's default store of recordings, used when the configuration module has none. */
const fileRecordings = Layer.unwrap(Effect.gen(function*() {
  const paths = yield* Path.Path
  const { data } = yield* readable(Config.store)
  return FileRecordings.layer({ directory: Config.recordingsIn(data, paths) })
}))

type Services =
  | Accounts.Accounts
  | Agents.Agents
  | ApiKeys.ApiKeys
  | AuditLog.AuditLog
  | CalleeErasure.CalleeErasure
  | Carriers.Carriers
  | ConsoleAccess.ConsoleAccess
  | DoNotCallList.DoNotCallList
  | HangUps.HangUps
  | Explanations.Explanations
  | TimeZones.TimeZones
  | UsageReport.UsageReport
  | Workers.Workers

/** The services over that storage. The tables must exist: these commands create none. */
export const layerWith = (
  recordings: Layer.Layer<Recordings.Recordings, unknown, Path.Path>
): Layer.Layer<Services, unknown, FileSystem.FileSystem | Path.Path> =>
  Layer.mergeAll(
    Accounts.Accounts.layer,
    Agents.Agents.layer,
    ApiKeys.ApiKeys.layer,
    AuditLog.AuditLog.layer,
    Carriers.Carriers.layer,
    ConsoleAccess.ConsoleAccess.layer,
    DoNotCallList.DoNotCallList.layer,
    Explanations.Explanations.layer,
    CalleeErasure.CalleeErasure.layer,
    HangUps.HangUps.layer,
    UsageReport.UsageReport.layer
  ).pipe(
    Layer.provideMerge(Workers.Workers.layer()),
    Layer.provide(ErasureAliases.ErasureAliases.layer.pipe(Layer.provide(secretBox))),
    Layer.provide(recordings),
    Layer.provide(CallingRules.layerFailingClosed.pipe(Layer.provide(CallingRules.CallingRules.layer))),
    Layer.provide([
      Layer.unwrap(Effect.map(location, StorageLayer.layerFound)),
      NodeCrypto.layer,
      PhoneNumbers.PhoneNumbers.layer
    ]),
    Layer.provideMerge(TimeZonesFile.layer)
  )

/** The services with the folder of recordings; commands that touch recordings take the configured store instead. */
export const layer = layerWith(fileRecordings)

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON"),
  Flag.withDefault(false)
)

export const accountFlag = Flag.String("account").pipe(
  Flag.withSchema(Ids.AccountId),
  Flag.withDescription("Id of the account; may be omitted if there is only one"),
  Flag.optional
)

/** The named account, or the only account. */
export const account = Effect.fnUntraced(function*(
  named: Option.Option<Ids.AccountId>
): Effect.fn.Return<Account.Account, UsageError | Errors.NotFound | Errors.Unavailable, Accounts.Accounts> {
  const accounts = yield* Accounts.Accounts
  if (Option.isSome(named)) return yield* accounts.get(named.value)
  const [first, ...others] = yield* accounts.list
  if (first === undefined) {
    return yield* new UsageError({ message: "There is no account yet. Create one: outdial accounts create NAME" })
  }
  if (others.length > 0) {
    return yield* new UsageError({
      message: "There are several accounts: name one with --account (outdial accounts list)"
    })
  }
  return first
})

/** Prints the value as JSON, or as lines of text. */
export const print = (asJson: boolean, value: unknown, lines: ReadonlyArray<string>) =>
  Console.log(asJson ? JSON.stringify(value) : lines.join("\n"))
