/** The page of a policy's fields and of the presets, `docs/reference/policy.md`, from the schema, its defaults and the data. */
import { Schema, String as Str } from "effect"
import * as Policy from "../packages/core/src/domain/Policy.ts"
import * as PolicyDecoding from "../packages/core/src/policy/PolicyDecoding.ts"
import * as Presets from "../packages/core/src/presets/Presets.ts"
import { weekdays } from "../packages/core/src/presets/WeekMinutes.ts"

/** What is read of a field's JSON schema. */
interface Field {
  readonly type?: string
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Field>
  readonly properties?: Fields
  readonly items?: Field
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}
type Fields = Readonly<Record<string, Field>>

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")
const code = (value: unknown): string => `\`${cell(typeof value === "string" ? value : JSON.stringify(value))}\``
const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const typeOf = ({ anyOf, items, type }: Field): string => {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ")
  if (items !== undefined) return `list of ${typeOf(items)}`
  return type === "string" ? "text" : type === "integer" ? "whole number" : type ?? "any"
}

const bounds = ({ anyOf, maxItems, maximum, minItems, minimum }: Field): string => {
  if (anyOf !== undefined) return anyOf.map(bounds).filter(Boolean).join(", ")
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  return [
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`])
  ]
    .join(", ")
}

/** The fields inside of a field, each with what stands before its name. */
const inside = (field: Field): ReadonlyArray<readonly [mark: string, fields: Fields]> => [
  ...(field.anyOf ?? []).flatMap(inside),
  ...(field.properties === undefined ? [] : [["", field.properties] as const]),
  ...(field.items?.properties === undefined ? [] : [["[]", field.items.properties] as const])
]

/** The row of each field; fields that are all alike, as weekdays are, have one together. */
const rows = (fields: Fields, before = ""): ReadonlyArray<ReadonlyArray<string>> => {
  const entries = Object.entries(fields)
  const [first] = entries
  const areAlike = entries.length > 2 && new Set(entries.map(([, field]) => JSON.stringify(field))).size === 1
  return (areAlike && first !== undefined ? [first] : entries).flatMap(([key, field]) => {
    const name = before + Str.camelToSnake(key)
    const names = areAlike ? entries.map(([other]) => code(before + Str.camelToSnake(other))).join(", ") : code(name)
    return [
      [
        names,
        before === "" ? code(key) : "",
        typeOf(field),
        bounds(field),
        before === "" ? defaultOf(key) : "",
        cell(field.description ?? ""),
        field.examples === undefined ? "" : code(field.examples[0])
      ],
      ...inside(field).flatMap(([mark, inner]) => rows(inner, `${name}${mark}.`))
    ]
  })
}

const defaults = PolicyDecoding.encodeWire(Policy.defaults)

const defaultOf = (key: string): string => {
  const value = new Map<string, unknown>(Object.entries(defaults)).get(Str.camelToSnake(key))
  if (key === "callingHours") return hours(Policy.defaults.callingHours)
  return value === undefined ? "" : code(value)
}

/** `Monday to Friday 09:00-20:00; Saturday 10:00-18:00`. */
const hours = (callingHours: Policy.CallingHours | null): string => {
  if (callingHours === null) return "any time"
  const days = weekdays.map(([day, name]) => ({
    name,
    times: (callingHours[day] ?? []).map(({ end, start }) => `${start}-${end}`).join(" and ")
  }))
  return days.flatMap(({ name, times }, index) => {
    if (times === "" || days[index - 1]?.times === times) return []
    const after = days.findIndex((day, at) => at > index && day.times !== times)
    const last = days[(after === -1 ? days.length : after) - 1]?.name ?? name
    return [`${last === name ? name : `${name} to ${last}`} ${times}`]
  }).join("; ")
}

const limits = (numberLimits: ReadonlyArray<Policy.NumberLimit> = []): string =>
  numberLimits.map(({ max, windowSeconds }) => `${max} in ${windowSeconds / 86_400} d`).join(", ")

const section = ({ confidence, asOf, id, notes, sources, title }: Presets.Preset): string =>
  [
    `### ${id}`,
    `${title}. Confidence: ${confidence}. Sources as of ${asOf}:`,
    sources.map((source) => `- ${source}`).join("\n"),
    ...(notes.length === 0 ? [] : ["Check these yourself:", notes.map((note) => `- ${note}`).join("\n")])
  ].join("\n\n")

const page = (fields: Fields): string => {
  const wide = ["Field", "In TypeScript", "Type", "Bounds", "Default", "Meaning", "Example"]
  const examples = Object.entries(fields).flatMap(([key, { examples }]) =>
    examples === undefined ? [] : [[key, examples[0]]]
  )
  // The examples are those of the schema, whose types say that they fit.
  const example: Policy.PolicyDocument = {
    ...Object.fromEntries(examples) as Policy.PolicyDocument,
    numberLimits: Policy.defaults.numberLimits,
    agents: { "7b0c4f52-6f0e-4d5f-9a43-0c9f2f1f9d11": { recallGapSeconds: 86_400 } }
  }
  const differing = Object.keys(Policy.AgentPolicy.fields).map((key) => code(Str.camelToSnake(key)))
  return [
    "# Policy reference",
    "A policy says when an account's calls may be dialed, how often a number may be dialed, and how many calls the account may place.\n" +
    "It is one document: JSON in snake_case for files and the command line, and the same in camelCase in TypeScript. Omitted fields\n" +
    "take their defaults. Unknown fields are rejected at every level, because a misspelled rule would not be enforced.",
    "## Fields",
    table(wide, rows(fields)),
    `An agent may have its own ${differing.join(", ")}. All other fields apply to the whole account.`,
    "## Defaults",
    "These apply to an account without a policy of its own. They are careful anywhere, but they are not legal advice.",
    json(defaults),
    "## Example",
    json(PolicyDecoding.encodeWire(example)),
    "## Presets",
    `${Presets.disclaimer}`,
    "Presets are the rules of countries and states, as data to start from. Only `@outdial/core/presets` contains them: `list()`,\n" +
    "`find(id)`, and `apply(document, preset)`, which narrows a policy so that it keeps the rules of both. The engine does not depend on\n" +
    "them: applying a preset copies its rules, and a later version of the preset changes no policy. `lint(document, preset)` reports\n" +
    "where a policy allows more than a preset, and `lintGeneral(document)` what is unusual anywhere. Hours are in the callee's zone.\n" +
    "Holidays are not included: if a calendar is named, add its dates to `excluded_dates`.",
    table(
      ["Preset", "Rules of", "Hours", "Dials to a number", "Holidays", "Confidence", "As of"],
      Presets.list().map(({ asOf, confidence, holidays, id, policy, title }) => [
        `[${id}](#${id})`,
        cell(title),
        hours(policy.callingHours),
        limits(policy.numberLimits),
        holidays ?? "",
        confidence,
        asOf
      ])
    ),
    ...Presets.list().map(section)
  ].join("\n\n") + "\n"
}

/** The page, without the line that says that it is generated. */
export const policyReference = (): string => {
  // A struct's schema has properties.
  const { schema } = Schema.toJsonSchemaDocument(Policy.PolicyDocument) as unknown as { schema: { properties: Fields } }
  return page(schema.properties)
}
