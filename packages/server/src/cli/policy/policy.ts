/** `outdial policy lint|presets`: reads policies and changes no account. */
import { PolicyDecoding } from "@outdial/core"
import * as Presets from "@outdial/core/presets"
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as TimeZonesFile from "../../config/TimeZonesFile.ts"
import * as Admin from "../Admin.ts"
import * as CallingHoursText from "./CallingHoursText.ts"
import * as PolicyInput from "./PolicyInput.ts"
import { UsageError } from "../../config/UsageError.ts"

const lint = Command.make(
  "lint",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A policy in JSON; - reads standard input")),
    preset: PolicyInput.presetFlag("Also report where the policy allows more than this preset"),
    json: Admin.json
  },
  Effect.fnUntraced(function*({ file, json, preset: id }) {
    const preset = Option.isSome(id) ? yield* PolicyInput.findPreset(id.value) : undefined
    const findings = PolicyInput.findings(yield* PolicyInput.read(file), preset)
    yield* Admin.print(json, findings, [
      ...findings.map(PolicyInput.toLine),
      ...(findings.length === 0 ? ["Nothing found"] : []),
      Presets.disclaimer
    ])
    const warnings = findings.filter(({ severity }) => severity === "warning").length
    if (warnings > 0) {
      return yield* new UsageError({ message: `${warnings} ${warnings === 1 ? "warning" : "warnings"}` })
    }
  })
).pipe(Command.withDescription("Lint a policy; exits 1 on warnings, not on notes"))

const presets = Command.make(
  "presets",
  { json: Admin.json },
  Effect.fnUntraced(function*({ json }) {
    const all = Presets.list()
    yield* Admin.print(json, { disclaimer: Presets.disclaimer, presets: all.map(toJson) }, [
      Presets.disclaimer,
      ...all.flatMap(toLines)
    ])
  })
).pipe(Command.withDescription("List the presets with their sources; not legal advice"))

const toJson = ({ asOf, confidence, holidays, id, notes, policy, sources, title }: Presets.Preset) => ({
  id,
  title,
  policy: PolicyDecoding.encodeWire(policy),
  ...(holidays !== undefined && { holidays }),
  notes,
  confidence,
  sources,
  as_of: asOf
})

const toLines = ({ asOf, confidence, id, policy, sources, title }: Presets.Preset): ReadonlyArray<string> => [
  "",
  `${id}  ${title}`,
  `  ${CallingHoursText.text(policy.callingHours)}`,
  ...(policy.numberLimits ?? []).map(({ max, windowSeconds }) =>
    `  ${max} dials to a number in ${windowSeconds} seconds`
  ),
  `  as of ${asOf}, confidence ${confidence}: ${sources.join(", ")}`
]

export const policy = Command.make("policy").pipe(
  Command.withDescription("Lint policies and list presets"),
  Command.withSubcommands([lint, presets]),
  Command.provide(TimeZonesFile.layer)
)
