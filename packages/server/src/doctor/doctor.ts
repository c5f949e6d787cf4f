/** `outdial doctor`: checks everything that a server needs, changes nothing, and says what to do. */
import { KeyRotation, SecretBox, Storage, TimeZones, Workers } from "@outdial/core"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { DatabaseReport, DatabaseUnavailable, Pglite, Schemas } from "@outdial/sql"
import { type Config as EffectConfig, DateTime, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import * as Config from "../config/Config.ts"
import * as DatabaseChecks from "./DatabaseChecks.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"
import * as CarrierCheck from "./CarrierCheck.ts"
import * as Dialing from "./Dialing.ts"
import * as ModelCheck from "./ModelCheck.ts"
import * as VoiceCheck from "./VoiceCheck.ts"
import * as RoutesCheck from "./RoutesCheck.ts"
import * as SettingChecks from "./SettingChecks.ts"
import * as StorageLayer from "../config/StorageLayer.ts"
import * as TimeZonesFile from "../config/TimeZonesFile.ts"
import * as Admin from "../cli/Admin.ts"
import * as ConfigModule from "../cli/ConfigModule.ts"
import * as SecretKeys from "../config/SecretKeys.ts"
import { UsageError } from "../config/UsageError.ts"

/** A check that failed to run. */
const notRun = (check: string, error: unknown) => failed(check, error instanceof Error ? error.message : String(error))

const orFailed = <R>(check: string, findings: Effect.Effect<ReadonlyArray<Finding>, unknown, R>) =>
  Effect.catch(findings, (error) => Effect.succeed([notRun(check, error)]))

/** What was found in the database, and what the carrier is asked for because of it. */
const inDatabase = Effect.catch(
  Effect.suspend(() => database),
  (error) => Effect.succeed(only(notRun("database", error)))
)

const timeZones = orFailed(
  "time zones",
  Effect.map(Effect.provide(TimeZones.TimeZones, TimeZonesFile.layer), (zones) => [SettingChecks.timeZones(zones)])
)

/** Whether every sealed secret can be opened. Requires a migrated database. */
const secrets = Effect.gen(function*() {
  const config = yield* Effect.option(Admin.readable(Config.secretKeys))
  // A missing or invalid key is a finding of the settings.
  if (Option.isNone(config) || Option.isNone(config.value.secretKey)) return []
  const keys = yield* SecretKeys.required(config.value)
  const { check } = yield* Effect.provide(
    KeyRotation.KeyRotation,
    KeyRotation.KeyRotation.layer.pipe(Layer.provide([SecretBox.SecretBox.layer(keys), NodeCrypto.layer]))
  )
  yield* SecretKeys.explained(check)
  return [ok("secrets", "Every webhook secret can be opened")]
})

/** The live workers. Only for Postgres: a folder that is open here is open in no server. */
const workers = Effect.gen(function*() {
  const { list } = yield* Workers.Workers
  return [DatabaseChecks.workers(yield* list)]
}).pipe(Effect.provide(Workers.Workers.layer().pipe(Layer.provide(NodeCrypto.layer))))

const only = (finding: Finding) => ({ findings: [finding], dialing: Dialing.none, planData: Option.none<string>() })

const database = Effect.gen(function*() {
  const location = yield* Admin.location
  // Opening it would create it.
  if (location._tag === "Folder" && !(yield* Pglite.isThere(location.path))) {
    return only(
      warning(
        "database",
        `There is no database in ${location.path} yet: run outdial serve or outdial migrate to create it`
      )
    )
  }
  if (location._tag === "Folder" && (yield* Pglite.isOpenToOthers(location.path))) {
    return only(
      failed(
        "database",
        `${location.path} can be read by other users: run outdial serve or outdial migrate to set its mode to 0700`
      )
    )
  }
  return yield* Effect.gen(function*() {
    const { missingCarriers, state, strandedCalls } = yield* Storage.StorageStats
    const carriers = yield* Storage.CarrierStore
    const found = yield* state
    const findings = [
      ...location._tag === "Postgres"
        ? DatabaseChecks.judge(yield* DatabaseReport.read)
        : [ok("database", "The folder can be opened; it belongs to one process at a time")],
      DatabaseChecks.migrations(found),
      ...location._tag === "Postgres" ? DatabaseChecks.schemas(yield* Schemas.read) : [],
      ...location._tag === "Postgres" && found === "ready" ? yield* orFailed("workers", workers) : [],
      ...found === "ready" ? yield* orFailed("secrets", secrets) : [],
      ...found === "ready" ? DatabaseChecks.carriers(yield* strandedCalls(yield* DateTime.now)) : [],
      ...found === "ready" ? DatabaseChecks.missingCarriers(yield* missingCarriers(yield* DateTime.now)) : [],
      ...found === "ready" ? DatabaseChecks.pausedCarriers(yield* carriers.list) : []
    ]
    if (found !== "ready") return { findings, dialing: Dialing.none, planData: Option.none<string>() }
    return { findings, dialing: yield* Dialing.read, planData: yield* RoutesCheck.read }
  }).pipe(
    Effect.provide(StorageLayer.layerUnmigrated(location)),
    Effect.catchIf(
      (error) => location._tag === "Postgres" && !(error instanceof DatabaseUnavailable.DatabaseUnavailable),
      (cause) => Effect.fail(new DatabaseUnavailable.DatabaseUnavailable({ cause }))
    )
  )
})

const judged = (config: EffectConfig.Success<typeof Config.serve>) => [
  ...Option.isNone(config.secretKeys.secretKey)
    ? [failed("secrets", "OUTDIAL_SECRET_KEY is not set; make one with: openssl rand -base64 32")]
    : [],
  ...SettingChecks.judge(config)
]

/** Reports every unreadable setting at once. */
const settings = Effect.gen(function*() {
  const unread = yield* Effect.forEach(
    Config.variables,
    (variable) => orFailed("settings", Effect.as(Admin.readable(variable), []))
  )
  const wrong = unread.flat()
  return wrong.length > 0 ? wrong : judged(yield* Admin.readable(Config.serve))
})

/** Unreadable settings are already a finding. */
const readSettings = Effect.option(Admin.readable(Config.serve))

const provider = Effect.fnUntraced(function*(file: Option.Option<string>) {
  const loaded = yield* ConfigModule.load(file)
  return Option.toArray(Option.map(yield* readSettings, (read) => SettingChecks.provider(loaded, read)))
})

const carriers = Effect.fnUntraced(function*(dialing: Dialing.Dialing) {
  const read = yield* readSettings
  return Option.isNone(read) ? [] : yield* CarrierCheck.findings(read.value, dialing)
})

/** A configuration that cannot be used is already a finding. */
const routes = Effect.fnUntraced(function*(file: Option.Option<string>, planData: Option.Option<string>) {
  const read = yield* readSettings
  if (Option.isNone(read)) return []
  return yield* RoutesCheck.findings(yield* ConfigModule.load(file), read.value, planData)
}, Effect.orElseSucceed((): ReadonlyArray<Finding> => []))

const line = ({ check, level, message }: Finding) => `${level.padEnd(7)}  ${check.padEnd(17)}  ${message}`

export const doctor = Command.make(
  "doctor",
  { config: ConfigModule.flag, json: Admin.json },
  Effect.fnUntraced(function*({ config, json }) {
    const { dialing, findings: ofDatabase, planData } = yield* Effect.scoped(inDatabase)
    const findings = [
      ...ofDatabase,
      ...yield* timeZones,
      ...yield* orFailed("settings", settings),
      ...yield* orFailed("model", ModelCheck.findings),
      ...yield* orFailed("voice", VoiceCheck.findings),
      ...yield* orFailed("provider", provider(config)),
      ...yield* carriers(dialing),
      ...yield* routes(config, planData)
    ]
    const failures = findings.filter(({ level }) => level === "failed").length
    yield* Admin.print(json, { ok: failures === 0, checks: findings }, findings.map(line))
    if (failures > 0) {
      return yield* new UsageError({ message: `${failures === 1 ? "One check" : `${failures} checks`} failed` })
    }
  })
).pipe(
  Command.withDescription("Check everything that a server needs, from its environment to the database; changes nothing")
)
