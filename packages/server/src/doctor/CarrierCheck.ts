/** Asks the configured carrier about its account, and whether it reaches this deployment. Places no call. */
import { TelnyxAccount } from "@outdial/carriers/telnyx"
import { TwilioAccount } from "@outdial/carriers/twilio"
import { type CallRoute, Ids, type PhoneNumber } from "@outdial/core"
import { type Config as EffectConfig, Effect, Option, Result } from "effect"
import type * as Config from "../config/Config.ts"
import type { UsageError } from "../config/UsageError.ts"
import * as ConfiguredCarrier from "../serve/ConfiguredCarrier.ts"
import * as AsteriskCheck from "./AsteriskCheck.ts"
import * as CallbackCheck from "./CallbackCheck.ts"
import * as Dialing from "./Dialing.ts"
import { failed, type Finding, ok, warning } from "./Finding.ts"

type ServeConfig = EffectConfig.Success<typeof Config.serve>

/**
 * Of each carrier, whatever is wrong with another one or with the routes. Without a database, the numbers and lines of its agents are not
 * known.
 */
export const findings = Effect.fnUntraced(function*(config: ServeConfig, dialing: Dialing.Dialing) {
  const { carriers } = config
  if (carriers.length === 0 && Option.isNone(config.routes)) return []
  const routing = yield* Effect.result(ConfiguredCarrier.routingOf(config))
  const found = yield* Effect.forEach(
    carriers,
    (carrier) =>
      ofCarrier(
        carrier,
        config,
        // With wrong routes nobody knows which calls go over it.
        Result.isSuccess(routing)
          ? Dialing.over(Ids.CarrierName.make(carrier), routing.success, dialing)
          : { always: [], sometimes: [], lines: 0 }
      )
  )
  return [
    ...found.flat(),
    ...Result.isFailure(routing) ? [failed("routes", routing.failure.message)] : routes(config, routing.success)
  ]
})

const ofCarrier = (carrier: Config.CarrierChoice, config: ServeConfig, dialing: Dialing.CarrierDialing) => {
  switch (carrier) {
    case "telnyx":
      return named("Telnyx", telnyx(config, dialing))
    case "twilio":
      return named("Twilio", twilio(config, dialing))
    case "asterisk":
      return Effect.catch(asterisk(config), ({ message }) => Effect.succeed([failed("Asterisk", message)]))
    case "simulated":
      return Effect.succeed([])
    default:
      return carrier satisfies never
  }
}

/** The findings under the carrier's name, because those of another one may be beside them; or what is wrong with its settings. */
const named = (carrier: string, findings: Effect.Effect<ReadonlyArray<Finding>, UsageError>) =>
  findings.pipe(
    Effect.map((all) =>
      all.map((one) => ({ ...one, check: one.check === carrier ? carrier : `${carrier} ${one.check}` }))
    ),
    Effect.catch(({ message }) => Effect.succeed([failed(carrier, message)]))
  )

const routes = (config: ServeConfig, { routes }: CallRoute.CallRouting): ReadonlyArray<Finding> => {
  const { carriers } = config
  return !ConfiguredCarrier.isRouted(config)
    ? []
    : [
      ok(
        "routes",
        routes.length === 0
          ? `All calls go over ${carriers[0]}: there is no route`
          : `${routes.length === 1 ? "There is 1 route" : `There are ${routes.length} routes`}; other calls go over ${
            carriers[0]
          }`
      )
    ]
}

const asterisk = Effect.fnUntraced(function*(config: ServeConfig) {
  return yield* answered("Asterisk", AsteriskCheck.findings(yield* ConfiguredCarrier.asteriskOptions(config)))
})

const twilio = Effect.fnUntraced(function*(config: ServeConfig, dialing: Dialing.CarrierDialing) {
  const options = yield* ConfiguredCarrier.twilioOptions(config)
  const ofAccount = answered(
    "Twilio",
    Effect.gen(function*() {
      const { clockAhead, status, type } = yield* TwilioAccount.get(options)
      return [
        status !== "active"
          ? failed("Twilio", `The account is ${status}, and places no calls`)
          : type === "Trial"
          ? warning("Twilio", "The account is a trial: it calls only numbers that it has verified, and says so first")
          : ok("Twilio", "The account is active"),
        // Its look-ups compare times.
        ...clock("Twilio", clockAhead, { mostAhead: 5 }),
        ...yield* numbers(
          { carrier: "Twilio", dialing, byDefault: options.callerId },
          (all) => TwilioAccount.unusableCallerIds(options, all)
        )
      ]
    })
  )
  return [
    ...yield* ofAccount,
    callerIdIn("TWILIO_CALLER_ID", config.twilio.callerId),
    twilioRate(config.twilio.callsPerSecond),
    yield* CallbackCheck.finding({ carrier: "twilio", path: "status", publicUrl: options.publicUrl })
  ]
})

const telnyx = Effect.fnUntraced(function*(config: ServeConfig, dialing: Dialing.CarrierDialing) {
  const options = yield* ConfiguredCarrier.telnyxOptions(config)
  const ofAccount = answered(
    "Telnyx",
    Effect.gen(function*() {
      const account = yield* TelnyxAccount.get(options)
      return [
        application(account),
        ...credit(account),
        ...telnyxLines(account, dialing.lines),
        // Its webhooks are refused five minutes after they were signed.
        ...clock("Telnyx", account.clockAhead, { mostAhead: 240 }),
        ...yield* numbers(
          { carrier: "Telnyx", dialing, byDefault: options.callerId },
          (all) => TelnyxAccount.unusableCallerIds(options, all)
        )
      ]
    })
  )
  return [
    ...yield* ofAccount,
    callerIdIn("TELNYX_CALLER_ID", config.telnyx.callerId),
    telnyxRate(config.telnyx.callsPerSecond),
    yield* CallbackCheck.finding({ carrier: "telnyx", path: "events", publicUrl: options.publicUrl })
  ]
})

const application = ({ application, profile }: TelnyxAccount.Account): Finding => {
  if (Option.isNone(application)) {
    return failed("Telnyx", "There is no Voice API application with the id in TELNYX_CONNECTION_ID")
  }
  const { active, application_name: name = "without a name" } = application.value
  if (active === false) return failed("Telnyx", `The application ${name} is not active, and places no calls`)
  if (Option.isNone(profile)) {
    return failed("Telnyx", `The application ${name} has no outbound voice profile, and places no calls. Give it one`)
  }
  return profile.value.enabled === false
    ? failed("Telnyx", `The outbound voice profile of ${name} is disabled, and its calls are refused. Enable it`)
    : ok("Telnyx", `The application ${name} is active`)
}

const credit = ({ credit }: TelnyxAccount.Account): ReadonlyArray<Finding> =>
  Option.exists(credit, (left) => left <= 0)
    ? [failed("Telnyx", "The account has no credit left, and its calls are refused. Top it up")]
    : []

/** Above its limit, Telnyx places calls and then rejects them. */
const telnyxLines = ({ profile }: TelnyxAccount.Account, lines: number): ReadonlyArray<Finding> => {
  const most = Option.getOrUndefined(profile)?.concurrent_call_limit ?? undefined
  if (most === undefined) return []
  return lines > most
    ? [
      warning(
        "lines",
        `The accounts that call over it have ${lines} lines, and the outbound voice profile takes ${most} calls at once. Those above it fail as ` +
          "carrier_refused: raise its limit, or lower the lines with outdial accounts put"
      )
    ]
    : [
      ok(
        "lines",
        `The accounts that call over it have ${lines} lines, and the outbound voice profile takes ${most} calls at once`
      )
    ]
}

/** A call that begins so long after its last instant, by the carrier's clock, is hung up. */
const mostBehind = 30

/** `mostAhead`: in seconds. The date of a response is exact to a second. */
const clock = (
  carrier: string,
  ahead: number | undefined,
  { mostAhead }: { readonly mostAhead: number }
): ReadonlyArray<Finding> => {
  if (ahead === undefined) return []
  const seconds = Math.round(Math.abs(ahead) / 1000)
  const text = `This computer's clock is ${seconds} s ${ahead < 0 ? "behind" : "ahead of"} ${carrier}'s`
  const wrong = ahead < -mostBehind * 1000
    ? "calls would be hung up because they seem to begin too late"
    : ahead > mostAhead * 1000
    ? carrier === "Twilio" ? "calls whose id was lost would not be found" : "its webhooks may be refused as too old"
    : undefined
  return wrong === undefined
    ? [ok("time", text)]
    : [failed("time", `${text}: ${wrong}. Synchronize it, and that of the database, with NTP`)]
}

/** So many numbers are asked for, with two requests each. */
const mostNumbers = 100

interface Numbers {
  readonly carrier: string
  readonly dialing: Dialing.CarrierDialing
  readonly byDefault: PhoneNumber.PhoneNumber | undefined
}

const numbers = Effect.fnUntraced(function*<E>(
  { byDefault, carrier, dialing }: Numbers,
  unusable: (
    all: ReadonlyArray<PhoneNumber.PhoneNumber>
  ) => Effect.Effect<ReadonlyArray<PhoneNumber.PhoneNumber>, E>
) {
  const certain = [...byDefault === undefined ? [] : [byDefault], ...dialing.always]
  const all = [...new Set([...certain, ...dialing.sometimes])]
  if (all.length === 0) return []
  const asked = all.slice(0, mostNumbers)
  const wrong = yield* unusable(asked)
  const those = asked.length === all.length ? "" : `, of the first ${mostNumbers} of ${all.length}`
  if (wrong.length === 0) {
    return [ok("caller ids", `All numbers that calls show are ${carrier}'s, or verified by it${those}`)]
  }
  const refused = (numbers: ReadonlyArray<PhoneNumber.PhoneNumber>) =>
    `${carrier} refuses calls from ${
      numbers.join(", ")
    }${those}: they are neither numbers of the account nor verified by it. `
  const [never, sometimes] = [
    wrong.filter((number) => certain.includes(number)),
    wrong.filter((number) => !certain.includes(number))
  ]
  return [
    ...never.length === 0
      ? []
      : [failed("caller ids", `${refused(never)}Verify them there, or change the caller_id of the agents`)],
    ...sometimes.length === 0 ? [] : [
      warning(
        "caller ids",
        `${
          refused(sometimes)
        }By the routes, some calls of their agents may go over it. Verify them there, or begin the routes with one ` +
          "for these caller_ids to another carrier"
      )
    ]
  ]
})

/** It is in no response of Twilio's API. */
const twilioRate = (rate: number): Finding =>
  rate > 1
    ? warning(
      "rate",
      `TWILIO_CALLS_PER_SECOND is ${rate}. An account has 1 unless Twilio has raised it, which its API does not tell: look in the ` +
        "console, under Voice, Settings. Calls above it wait at Twilio"
    )
    : ok("rate", "One call per second, which every account at Twilio has")

/** https://developers.telnyx.com/docs/voice/programmable-voice/dials-per-second-limit */
const telnyxMost = 30

const telnyxRate = (rate: number): Finding =>
  rate > telnyxMost
    ? warning(
      "rate",
      `TELNYX_CALLS_PER_SECOND is ${rate}. Telnyx rejects more than ${telnyxMost} unless it has raised the account's limit, which its ` +
        "API does not tell. Rejected calls are tried again later"
    )
    : ok("rate", `${rate} calls per second; Telnyx lets an account place ${telnyxMost}`)

/** The findings, or what went wrong at the carrier. */
const answered = (
  carrier: string,
  findings: Effect.Effect<ReadonlyArray<Finding>, { readonly cause: unknown }>
) =>
  Effect.catch(findings, ({ cause }) =>
    Effect.succeed([
      failed(carrier, `It does not answer as it should: ${cause instanceof Error ? cause.message : "no answer"}`)
    ]))

const callerIdIn = (variable: string, callerId: Option.Option<PhoneNumber.PhoneNumber>): Finding =>
  Option.match(callerId, {
    onNone: () => warning("caller id", `${variable} is not set: agents without a caller_id place no calls`),
    onSome: (number) => ok("caller id", `Agents without a caller_id call from ${number}`)
  })
