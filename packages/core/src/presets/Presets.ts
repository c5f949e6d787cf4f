/**
 * Calling rules of countries and states as data to start a policy from, `@outdial/core/presets`. Nothing in the engine imports
 * them. They are not legal advice, and none is complete.
 */
import * as Countries from "./Countries.ts"
import type { Preset } from "./Preset.ts"
import * as UnitedStates from "./UnitedStates.ts"
import * as UnitedStatesTables from "./UnitedStatesTables.ts"

export { apply } from "./ApplyPreset.ts"
export { type Finding, findingCodes, type FindingData, lint, lintGeneral } from "./PolicyLint.ts"
export type { Preset } from "./Preset.ts"

/** To be shown wherever presets are. */
export const disclaimer =
  "Not legal advice. Opt-in data, compiled 2026-11-21 from the sources listed, many of them secondary. Rules change; check them before calling anyone."

/** All presets by their ids, derived presets after their base. */
export const list = (): ReadonlyArray<Preset> => all

/** The preset of this id; `undefined` when there is none. */
export const find = (id: string): Preset | undefined => all.find((preset) => preset.id === id)

const rank = ({ confidence, id }: Preset): string => `${confidence === "derived" ? 1 : 0} ${id}`

const all: ReadonlyArray<Preset> = [...UnitedStates.presets, ...UnitedStatesTables.presets, ...Countries.presets]
  .toSorted((one, other) => rank(one) < rank(other) ? -1 : 1)
