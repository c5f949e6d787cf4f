import { assert, describe, it } from "@effect/vitest"
import * as Presets from "@outdial/core/presets"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Policy from "../../src/domain/Policy.ts"
import * as PolicyDecoding from "../../src/policy/PolicyDecoding.ts"

/** The data that the presets were written from. */
interface Source {
  readonly disclaimer: string
  readonly presets: ReadonlyArray<{
    readonly id: string
    readonly title: string
    readonly windows: Required<Policy.CallingHours>
    readonly zonePolicy: string
    readonly perNumberLimits: ReadonlyArray<Policy.NumberLimit & { readonly counts?: ReadonlyArray<string> }>
    readonly gapsAfter: Readonly<Record<string, number>>
    readonly holidays: string | null
    readonly consent: string | null
    readonly notes: ReadonlyArray<string>
    readonly confidence: string
    readonly sources: ReadonlyArray<string>
    readonly asOf: string
  }>
}

const source = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../../../test/vectors/calling-rule-presets.json"), "utf8")
) as Source

const days = (seconds: number) => `${seconds / 86_400} days`

const notesOf = (preset: Source["presets"][number]) => [
  ...(preset.consent === null ? [] : [`Consent: ${preset.consent}`]),
  ...Object.entries(preset.gapsAfter).map(([result, gap]) =>
    `After a call with the result ${result}: ${days(gap)} until the next. A policy has one gap for all results.`
  ),
  ...preset.perNumberLimits.flatMap(({ counts, max, windowSeconds }) =>
    counts === undefined ? [] : [
      `The limit of ${max} in ${days(windowSeconds)} counts only calls with the results ${
        counts.join(" and ")
      }. A policy counts others too, which is stricter.`
    ]
  ),
  ...preset.notes
]

const expected = source.presets.map((preset) => ({
  id: preset.id,
  title: preset.title,
  policy: {
    callingHours: Object.fromEntries(Object.entries(preset.windows).filter(([, windows]) => windows.length > 0)),
    ...(preset.perNumberLimits.length > 0 && {
      numberLimits: preset.perNumberLimits.map(({ max, windowSeconds }) => ({ max, windowSeconds }))
    })
  },
  ...(preset.holidays !== null && { holidays: preset.holidays }),
  notes: notesOf(preset),
  confidence: preset.confidence,
  sources: preset.sources,
  asOf: preset.asOf
}))

const byId = (one: { readonly id: string }, other: { readonly id: string }) => one.id < other.id ? -1 : 1

describe("Presets", () => {
  it("are the rules of their source, each with what a policy cannot say, its sources and their date", () => {
    assert.deepStrictEqual<ReadonlyArray<unknown>>(Presets.list().toSorted(byId), expected.toSorted(byId))
    assert.strictEqual(Presets.disclaimer, source.disclaimer)
    // All candidate zones have to be open, which is so for every policy.
    assert.isTrue(source.presets.every(({ zonePolicy }) => zonePolicy === "all"))
  })

  it.effect.each(Presets.list())(
    "$id is a policy by itself, and has a source and a date",
    (preset) =>
      Effect.gen(function*() {
        assert.deepStrictEqual(yield* PolicyDecoding.decode(preset.policy, () => true), preset.policy)
        assert.deepStrictEqual(Policy.complete(preset.policy).callingHours, preset.policy.callingHours)
        assert.isNotEmpty(preset.sources)
        assert.match(preset.asOf, /^\d{4}-\d{2}-\d{2}$/)
      })
  )

  it("come in the order of their ids, those that are derived from others after them", () => {
    const ids = Presets.list().map(({ id }) => id)
    assert.deepStrictEqual(ids, [...ids.filter((id) => id !== "us-conservative").toSorted(), "us-conservative"])
  })

  it("us-conservative is within every rule of every state that it names", () => {
    const conservative = Presets.find("us-conservative")
    assert.isDefined(conservative)
    const states = Presets.list().filter(({ id }) => id.startsWith("us-"))
    const policy = { ...conservative?.policy, excludedDates: ["2026-12-25"] }
    assert.deepStrictEqual(states.flatMap((state) => Presets.lint(policy, state)), [])
  })

  it("are found by their ids", () => {
    for (const preset of Presets.list()) assert.strictEqual(Presets.find(preset.id), preset)
    assert.isUndefined(Presets.find("atlantis"))
    assert.isUndefined(Presets.find("__proto__"))
  })

  it("are imported by nothing else in core, so that only hosts that import them load them", () => {
    const source = resolve(import.meta.dirname, "../../src")
    const others = globSync("**/*.ts", { cwd: source }).filter((file) => !file.startsWith("presets"))
    assert.isNotEmpty(others)
    assert.deepStrictEqual(
      others.filter((file) => /from "[^"]*\/presets\//.test(readFileSync(join(source, file), "utf8"))),
      []
    )
  })
})
