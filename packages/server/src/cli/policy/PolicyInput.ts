/**
 * Policies as commands are given them: a JSON file, a preset to narrow by, or both. Tells what in a policy is out of line;
 * that never keeps it from being set.
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

/** The policy in a file. Every problem is told with its place. */
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
  /** What a preset narrows when no file is given; `undefined` when it cannot be read. */
  readonly inForce: Policy.PolicyDocument | undefined
  /** The agents of the account that the policy is for. */
  readonly agents: ReadonlyArray<Agent.Agent>
}

/** The policy that the flags ask for; `None` when they ask for none. Prints what is out of line with it. */
export const chosen = Effect.fnUntraced(function*({ agents, inForce, policy, preset: id }: Choice) {
  if (Option.isNone(policy) && Option.isNone(id)) return Option.none<Policy.PolicyDocument>()
  const preset = Option.isSome(id) ? yield* findPreset(id.value) : undefined
  const given = Option.isSome(policy) ? yield* read(policy.value) : inForce
  if (given === undefined) {
    return yield* new UsageError({
      message: "The account's policy cannot be read, so that it cannot be narrowed; give the whole of it with --policy"
    })
  }
  const document = preset === undefined ? given : Presets.apply(given, preset)
  yield* warn([...findings(document, preset).map(toLine), ...unknownAgents(document, agents)])
  if (preset !== undefined) yield* Console.error(Presets.disclaimer)
  return Option.some(document)
})

/** What is unusual anywhere, and where the policy allows more than the preset. */
export const findings = (
  document: Policy.PolicyDocument,
  preset: Presets.Preset | undefined
): ReadonlyArray<Presets.Finding> => [
  ...Presets.lintGeneral(document),
  ...(preset === undefined ? [] : Presets.lint(document, preset))
]

export const toLine = ({ message, path, severity }: Presets.Finding): string =>
  `${severity === "info" ? "note" : severity}: ${path}: ${message}`

/** An agent's rules are found by its id alone; one that is put later may well have that id. */
const unknownAgents = (document: Policy.PolicyDocument, agents: Choice["agents"]): ReadonlyArray<string> =>
  Object.keys(document.agents ?? {}).filter((id) => agents.every((agent) => agent.id !== id)).map((id) =>
    `warning: ${
      FieldPath.toPointer(["agents", id])
    }: the account has no agent ${id}, so that these rules hold for nobody until it is put; outdial agents list tells which there are`
  )

const warn = (lines: ReadonlyArray<string>) => Effect.forEach(lines, (line) => Console.error(line), { discard: true })
