/**
 * Policies as commands read them: a JSON file, a preset to narrow by, or both. Prints lint findings, which never prevent a
 * policy from being set.
 */
import { type Agent, FieldPath, type Policy, PolicyDecoding, TimeZones } from "@outdial/core"
import * as Presets from "@outdial/core/presets"
import { Console, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import * as InputFile from "../InputFile.ts"
import { UsageError } from "../../config/UsageError.ts"

export const presetFlag = (description: string) =>
  Flag.String("preset").pipe(Flag.withMetavar("ID"), Flag.withDescription(description), Flag.optional)

/** The flags of commands that set a policy. */
export const flags = {
  policy: Flag.String("policy").pipe(
    Flag.withMetavar("FILE"),
    Flag.withDescription("The whole policy in JSON; omitted fields take their defaults; - reads standard input"),
    Flag.optional
  ),
  preset: presetFlag("Narrow the policy by this preset (outdial policy presets); not legal advice")
}

/** The policy in a file. The error names every problem with its path. */
export const read = Effect.fnUntraced(function*(file: string) {
  const { isKnown } = yield* TimeZones.TimeZones
  const value = yield* InputFile.json(file)
  return yield* Effect.mapError(PolicyDecoding.decodeWire(value, isKnown), ({ problems }) =>
    new UsageError({
      message: [
        `${InputFile.nameOf(file)} is not a policy:`,
        ...problems.map(({ message, path }) => `  ${[FieldPath.toPointer(path), message].filter(Boolean).join(" ")}`)
      ].join("\n")
    }))
})

/** The preset of that id. */
export const findPreset = Effect.fnUntraced(function*(id: string) {
  const preset = Presets.find(id)
  if (preset !== undefined) return preset
  return yield* new UsageError({ message: `There is no preset ${id}; outdial policy presets lists them` })
})

export interface Choice {
  readonly policy: Option.Option<string>
  readonly preset: Option.Option<string>
  /** The policy that a preset narrows if no file is given; `undefined` if it cannot be read. */
  readonly inForce: Policy.PolicyDocument | undefined
  /** The agents of the account that the policy is for. */
  readonly agents: ReadonlyArray<Agent.Agent>
}

/** The policy that the flags name; `None` without flags. Prints its lint findings. */
export const chosen = Effect.fnUntraced(function*({ agents, inForce, policy, preset: id }: Choice) {
  if (Option.isNone(policy) && Option.isNone(id)) return Option.none<Policy.PolicyDocument>()
  const preset = Option.isSome(id) ? yield* findPreset(id.value) : undefined
  const given = Option.isSome(policy) ? yield* read(policy.value) : inForce
  if (given === undefined) {
    return yield* new UsageError({
      message: "The account's policy cannot be read, so it cannot be narrowed. Give the whole policy with --policy"
    })
  }
  const document = preset === undefined ? given : Presets.apply(given, preset)
  yield* warn([...findings(document, preset).map(toLine), ...unknownAgents(document, agents)])
  if (preset !== undefined) yield* Console.error(Presets.disclaimer)
  return Option.some(document)
})

/** The lint findings of the policy, and where it allows more than the preset. */
export const findings = (
  document: Policy.PolicyDocument,
  preset: Presets.Preset | undefined
): ReadonlyArray<Presets.Finding> => [
  ...Presets.lintGeneral(document),
  ...(preset === undefined ? [] : Presets.lint(document, preset))
]

export const toLine = ({ message, path, severity }: Presets.Finding): string =>
  `${severity === "info" ? "note" : severity}: ${path}: ${message}`

/** An agent's rules are found by its id alone; an agent with that id may be added later. */
const unknownAgents = (document: Policy.PolicyDocument, agents: Choice["agents"]): ReadonlyArray<string> =>
  Object.keys(document.agents ?? {}).filter((id) => agents.every((agent) => agent.id !== id)).map((id) =>
    `warning: ${
      FieldPath.toPointer(["agents", id])
    }: the account has no agent ${id}, so these rules apply to no call until you add that agent. To list the agents: outdial agents list`
  )

const warn = (lines: ReadonlyArray<string>) => Effect.forEach(lines, (line) => Console.error(line), { discard: true })
